import { parseHex32 } from '@accredit/chain'
import { expect, it } from 'vitest'
import { readConfig } from '../config.js'
import { statusList } from './status-list/index.js'
import { statusEntry } from './status-list/status-entry.js'
import { STATUS_METHODS, statusMethodsOf } from './status-methods.js'

const methods = statusMethodsOf(STATUS_METHODS)
const TYPE = 'StatusList2021Entry'

it('a registry has the method of its type, and there is none of another', () => {
  expect(methods.of({ type: TYPE })).toBe(statusList)
  expect(methods.ofRegistry('Other')).toBeUndefined()
  expect(() => methods.of({ type: 'Other' })).toThrow('makes registries of type Other')
})

it('a registry made elsewhere has the type of the first method of its kind, or that kind for a type', () => {
  const types = (['StatusList', 'Accumulator'] as const).map((kind) => methods.typeOfKind(kind))
  expect(types).toEqual([TYPE, 'DockVBAccumulator2022'])
  expect(statusMethodsOf([statusList]).typeOfKind('Accumulator')).toBe('Accumulator')
  expect(methods.ofKind('Accumulator').map(({ registryType }) => registryType)).toEqual(['DockVBAccumulator2022'])
})

const config = readConfig({ DATABASE_URL: 'postgres://nowhere.invalid/' })
const registryId = parseHex32('ab'.repeat(32))
const list = `${config.apiUrl}/status-lists/${'ab'.repeat(32)}`
const entry = statusEntry(TYPE, list, 7, 'revocation')
const elsewhere = statusEntry(TYPE, 'https://v.example/list', 7, 'revocation')

it('an entry at which nobody could look says why, by its type or by its members', () => {
  expect(methods.wrongIn(entry)).toBeUndefined()
  expect(methods.wrongIn({ ...entry, type: 'Other' })).toBe('status entries of type Other cannot be checked here')
  expect(methods.wrongIn({ ...entry, statusListIndex: 'x' })).toMatch(/no valid statusListIndex/)
})

it('an entry has a place in a list of ours only', () => {
  expect(statusList.placeOf(config, entry)).toEqual({ registryId, index: 7 })
  expect(statusList.placeOf(config, elsewhere)).toBeUndefined()
  expect(statusList.placeOf(config, { ...entry, statusPurpose: 'mood' })).toBeUndefined()
})

it('an entry claims the lists of ours that it names anywhere, also one that is not there', () => {
  const nothing = `${config.apiUrl}/nothing`
  expect(statusList.claimedPlaces(config, entry)).toEqual([
    { uri: list, registryId },
    { uri: `${list}#7`, registryId },
  ])
  expect(statusList.claimedPlaces(config, { ...elsewhere, id: nothing })).toEqual([
    { uri: nothing, registryId: undefined },
  ])
  const named = (ledger: string) => `status-list2021:${ledger}:${registryId}`
  expect(statusList.claimedPlaces(config, { statusListCredential: named('dock'), id: 7 })).toEqual([])
  expect(statusList.claimedPlaces(config, { statusListCredential: named('svc') })).toEqual([
    { uri: named('svc'), registryId },
  ])
})
