import { expect, test } from 'vitest'
import { changeNames, ledgerChanges } from './ledger-change.js'
import { chainTypes } from './types.js'

test('every event of the three pallets is told, but that a DID acts', () => {
  const { lookup, metadata } = chainTypes().registry
  const names = [...metadata.pallets].flatMap(({ name, events }) => {
    if (!['Did', 'TrustRegistry', 'Revocation'].includes(name.toString()) || events.isNone) return []
    return [...lookup.getSiType(events.unwrap().type).def.asVariant.variants].map(
      (variant) => `${name}.${variant.name}`,
    )
  })
  expect([...changeNames(), 'Did.Dispatched'].sort()).toEqual(names.sort())
})

test('a change is by the DID that acted last before it', () => {
  const event = (pallet: string, name: string, data: object) => ({
    extrinsic: undefined,
    pallet,
    name,
    data: { ...data },
  })
  const removed = event('TrustRegistry', 'TrustRegistryRemoved', { registryId: '0x01' })
  const dispatched = event('Did', 'Dispatched', { did: 'did:svc:a', keyId: 3 })
  expect(ledgerChanges([removed, dispatched, removed, event('System', 'Remarked', {})])).toEqual([
    { event: 'TrustRegistry.TrustRegistryRemoved', actor: 'root', registryId: '0x01' },
    { event: 'TrustRegistry.TrustRegistryRemoved', actor: 'did:svc:a', keyId: 3, registryId: '0x01' },
  ])
})
