import { expect, it } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { readEntry } from './read-entry.js'

const entry = {
  id: 'https://v.example/list#7',
  type: 'StatusList2021Entry',
  statusPurpose: 'revocation',
  statusListIndex: '7',
  statusListCredential: 'https://v.example/list',
}

it.each(['revocation', 'suspension'])('an entry names a place in a list of %s', (purpose) => {
  const place = { id: entry.id, list: entry.statusListCredential, index: 7, purpose }
  expect(readEntry({ ...entry, statusPurpose: purpose })).toEqual(place)
})

it.each<[string, JsonObject, string, RegExp]>([
  ['a list that is no text', { statusListCredential: [] }, 'malformed', /no statusListCredential/],
  ['an index that is none', { statusListIndex: '-1' }, 'malformed', /no valid statusListIndex/],
  ['another purpose', { statusPurpose: 'message' }, 'unavailable', /purpose message/],
  ['no purpose', { statusPurpose: null }, 'unavailable', /purpose null/],
])('an entry with %s says why nobody here can look at it', (_, more, wrong, detail) => {
  expect(readEntry({ ...entry, ...more })).toEqual({ wrong, detail: expect.stringMatching(detail) })
})
