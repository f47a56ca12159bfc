import { describe, expect, test } from 'vitest'
import { compileSchema } from './schema-check.js'
import { checkCost, mostSteps } from './schema-cost.js'
import type { JsonObject } from './schema-rules.js'

/** Each level applies the next one `times` times, under a keyword that applies to the same value. */
function fanOut(levels: number, times: number, keyword: string): JsonObject {
  const definitions: JsonObject = { [`a${levels}`]: { type: 'integer' } }
  for (let i = 0; i < levels; i++)
    definitions[`a${i}`] = { [keyword]: Array.from({ length: times }, () => ({ $ref: `#/definitions/a${i + 1}` })) }
  return { properties: { x: { $ref: '#/definitions/a0' } }, definitions }
}

/** Does the same, a level deeper in the value with each level of the schema. */
function fanDown(levels: number, wrap: (schema: JsonObject) => JsonObject): JsonObject {
  const definitions: JsonObject = { [`a${levels}`]: {} }
  for (let i = 0; i < levels; i++) {
    const next = wrap({ $ref: `#/definitions/a${i + 1}` })
    definitions[`a${i}`] = { allOf: [next, { ...next }] }
  }
  return { $ref: '#/definitions/a0', definitions }
}

const costly = /at most 1000 steps/

describe('a schema that is to be stored', () => {
  test('may take 1,000 steps for one value, and not one more', () => {
    const steps = (n: number): JsonObject => ({
      properties: { x: { allOf: Array.from({ length: n - 1 }, () => ({})) } },
    })
    expect(mostSteps).toBe(1_000)
    checkCost(steps(999))
    checkCost(steps(1_000))
    expect(() => checkCost(steps(1_001))).toThrow(costly)
  })

  test.each(['allOf', 'anyOf', 'oneOf'])('is refused when %s doubles what it costs at every level', (keyword) => {
    expect(() => checkCost(fanOut(28, 2, keyword))).toThrow(costly)
    checkCost(fanOut(4, 2, keyword))
  })

  test.each<[string, (schema: JsonObject) => JsonObject]>([
    ['a member', (schema) => ({ properties: { a: schema } })],
    ['other members', (schema) => ({ additionalProperties: schema })],
    ['members by a pattern', (schema) => ({ patternProperties: { '^a': schema } })],
    ['items', (schema) => ({ items: schema })],
    ['items one by one', (schema) => ({ items: [schema] })],
    ['contained items', (schema) => ({ contains: schema })],
  ])('is refused when %s of each level are looked at twice', (_what, wrap) => {
    expect(() => checkCost(fanDown(20, wrap))).toThrow(costly)
    checkCost(fanDown(4, wrap))
  })

  test.each<[string, JsonObject]>([
    ['an anchor', { $ref: '#a', $defs: { a: { $anchor: 'a' } } }],
    ['a dynamic anchor', { $dynamicRef: '#a', $defs: { a: { $dynamicAnchor: 'a' } } }],
    ['an id of its own', { $ref: 'https://x.example/a', $defs: { a: { $id: 'https://x.example/a' } } }],
  ])('may refer to %s', (_what, schema) => {
    const document = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
    compileSchema(document)
    checkCost(document)
  })

  test('has what stands behind each kind of reference counted', () => {
    const bomb = fanOut(12, 2, 'allOf').definitions
    const a0 = { $ref: '#/definitions/a0' }
    for (const target of [{ $anchor: 'a' }, { $dynamicAnchor: 'a' }])
      for (const reference of [{ $ref: '#a' }, { $dynamicRef: '#a' }])
        expect(() =>
          checkCost({ ...reference, definitions: { ...Object(bomb), anchored: { ...target, allOf: [a0] } } }),
        ).toThrow(costly)
    const elsewhere = { $id: 'https://x.example/a', definitions: bomb, allOf: [a0] }
    expect(() => checkCost({ $ref: 'https://x.example/a', $defs: { elsewhere } })).toThrow(costly)
    expect(() => checkCost({ dependentSchemas: { a: a0 }, definitions: bomb })).toThrow(costly)
    expect(() => checkCost({ $ref: '#/x-own/a', 'x-own': { a: a0 }, definitions: bomb })).toThrow(costly)
  })

  test('is refused when it refers to itself without going deeper', () => {
    expect(() => checkCost({ allOf: [{ $ref: '#' }] })).toThrow(/applied to already/)
    expect(() => checkCost({ $ref: '#/definitions/a', definitions: { a: { anyOf: [{ $ref: '#' }] } } })).toThrow(
      /applied to already/,
    )
  })

  test('has patterns, long lists of values and distinct items counted too', () => {
    const many = (n: number, schema: JsonObject): JsonObject => ({ allOf: Array.from({ length: n }, () => schema) })
    expect(() => checkCost(many(300, { pattern: 'a' }))).toThrow(costly)
    expect(() => checkCost(many(100, { uniqueItems: true }))).toThrow(costly)
    expect(() => checkCost(many(20, { enum: Array.from({ length: 2_000 }, (_, i) => i) }))).toThrow(costly)
  })

  test.each<[string, JsonObject]>([
    ['a tree', { properties: { child: { $ref: '#' }, children: { items: { $ref: '#' } } } }],
    [
      'expressions within expressions',
      {
        $ref: '#/definitions/e',
        definitions: {
          e: {
            oneOf: ['and', 'or', 'not'].map((name) => ({
              properties: { [name]: { items: { $ref: '#/definitions/e' } } },
            })),
          },
        },
      },
    ],
    [
      'two hundred and fifty countries with their titles',
      { oneOf: Array.from({ length: 250 }, (_, i) => ({ const: i, title: `${i}` })) },
    ],
    [
      'a thousand members',
      { properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`p${i}`, { pattern: 'a' }])) },
    ],
  ])('may describe %s', (_what, document) => {
    checkCost(document)
  })
})
