import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../json.js'
import { isStatusList, MOST_LIST_BYTES, withoutBits } from './status-lists.js'

const list = (encodedList: Json, more: JsonObject = {}): JsonObject => ({
  type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  credentialSubject: { id: 'urn:list', encodedList },
  ...more,
})

it.each<[Json, boolean]>([
  ['StatusList2021Credential', true],
  [['VerifiableCredential', 'BitstringStatusListCredential'], true],
  ['VerifiableCredential', false],
  [[], false],
])('a credential of type %j is a status list: %s', (type, expected) => {
  expect(isStatusList({ type })).toBe(expected)
})

it('a status list is looked at without its bits, of which there may be so many bytes and no more', () => {
  const most = 'x'.repeat(MOST_LIST_BYTES)
  expect(withoutBits(list(most))).toEqual({ ...list(most), credentialSubject: { id: 'urn:list' } })
  const refused = expect.objectContaining({ code: 'too_large', message: expect.stringContaining('524289 bytes') })
  expect(() => withoutBits(list(`${most}x`))).toThrow(refused)
})

it.each<[string, JsonObject]>([
  ['another credential', list('x', { type: 'VerifiableCredential' })],
  ['several subjects', list('x', { credentialSubject: [{ encodedList: 'x' }] })],
  ['no subject', list('x', { credentialSubject: null })],
  ['bits that are no text', list(['x'])],
])('%s is looked at as it is', (_, document) => {
  expect(withoutBits(document)).toBe(document)
})
