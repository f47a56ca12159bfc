import {
  calls,
  type Did,
  type EncodedCall,
  type Hex32,
  type IssuerOp,
  type Prices,
  type SchemaOp,
} from '@accredit/chain'
import type { MakeAct } from './act.js'
import type { KnownRegistry, Society } from './actors.js'
import type { Dice } from './seeded-random.js'

const CURRENCIES = ['USD', 'EUR', 'TRY', 'PLN']
const MANY = 150
const { trustRegistry } = calls

export const foundRegistry: MakeAct = (society) => {
  const { dice } = society
  const by = society.anyone()
  return by && { by, calls: [trustRegistry.initOrUpdate({ registryId: dice.hex32(), ...charter(dice, by.name) })] }
}

/** Founded, filled, offered to somebody, emptied and removed within one action: a tombstone from its first block on. */
export const foundBriefly: MakeAct = (society) => {
  const { dice } = society
  const [by, newConvener, schema] = [society.anyone(), society.anyone()?.did, dice.of(society.schemas)]
  if (by === undefined || newConvener === undefined || schema === undefined) return undefined
  const registryId = dice.hex32()
  const changed = (op: SchemaOp) =>
    trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })
  const calls = [
    trustRegistry.initOrUpdate({ registryId, ...charter(dice, by.name) }),
    ...(dice.chance(0.5) ? [trustRegistry.initOrUpdate({ registryId, ...charter(dice, 'Board') })] : []),
    ...(dice.chance(0.5) ? [changed(listing(society)), changed('Discard')] : []),
    ...(dice.chance(0.5) ? [trustRegistry.transfer({ registryId, newConvener })] : []),
    trustRegistry.remove({ registryId }),
  ]
  return { by, calls }
}

export const amendRegistry: MakeAct = (society) =>
  asConvener(society, ({ id: registryId }) => [
    trustRegistry.initOrUpdate({ registryId, ...charter(society.dice, `Board ${society.dice.below(100)}`) }),
  ])

/** A whole community issues one schema, by one call. */
export const accreditMany: MakeAct = (society) =>
  asConvener(society, ({ id: registryId }) => {
    const { dice } = society
    const schema = dice.of(society.schemas)
    if (schema === undefined) return []
    const issuers = { Modify: new Map(society.someDids(MANY).map((did) => [did, { Set: prices(dice) }])) }
    const update = { Modify: new Map([[schema, { Ensure: { issuers } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update })]
  })

/** Several schemas at once: who issues, some for a price, and who verifies. */
export const accredit: MakeAct = (society) =>
  asConvener(society, ({ id: registryId }) => {
    const { dice } = society
    const schemas = dice.some(society.schemas, 3).map((schema) => [schema, listing(society)] as const)
    return [trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map(schemas) } })]
  })

/** Listed and gone again within one action: what was true at no block. */
export const accreditBriefly: MakeAct = (society) =>
  asConvener(society, ({ id: registryId }) => {
    const schema = society.dice.hex32()
    const changed = (op: SchemaOp) =>
      trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })
    return [changed(listing(society)), changed('Discard')]
  })

function listing(society: Society): SchemaOp {
  const { dice } = society
  const op = (): IssuerOp => (dice.chance(0.3) ? { Set: prices(dice) } : 'Ensure')
  const issuers = { Modify: new Map(society.someDids(5).map((did) => [did, op()])) }
  const verifiers = { Modify: new Map(society.someDids(4).map((did) => [did, 'Ensure' as const])) }
  return { Ensure: dice.chance(0.6) ? { issuers, verifiers } : { issuers } }
}

