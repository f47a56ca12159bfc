import { expect, it } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { readBitstringEntry, statusMessages } from './read-bitstring-entry.js'

const entry = {
  id: 'https://v.example/list#7',
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex: '7',
  statusListCredential: 'https://v.example/list',
}

it.each(['revocation', 'suspension', 'message', 'refresh'])('an entry names a place in a list of %s', (purpose) => {
  const place = { id: entry.id, list: entry.statusListCredential, index: 7, purpose, size: 1 }
  expect(readBitstringEntry({ ...entry, statusPurpose: purpose })).toEqual(place)
})

it('an entry may have a message for each of its values, in any order and in any letters', () => {
  const statusMessage = ['c', 'a', 'd', 'b'].map((message) => ({
    status: `0x0${message.charCodeAt(0) - 97}`,
    message,
  }))
  const read = readBitstringEntry({ ...entry, statusSize: 2, statusMessage })
  if ('wrong' in read) throw new Error(read.detail)
  expect([0, 1, 2, 3].map((value) => read.messageOf?.(value))).toEqual(['a', 'b', 'c', 'd'])
})

const two = statusMessages(['a', 'b'])

it.each<[string, JsonObject, string, RegExp]>([
  ['a list that is no text', { statusListCredential: [] }, 'malformed', /no statusListCredential/],
  ['an index that is a number', { statusListIndex: 7 }, 'malformed', /no statusListIndex/],
  ['an index below 0', { statusListIndex: '-1' }, 'malformed', /no statusListIndex/],
  ['an index that is a word', { statusListIndex: 'seven' }, 'malformed', /no statusListIndex/],
  ['another purpose', { statusPurpose: 'mood' }, 'unavailable', /purpose mood/],
  ['several purposes', { statusPurpose: ['revocation'] }, 'unavailable', /purpose \["revocation"\]/],
  ['no bits', { statusSize: 0 }, 'malformed', /whole number/],
  ['half a bit', { statusSize: 1.5 }, 'malformed', /whole number/],
  ['bits in words', { statusSize: '2' }, 'malformed', /whole number/],
  ['too many bits', { statusSize: 17 }, 'unavailable', /17 bits/],
  ['sixteen bits and no messages', { statusSize: 16 }, 'malformed', /each of its 65536 values/],
  ['two bits and no messages', { statusSize: 2 }, 'malformed', /each of its 4 values/],
  ['two bits and two messages', { statusSize: 2, statusMessage: two }, 'malformed', /each of its 4 values/],
  ['one message', { statusMessage: two.slice(1) }, 'malformed', /each of its 2 values/],
  ['a message twice', { statusMessage: [...two.slice(1), ...two.slice(1)] }, 'malformed', /each of its 2 values/],
  ['messages of other values', { statusMessage: [two[0] ?? {}, { status: '0x2', message: 'c' }] }, 'malformed', /each/],
  ['a message that is no text', { statusMessage: [two[0] ?? {}, { status: '0x1', message: 1 }] }, 'malformed', /each/],
  ['a message more than once among all', { statusMessage: [...two, ...two] }, 'malformed', /each of its 2 values/],
  ['a value after something', { statusMessage: [two[0] ?? {}, { status: 'x0x1', message: 'b' }] }, 'malformed', /each/],
  [
    'a value before something',
    { statusMessage: [two[0] ?? {}, { status: '0x1x', message: 'b' }] },
    'malformed',
    /each/,
  ],
  ['messages that are none', { statusMessage: 'hello' }, 'malformed', /each/],
])('an entry with %s says why nobody here can look at it', (_, more, wrong, detail) => {
  expect(readBitstringEntry({ ...entry, ...more })).toEqual({ wrong, detail: expect.stringMatching(detail) })
})
