import { expect, it } from 'vitest'
import { readConfig } from '../../config.js'
import { legacyList } from './index.js'

const config = readConfig({ DATABASE_URL: 'postgres://nowhere.invalid/' })
const REGISTRY = `0x${'0b'.repeat(32)}`
const entry = (id: string) => ({ id, type: 'CredentialStatusList2017' })

it.each([
  ['of this ledger', `rev-reg:svc:${REGISTRY}`],
  ['of this ledger, in other letters', `REV-REG:SVC:0x${'0B'.repeat(32)}`],
])('an entry claims a registry %s', (_, id) => {
  expect(legacyList.wrongIn(entry(id))).toBeUndefined()
  expect(legacyList.claimedPlaces(config, entry(id))).toEqual([{ uri: id, registryId: REGISTRY }])
})

it('an entry of another ledger claims nothing here', () => {
  expect(legacyList.wrongIn(entry(`rev-reg:dock:${REGISTRY}`))).toBeUndefined()
  expect(legacyList.claimedPlaces(config, entry(`rev-reg:dock:${REGISTRY}`))).toEqual([])
})

it.each([
  ['after something', `x-rev-reg:dock:${REGISTRY}`],
  ['before something', `rev-reg:dock:${REGISTRY}/x`],
  ['of no ledger', `rev-reg::${REGISTRY}`],
  ['of no length', 'rev-reg:dock:0x0b'],
])('an entry of a registry %s names none', (_, id) => {
  expect(legacyList.wrongIn(entry(id))).toMatch(/names no registry/)
  expect(legacyList.claimedPlaces(config, entry(id))).toEqual([])
})
