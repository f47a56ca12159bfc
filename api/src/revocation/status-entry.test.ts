import { expect, it } from 'vitest'
import { indexFrom, registryOfList, statusEntry } from './status-entry.js'

const hex = 'ab'.repeat(32)
const api = 'https://api.example'

it.each<[string, string | undefined]>([
  [`${api}/status-lists/${hex}`, `0x${hex}`],
  [`${api}/status-lists/${hex}#7`, `0x${hex}`],
  [`${api}/status-lists/${hex.toUpperCase()}`, `0x${hex}`],
  [`${api}/status-lists/0x${hex}#7`, `0x${hex}`],
  [`status-list2021:dock:0x${hex}`, `0x${hex}`],
  [`status-list2021:svc:0x${hex.toUpperCase()}`, `0x${hex}`],
  [`${api}/status-lists/${hex}/x`, undefined],
  [`${api}/status-lists/${hex.slice(2)}`, undefined],
  [`https://api.example.org/status-lists/${hex}`, undefined],
  [`https://api.example@evil.example/status-lists/${hex}`, undefined],
  ['', undefined],
])('the list %s is of registry %s', (list, registry) => expect(registryOfList(api, list)).toBe(registry))

it('an entry names its list and index as text', () => {
  expect(statusEntry(api, `0x${hex}`, 7)).toEqual({
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