/** Anyone may verify it from now on, if nobody asks for a price. */
export const openSchema: MakeAct = (society) =>
  asConvener(society, ({ id: registryId, version: expectedVersion }) => {
    const schema = society.dice.of(society.schemas)
    if (schema === undefined) return []
    const update = { Modify: new Map([[schema, { Ensure: { verifiers: { Set: [] } } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update, expectedVersion })]
  })

/** A schema with everybody in it is written anew. */
export const replaceSchema: MakeAct = (society) =>
  asConvener(society, ({ id: registryId, version: expectedVersion, schemas }) => {
    const { dice } = society
    const schema = dice.of([...schemas.keys()])
    if (schema === undefined) return []
    const issuers = new Map(society.someDids(4).map((did) => [did, prices(dice)]))
    const metadata = { issuers, ...(dice.chance(0.7) && { verifiers: society.someDids(3) }) }
    const update = { Modify: new Map([[schema, { Set: metadata }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update, expectedVersion })]
  })

/** Some leave, or a schema goes with all of them. */
export const withdraw: MakeAct = (society) =>
  asConvener(society, ({ id: registryId, schemas }) => {
    const { dice } = society
    const [schema, places] = dice.of([...schemas]) ?? []
    if (schema === undefined || places === undefined) return []
    const issuers = { Modify: new Map(dice.some([...places.issuers], 2).map((did) => [did, 'Discard' as const])) }
    const verifiers = { Modify: new Map(dice.some([...places.verifiers], 2).map((did) => [did, 'Remove' as const])) }
    const op: SchemaOp = dice.chance(0.15) ? 'Remove' : { Ensure: { issuers, verifiers } }
    return [trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })]
  })

export const offer: MakeAct = (society) =>
  asConvener(society, ({ id: registryId }) => {
    const to = society.anyone()
    return to ? [trustRegistry.transfer({ registryId, newConvener: to.did })] : []
  })

export const acceptOffer: MakeAct = (society) => {
  const registry = society.dice.of([...society.registries.values()].filter(({ offeredTo }) => offeredTo !== undefined))
  const by = registry?.offeredTo && society.people.get(registry.offeredTo)
  return by && registry && { by, calls: [trustRegistry.accept({ registryId: registry.id })] }
}

/** Emptied and removed in one action. */
export const removeRegistry: MakeAct = (society) =>
  asConvener(society, ({ id: registryId, version: expectedVersion }) => [
    trustRegistry.setSchemasMetadata({ registryId, update: { Set: new Map() }, expectedVersion }),
    trustRegistry.remove({ registryId }),
  ])

export const suspend: MakeAct = (society) =>
  asConvener(society, ({ id: registryId, schemas, delegates }) => {
    const { dice } = society
    const places = [...schemas.values()]
    const issuers = [...places.flatMap((place) => [...place.issuers]), ...[...delegates.values()].flatMap(listOf)]
    const verifiers = places.flatMap((place) => [...place.verifiers])
    return dice.chance(0.7)
      ? [trustRegistry.suspendIssuers({ registryId, dids: dice.some(issuers, 2) })]
      : [trustRegistry.suspendVerifiers({ registryId, dids: dice.some(verifiers, 2) })]
  })

export const unsuspend: MakeAct = (society) =>
  asConvener(society, ({ id: registryId, suspended }) => {
    const dids = society.dice.some([...suspended], 3)
    if (dids.length === 0) return []
    return society.dice.chance(0.5)
      ? [trustRegistry.unsuspendIssuers({ registryId, dids })]
      : [trustRegistry.unsuspendVerifiers({ registryId, dids })]
  })

/** What an issuer asks for: all anew, or one currency. */
export const setPrice: MakeAct = (society) =>
  asIssuer(society, (registryId, schema, did) => {
    const { dice } = society
    const currency = dice.of(CURRENCIES) ?? 'USD'
    const change = dice.chance(0.8) ? { Set: price(dice) } : ('Remove' as const)
    const op: IssuerOp = dice.chance(0.5) ? { Set: prices(dice) } : { Modify: new Map([[currency, change]]) }
    const issuers = { Modify: new Map([[did, op]]) }
    const update = { Modify: new Map([[schema, { Modify: { issuers } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update })]
  })

export const leave: MakeAct = (society) =>
  asIssuer(society, (registryId, schema, did) => {
    const issuers = { Modify: new Map([[did, 'Remove' as const]]) }
    const update = { Modify: new Map([[schema, { Modify: { issuers } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update })]
  })

export const delegate: MakeAct = (society) =>
  asIssuer(society, (registryId, _schema, issuer) => {
    const { dice } = society
    const known = [...(society.registries.get(registryId)?.delegates.get(issuer) ?? [])]
    const removed = dice.some(known, 2).map((did) => [did, 'Remove' as const] as const)
    const added = society.someDids(3).map((did) => [did, 'Add' as const] as const)
    const delegated = dice.chance(0.4)
      ? { Set: society.someDids(3) }
      : { Modify: new Map(dice.chance(0.3) ? removed : added) }
    return [trustRegistry.updateDelegatedIssuers({ registryId, delegated })]
  })

function asConvener(society: Society, make: (registry: KnownRegistry) => EncodedCall[]): ReturnType<MakeAct> {
  const registry = society.anyRegistry()
  const by = registry && society.convenerOf(registry)
  const made = registry ? make(registry) : []
  return by && made.length > 0 ? { by, calls: made } : undefined
}

type OfIssuer = (registryId: Hex32, schema: Hex32, issuer: Did) => EncodedCall[]

function asIssuer(society: Society, make: OfIssuer): ReturnType<MakeAct> {
  const registry = society.anyRegistry()
  const places = [...(registry?.schemas ?? [])].flatMap(([schema, { issuers }]) =>
    [...issuers].flatMap((did) => {
      const by = society.people.get(did)
      return by ? [{ schema, by }] : []
    }),
  )
  const place = society.dice.of(places)
  return registry && place && { by: place.by, calls: make(registry.id, place.schema, place.by.did) }
}

const listOf = <Item>(items: ReadonlySet<Item>): Item[] => [...items]

function charter(dice: Dice, name: string) {
  return { name: name.slice(0, 30), govFramework: `https://rules.example/${dice.below(1000)}` }
}

const price = (dice: Dice): bigint => (dice.chance(0.1) ? 2n ** 100n : BigInt(dice.below(5_000_000)))

function prices(dice: Dice): Prices {
  return dice.chance(0.2) ? new Map() : new Map(dice.some(CURRENCIES, 3).map((currency) => [currency, price(dice)]))
}
