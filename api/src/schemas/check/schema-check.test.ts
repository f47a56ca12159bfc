import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema, faultsAgainst } from './schema-check.js'
import { checkExtent, checkShape, type JsonObject, limits } from './schema-rules.js'

const degree = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  name: 'University Degree',
  type: 'object',
  properties: {
    degree: { type: 'string' },
    year: { type: 'integer', minimum: 1900 },
    day: { type: 'string', format: 'date' },
  },
  required: ['degree'],
  additionalProperties: false,
}

const newest = 'https://json-schema.org/draft/2020-12/schema'

const schemaErrors = (document: JsonObject, subject: unknown): string[] =>
  faultsAgainst(compileSchema(document), subject).map(({ message }) => message)

function accept(document: JsonObject): void {
  checkExtent(document)
  checkShape(document)
  compileSchema(document)
}

describe('a subject', () => {
  test.each([
    [{ degree: 'M.Sc.' }, []],
    [{ degree: 'M.Sc.', year: 1900 }, []],
    [{ degree: '' }, []],
    [{ id: 'did:example:1', degree: 'M.Sc.' }, []],
    [{ degree: 7 }, ['subject.degree must be a text; got 7']],
    [{ year: 0 }, ['subject.degree is missing: a text', 'subject.year must be a whole number of at least 1900; got 0']],
    [{ degree: 'x', extra: 1 }, ['There is no member subject.extra in the schema']],
    [{ degree: 'x', day: '2026-02-30' }, ['subject.day must be a date, such as 2026-01-31; got "2026-02-30"']],
    [[{ degree: 'x' }, { degree: null }], ['subject[1].degree must be a text; got null']],
    [[], ['subject is empty']],
    ['text', ['subject must be an object']],
    [null, ['subject must be an object']],
    [undefined, ['subject must be an object']],
  ])('%j is told what it lacks', (subject, reasons) => {
    expect(schemaErrors(degree, subject)).toEqual(reasons)
  })

  test('has its id checked only by a schema that speaks of it', () => {
    const withId = { ...degree, properties: { ...degree.properties, id: { type: 'string', pattern: '^did:' } } }
    expect(schemaErrors(withId, { id: '1234', degree: 'x' })).toEqual([
      'subject.id must be a text that begins with did:; got "1234"',
    ])
    expect(schemaErrors({ properties: {}, required: ['id'] }, {})).toEqual(['subject.id is missing'])
  })

  describe.each(Object.getOwnPropertyNames(Object.prototype))('that inherits %s and does not say it', (name) => {
    const lacks = { required: ['unthinkable'] }
    const either = {
      anyOf: [
        { required: ['a'], properties: { a: {} } },
        { required: ['b'], properties: { b: {} } },
      ],
    }
    const dialects = { 'draft-07': 'http://json-schema.org/draft-07/schema#', '2020-12': newest }
    test.each<[string, JsonObject, boolean]>([
      ['lacks what is required', { required: ['a', name] }, false],
      ['lacks it inside too', { properties: { in: { required: [name] } } }, false],
      ['is not looked at as optional', { properties: { [name]: { type: 'number' } } }, true],
      ['lacks what another member depends on', { dependencies: { a: [name] } }, false],
      ['needs nothing that depends on it', { dependencies: { [name]: ['unthinkable'] } }, true],
      ['needs no schema that depends on it', { dependencies: { [name]: lacks } }, true],
      [
        'does not satisfy a condition',
        Object.fromEntries([
          ['if', { required: [name] }],
          ['then', lacks],
        ]),
        true,
      ],
      [
        'does not satisfy an alternative',
        { anyOf: [{ required: [name] }, { required: ['a'] }], not: { required: [name] } },
        true,
      ],
      ['lacks what another member requires', { $schema: newest, dependentRequired: { a: [name] } }, false],
      ['has nothing that requires others', { $schema: newest, dependentRequired: { [name]: ['unthinkable'] } }, true],
      ['has nothing that a schema hangs on', { $schema: newest, dependentSchemas: { [name]: lacks } }, true],
    ])('%s', (_, schema, isSatisfied) => {
      for (const $schema of 'dependentRequired' in schema || 'dependentSchemas' in schema
        ? [newest]
        : Object.values(dialects))
        expect(schemaErrors({ ...schema, $schema }, { a: 1, in: {} }).length === 0, $schema).toBe(isSatisfied)
    })

    test('or says it where nothing more is allowed, is refused', () => {
      const subject = { a: 1, ...Object.fromEntries([[name, 1]]) }
      const narrow = { properties: { a: {} }, additionalProperties: false }
      const told = { ...either, unevaluatedProperties: false }
      expect(schemaErrors({ $schema: dialects['draft-07'], ...narrow }, subject)).toHaveLength(1)
      for (const schema of [
        narrow,
        told,
        { $ref: '#/$defs/either', $defs: { either }, unevaluatedProperties: false },
      ]) {
        expect(schemaErrors({ $schema: newest, ...schema }, subject)).toHaveLength(1)
        expect(schemaErrors({ $schema: newest, ...schema }, { a: 1 })).toEqual([])
      }
      const open = { ...told, patternProperties: { '^[a-zA-Z]+$': {} } }
      expect(schemaErrors({ $schema: newest, ...open }, { a: 1, free: 1 })).toEqual([])
    })
  })

  test('that names nothing wrong satisfies a schema of the other dialect too', () => {
    const document = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $ref: '#/$defs/a',
      $defs: { a: { required: ['b'] } },
    }
    expect(schemaErrors(document, { b: 0 })).toEqual([])
    expect(schemaErrors(document, {})).toEqual(['subject.b is missing'])
  })

  test('of a schema that refers to itself is checked at every depth', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' }, name: { type: 'string' } } }
    expect(schemaErrors(tree, { child: { child: { name: 1 } } })).toEqual([
      'subject.child.child.name must be a text; got 1',
    ])
  })
})

