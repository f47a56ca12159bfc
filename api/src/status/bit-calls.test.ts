import { calls, parseHex32 } from '@accredit/chain'
import { expect, it } from 'vitest'
import { bitCalls, ledgerId } from './bit-calls.js'
import type { RegistryRow } from './registry.store.js'

const registryId = parseHex32('ab'.repeat(32))
if (registryId === undefined) throw new Error('not 32 bytes')
const registry: Pick<RegistryRow, 'id'> = { id: registryId }
const from = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index)

it('a change of many bits is made in calls of at most a thousand, and of none in no call', () => {
  expect(bitCalls(registry, { revoke: from(0, 2001), unrevoke: from(5000, 1000) })).toEqual([
    calls.revocation.setStatus({ registryId, revoke: from(0, 1000) }),
    calls.revocation.setStatus({ registryId, revoke: from(1000, 1000) }),
    calls.revocation.setStatus({ registryId, revoke: from(2000, 1) }),
    calls.revocation.setStatus({ registryId, unrevoke: from(5000, 1000) }),
  ])
  expect(bitCalls(registry, { revoke: [], unrevoke: [] })).toEqual([])
})

it('a stored id is one of the ledger', () => {
  expect(ledgerId(registryId)).toBe(registryId)
  expect(() => ledgerId('0xab')).toThrow('0xab is not a registry id')
})
