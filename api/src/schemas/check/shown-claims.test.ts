import { expect, it } from 'vitest'
import { compileSchema, faultsAgainst } from './schema-check.js'
import type { JsonObject } from './schema-rules.js'
import { ofShownClaims } from './shown-claims.js'

const schema: JsonObject = {
  type: 'object',
  required: ['degree', 'address'],
  minProperties: 2,
  properties: {
    degree: { type: 'string' },
    required: { type: 'integer' },
    address: { $ref: '#/$defs/address' },
    courses: { type: 'array', minItems: 2, items: { required: ['name'], properties: { name: { type: 'string' } } } },
  },
  anyOf: [{ required: ['degree'] }, { required: ['courses'] }, { required: ['address'] }],
  $defs: { address: { required: ['city', 'street'], properties: { city: { type: 'string' } } } },
}

const faultsOf = (subject: JsonObject) =>
  faultsAgainst(compileSchema(ofShownClaims(schema)), subject).map(({ message }) => message)

it.each<[string, JsonObject]>([
  ['some members', { degree: 'M.Sc.' }],
  ['a part of an object behind a reference', { address: { city: 'Basel' } }],
  ['items without their members, and fewer of them', { courses: [{}] }],
  ['a member that is named as a keyword', { degree: 'M.Sc.', required: 1 }],
])('a subject that shows %s satisfies its schema', (_what, subject) => {
  expect(faultsAgainst(compileSchema(schema), subject)).not.toEqual([])
  expect(faultsOf(subject)).toEqual([])
})

it.each<[string, JsonObject]>([
  ['a member', { degree: 7 }],
  ['a member of an object behind a reference', { address: { city: 7 } }],
  ['a member of an item', { courses: [{ name: 7 }] }],
  ['a member that is named as a keyword', { degree: 'M.Sc.', required: 'x' }],
])('a subject that shows %s wrongly does not satisfy it', (_what, subject) => {
  expect(faultsOf(subject)).not.toEqual([])
})

it('alternatives judge by what is shown', () => {
  expect(faultsOf({})).not.toEqual([])
})