describe('a schema document', () => {
  test.each([
    ['http://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/draft-07/schema'],
    ['https://json-schema.org/draft-07/schema#'],
    ['http://json-schema.org/schema'],
    ['http://json-schema.org/schema#'],
    ['https://json-schema.org/draft/2020-12/schema'],
    [undefined],
  ])('may name its dialect %s', ($schema) => {
    expect(schemaErrors({ ...degree, $schema }, { degree: 'x' })).toEqual([])
  })

  const deep = (depth: number): JsonObject => (depth === 0 ? {} : { properties: { a: deep(depth - 1) } })
  test.each<[string, JsonObject, RegExp]>([
    ['an unknown dialect', { $schema: 'http://json-schema.org/draft-04/schema#' }, /\$schema must be/],
    ['a dialect that is no text', { $schema: 7 }, /\$schema must be/],
    ['a type that no subject has', { type: 'string' }, /type must be 'object'/],
    ['a keyword of the wrong type', { properties: { a: { type: 'strin' } } }, /not a valid draft-07 schema/],
    ['a remote reference', { properties: { a: { $ref: 'https://example.org/a.json' } } }, /can't resolve reference/],
    ['a reference to nothing', { properties: { a: { $ref: '#/definitions/b' } } }, /can't resolve reference/],
    ['a pattern with look-around', { properties: { a: { pattern: '(?=b)' } } }, /error parsing regexp/],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, /not a valid draft-07 schema/],
    ['an asynchronous schema', { $async: true }, /\$async is not supported/],
    [
      'an id that the validator knows',
      { properties: { a: { $id: 'http://json-schema.org/draft-07/schema' } } },
      /more than one/,
    ],
    ['properties that are a list', { properties: [] }, /properties must be an object/],
    ['required that is a text', { required: 'a' }, /required must be an array/],
    ['too deep a nesting', deep(limits.depth), /nested at most/],
    ['too many bytes', { description: 'ü'.repeat(limits.bytes / 2) }, /size not supported/],
    ['too many values', { enum: Array.from({ length: limits.values }, (_, i) => i) }, /at most 5000 values/],
    ['a NUL in a text', { description: 'a\u0000' }, /U\+0000/],
    ['half a surrogate pair in a name', { properties: { '\ud800': {} } }, /surrogate/],
  ])('with %s is refused, and the reason says why', (_what, document, reason) => {
    expect(() => accept(document)).toThrow(reason)
  })

  test('has its patterns matched in time linear to the text', () => {
    expect(schemaErrors({ properties: { x: { pattern: '^(a+)+$' } } }, { x: `${'a'.repeat(50_000)}!` })).toHaveLength(1)
  })

  test('of the largest size can be used with the members that the service adds to it', () => {
    const document = { name: 'Large', description: '' }
    document.description = 'a'.repeat(limits.bytes - JSON.stringify(document).length)
    accept(document)
    expect(schemaErrors({ ...document, $id: 'https://example.org/Large', $metadata: { version: 1 } }, {})).toEqual([])
    expect(() => accept({ ...document, description: `${document.description}a` })).toThrow(/size not supported/)
  })

  test('of any JSON is compiled or refused, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('type', 'properties', 'required', 'items', '$ref', 'enum', 'allOf', '$defs'),
          fc.jsonValue(),
        ),
        (document) => {
          try {
            accept({ ...document })
          } catch (error) {
            expect(error).toHaveProperty('name', 'SchemaRefused')
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})
