import { expect, test } from 'vitest'
import { compileSchema, faultsAgainst } from './schema-check.js'
import { type JsonObject, SchemaRefused } from './schema-rules.js'

const told = (properties: JsonObject, subject: unknown, more: JsonObject = {}) =>
  faultsAgainst(compileSchema({ properties, ...more }), subject).map(({ place, message }) => [place.join('/'), message])

test('every fault of a subject is named, with its place, its value and the allowed ones', () => {
  const properties = {
    degree: { type: 'string', minLength: 2 },
    score: { type: 'number', minimum: 0, maximum: 100 },
    level: { enum: ['bachelor', 'master', 3] },
    kind: { const: 'degree' },
    day: { type: 'string', format: 'date' },
    code: { type: 'string', pattern: '^[A-Z]+$' },
    tags: { type: 'array', maxItems: 1, uniqueItems: true },
    either: { type: ['integer', 'null'] },
    even: { multipleOf: 2, exclusiveMaximum: 10 },
    courses: { type: 'array', items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
  }
  const subject = {
    ...{ degree: 7, score: 101, level: 'doctor', kind: 'x', day: 'today', code: 'a', tags: ['a', 'a'], either: 'x' },
    ...{ even: 11, courses: [{ name: 'Logic' }, {}] },
  }
  expect(told(properties, subject)).toEqual([
    ['subject/degree', 'subject.degree must be a text of at least 2 characters; got 7'],
    ['subject/score', 'subject.score must be a number from 0 to 100; got 101'],
    ['subject/level', 'subject.level must be one of bachelor, master, 3; got "doctor"'],
    ['subject/kind', 'subject.kind must be degree; got "x"'],
    ['subject/day', 'subject.day must be a date, such as 2026-01-31; got "today"'],
    ['subject/code', 'subject.code must be a text that matches ^[A-Z]+$; got "a"'],
    ['subject/tags', 'subject.tags must be a list of at most 1 item, none of them twice; got a list of 2'],
    ['subject/tags', 'subject.tags must be a list with nothing in it twice; got a list of 2'],
    ['subject/either', 'subject.either must be a whole number, or null; got "x"'],
    ['subject/even', 'subject.even must be a number below 10; got 11'],
    ['subject/even', 'subject.even must be a multiple of 2; got 11'],
    ['subject/courses/1/name', 'subject.courses[1].name is missing: a text'],
  ])
})

test('of alternatives, none of which is there, one fault is told', () => {
  const grade = { anyOf: [{ type: 'number' }, { type: 'string', maxLength: 2 }] }
  expect(told({ grade, name: { type: 'string' } }, { grade: true, name: 1 })).toEqual([
    ['subject/grade', 'subject.grade must be a number, or a text of at most 2 characters; got true'],
    ['subject/name', 'subject.name must be a text; got 1'],
  ])
  const forms = { anyOf: [{ required: ['a'] }, { required: ['b'] }] }
  expect(told({}, {}, forms)).toEqual([
    ['subject', 'subject must be as one of the alternatives that the schema allows; got an object'],
  ])
})

test('a condition, a name and a dependency are told of in words too', () => {
  const when = Object.fromEntries([
    ['if', { required: ['a'] }],
    ['then', { required: ['b'] }],
  ])
  expect(told({}, { a: 1 }, when)).toEqual([['subject/b', 'subject.b is missing']])
  expect(told({}, { a: 1 }, { dependencies: { a: ['c'] } })).toEqual([
    ['subject/c', 'subject.c is missing, since a is there'],
  ])
  expect(told({}, { Ab: 1 }, { propertyNames: { pattern: '^[a-z]+$' } })).toEqual([
    ['subject/Ab', 'subject.Ab has a name that the schema forbids'],
  ])
  expect(told({ a: { not: { type: 'string' } } }, { a: 'x' })).toEqual([
    ['subject/a', 'subject.a must be something else: the schema excludes this; got "x"'],
  ])
})

test('a schema that is none is refused with each fault at its place', () => {
  const refused = () => compileSchema({ title: null, properties: { a: { type: 'strin' } }, required: 'a' })
  expect(refused).toThrow(SchemaRefused)
  expect(refused).toThrow(
    expect.objectContaining({
      faults: expect.arrayContaining([
        { place: ['title'], message: 'title must be a text; got null' },
        { place: ['required'], message: expect.stringMatching(/^required must be a list.*; got "a"$/) },
        {
          place: ['properties', 'a', 'type'],
          message: expect.stringMatching(/^properties\.a\.type must be .*"strin"$/),
        },
      ]),
    }),
  )
})

test('no validator speaks: none of its words stand in what is told', () => {
  const words = told(
    { a: { type: 'string' }, b: { format: 'date' }, c: { oneOf: [{ type: 'number' }, { minimum: 1 }] } },
    { a: 1, b: 'x', c: 3, d: 1 },
    { additionalProperties: false, minProperties: 9 },
  )
  expect(words).toHaveLength(5)
  for (const [, message] of words) expect(message).not.toMatch(/NOT|should|must match|property|>=|<=/)
})
