import { TypeRegistry } from '@polkadot/types'
import { u8aConcat } from '@polkadot/util'
import { decodeAddress, xxhashAsU8a } from '@polkadot/util-crypto'
import { expect, test } from 'vitest'
import { trieRoot } from './executor/trie-root.js'
import { accountOf, makeSpecification, randomSessionKeys } from './network.js'
import { genesisHeader, headerHash } from './runtime/header.js'
import { bytesOf, type Hex, hexOf } from './store/store.js'

const types = new TypeRegistry()
const seed = (digits: string): Hex => `0x${digits.repeat(32)}`
const byPublicKey = (one: string, other: string) => Buffer.compare(decodeAddress(one), decodeAddress(other))
const entry = (pallet: string, name: string) => hexOf(u8aConcat(xxhashAsU8a(pallet, 128), xxhashAsU8a(name, 128)))

test('a genesis holds the validators in the order of their accounts, a council and no sudo key, and its hash stands for the whole of it', async () => {
  const keys = await Promise.all([randomSessionKeys(), randomSessionKeys(), randomSessionKeys()])
  const accounts = (await Promise.all(['21', '22', '23'].map(seed).map(accountOf))).sort(byPublicKey)
  const validators = keys.map(({ aura, grandpa }, at) => ({
    account: accounts[at] ?? '',
    aura: aura.public,
    grandpa: grandpa.public,
  }))
  const council = await Promise.all(['11', '12'].map(seed).map(accountOf))
  const settings = { name: 'Test', id: 'test', validators, council, feeAccounts: [] }
  const { specification, genesisHash } = await makeSpecification(settings)
  const { top } = specification.genesis.raw
  const state = new Map(Object.entries(top))
  const authors = types.createType('Vec<[u8; 32]>', state.get(entry('Aura', 'Authorities')))
  expect(authors.map((key) => key.toHex())).toEqual(validators.map(({ aura }) => aura))
  const voters = types.createType('Vec<([u8; 32], u64)>', state.get(entry('Grandpa', 'Authorities')))
  expect(voters.map(([key, weight]) => [key.toHex(), weight.toNumber()])).toEqual(
    validators.map(({ grandpa }) => [grandpa, 1]),
  )
  const members = types.createType('Vec<AccountId>', state.get(entry('Council', 'Members')))
  expect(new Set(members.map((member) => member.toString()))).toEqual(new Set(council))
  expect(state.has(entry('Sudo', 'Key'))).toBe(false)
  // Several blocks in a slot are for the embedded ledger alone.
  expect(state.get(entry('Slots', 'MultipleBlocks')) ?? '0x00').toBe('0x00')
  const entries = [...state].map(
    ([key, value]) => [bytesOf(hexOf(Buffer.from(key.slice(2), 'hex'))), bytesOf(value)] as const,
  )
  expect(headerHash(genesisHeader(hexOf(trieRoot(entries, 1))))).toBe(genesisHash)
  const again = await makeSpecification(settings)
  expect(again).toEqual({ specification, genesisHash })
  const bootNodes = ['/dns4/one.example/tcp/30333/p2p/12D3KooW']
  const elsewhere = await makeSpecification({ ...settings, bootNodes })
  expect(elsewhere).toEqual({ specification: { ...specification, bootNodes }, genesisHash })
})
