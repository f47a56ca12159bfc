import { parseHex32 } from '@accredit/chain'
import { expect, it } from 'vitest'
import { indexFrom } from '../entries.store.js'
import { type LedgerList, placeOfList, statusEntry, statusListUrl } from './status-entry.js'

const id = parseHex32('ab'.repeat(32))
if (id === undefined) throw new Error('not 32 bytes')
const hex = id.slice(2)
const api = 'https://api.example'

const bases = { apiUrl: api, webUrl: 'https://creds.example:8443', schemaUrl: 'https://shared.example/accredit' }
const here: LedgerList = { registryId: id, path: '' }

it.each<[string, LedgerList | 'nothing' | 'elsewhere']>([
  [`${api}/status-lists/${hex}`, here],
  [`${api}/status-lists/${hex}#7`, here],
  [`${api}/status-lists/${hex}/?at=5#7`, here],
  [`${api}/status-lists/0x${hex.toUpperCase()}`, here],
  [`http://API.example.:80//status%2Dlists/%61${hex.slice(1)}`, here],
  [`https://who:secret@api.example/status-lists/${hex}`, here],
  [`https://creds.example:8443/status-lists/${hex}`, here],
  [`https://shared.example/accredit/status-lists/${hex}`, here],
  [`status-list2021:dock:0x${hex}`, { ...here, ledger: 'dock' }],
  [`status-list2021:svc:0x${hex.toUpperCase()}`, { ...here, ledger: 'svc' }],
  [`${api}/status-lists/${hex}/bitstring`, { ...here, path: '/bitstring' }],
  [`${api}/status-lists/0x${hex}/token/#7`, { ...here, path: '/token' }],
  [`status-list2021:dock:testnet:0x${hex}`, { ...here, ledger: 'dock:testnet' }],
  [`status-list2021:svc:0x${hex.slice(2)}`, 'nothing'],
  [`status-list2021:svc:0x${hex}/x`, 'elsewhere'],
  [`x-status-list2021:svc:0x${hex}`, 'elsewhere'],
  [`${api}/x/status-lists/${hex}`, 'nothing'],
  [`${api}/status-lists/${hex}/x`, 'nothing'],
  [`${api}/status-lists/${hex}/token/x`, 'nothing'],
  [`${api}/status-lists//token`, 'nothing'],
  [`${api}/status-lists/${hex.slice(2)}`, 'nothing'],
  [`${api}/schema-documents/x.json`, 'nothing'],
  [`https://api.example.org/status-lists/${hex}`, 'elsewhere'],
  [`https://api.example@evil.example/status-lists/${hex}`, 'elsewhere'],
  [`https://api.example:8443/status-lists/${hex}`, 'elsewhere'],
  [`https://shared.example/status-lists/${hex}`, 'elsewhere'],
  ['', 'elsewhere'],
])('the list %s is %j', (list, place) => expect(placeOfList(bases, list)).toEqual(place))

it('an entry names its list and index as text', () => {
  expect(statusEntry('StatusList2021Entry', statusListUrl(api, `0x${hex}`, ''), 7, 'revocation')).toEqual({
    id: `${api}/status-lists/${hex}#7`,
    type: 'StatusList2021Entry',
    statusPurpose: 'revocation',
    statusListIndex: '7',
    statusListCredential: `${api}/status-lists/${hex}`,
  })
})

it('indexes lie inside the list', () => {
  expect(indexFrom(Uint8Array.of(255, 255, 255, 255), 2 ** 20)).toBe(2 ** 20 - 1)
  expect(indexFrom(Uint8Array.of(0, 16, 0, 1), 2 ** 20)).toBe(1)
})
