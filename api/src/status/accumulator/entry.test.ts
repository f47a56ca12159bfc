import { encodeBase58, hexOf } from '@accredit/chain'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../formats/json.js'
import { accumulatorEntry, readEntry } from './entry.js'

const registryId = `0x${'ab'.repeat(32)}`
const entry = accumulatorEntry(registryId, 7)
const point = new Uint8Array(48).fill(9)
const { revocationId: _, ...derived } = entry

it('an entry has the index of a credential, or the value that its holder proves to be a member of', () => {
  expect(readEntry(entry)).toEqual({ registryId, index: 7, accumulated: undefined })
  expect(readEntry({ ...derived, accumulated: encodeBase58(point) })).toEqual({
    registryId,
    index: undefined,
    accumulated: hexOf(point),
  })
})

it.each(['dock', 'svc', 'DOCK'])('an entry names an accumulator of this ledger as of %s', (ledger) => {
  expect(readEntry({ ...entry, id: `${ledger}:accumulator:${registryId.toUpperCase().replace('X', 'x')}` })).toEqual({
    registryId,
    index: 7,
    accumulated: undefined,
  })
})

it.each<[string, JsonObject, string, RegExp]>([
  ['no name', { id: null }, 'unavailable', /names no accumulator/],
  ['another name', { id: registryId }, 'unavailable', /names no accumulator/],
  ['a name after something', { id: `x${entry.id}` }, 'unavailable', /names no accumulator/],
  ['a name before something', { id: `${entry.id}/x` }, 'unavailable', /names no accumulator/],
  ['a short name', { id: 'dock:accumulator:0xab' }, 'unavailable', /names no accumulator/],
  ['another check', { revocationCheck: 'non-membership' }, 'unavailable', /check non-membership/],
  ['an index that is a number', { revocationId: 7 }, 'malformed', /no decimal number/],
  ['an index with a zero before it', { revocationId: '07' }, 'malformed', /no decimal number/],
  ['a value that is no text', { accumulated: 7 }, 'malformed', /no value/],
  ['a value in other letters', { accumulated: '0' }, 'malformed', /no value/],
  ['a short value', { accumulated: encodeBase58(point.subarray(1)) }, 'malformed', /no value/],
])('an entry with %s says why nobody here can look at it', (_, more, wrong, detail) => {
  expect(readEntry({ ...entry, ...more })).toEqual({ wrong, detail: expect.stringMatching(detail) })
})
