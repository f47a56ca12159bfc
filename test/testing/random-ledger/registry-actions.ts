import {
  calls,
  type Did,
  type EncodedCall,
  type Hex32,
  type IssuerOp,
  type Prices,
  type SchemaOp,
} from '@accredit/chain'
import type { Actors, KnownRegistry } from './actors.js'
import type { MakeLedgerAction } from './ledger-action.js'
import type { SeededRandom } from './seeded-random.js'

const CURRENCIES = ['USD', 'EUR', 'TRY', 'PLN']
const MANY = 150
const { trustRegistry } = calls

export const foundRegistry: MakeLedgerAction = (actors) => {
  const { random } = actors
  const by = actors.anyone()
  return by && { by, calls: [trustRegistry.initOrUpdate({ registryId: random.hex32(), ...charter(random, by.name) })] }
}

/**
 * Creates, fills, offers, empties and removes a registry within one action: it is a tombstone from its first block on.
 */
export const foundBriefly: MakeLedgerAction = (actors) => {
  const { random } = actors
  const [by, newConvener, schema] = [actors.anyone(), actors.anyone()?.did, random.of(actors.schemas)]
  if (by === undefined || newConvener === undefined || schema === undefined) return undefined
  const registryId = random.hex32()
  const changed = (op: SchemaOp) =>
    trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })
  const calls = [
    trustRegistry.initOrUpdate({ registryId, ...charter(random, by.name) }),
    ...(random.chance(0.5) ? [trustRegistry.initOrUpdate({ registryId, ...charter(random, 'Board') })] : []),
    ...(random.chance(0.5) ? [changed(ensured(actors)), changed('Discard')] : []),
    ...(random.chance(0.5) ? [trustRegistry.transfer({ registryId, newConvener })] : []),
    trustRegistry.remove({ registryId }),
  ]
  return { by, calls }
}

export const amendRegistry: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId }) => [
    trustRegistry.initOrUpdate({ registryId, ...charter(actors.random, `Board ${actors.random.below(100)}`) }),
  ])

/** Lists many issuers of one schema by one call. */
export const accreditMany: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId }) => {
    const { random } = actors
    const schema = random.of(actors.schemas)
    if (schema === undefined) return []
    const issuers = { Modify: new Map(actors.someDids(MANY).map((did) => [did, { Set: prices(random) }])) }
    const update = { Modify: new Map([[schema, { Ensure: { issuers } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update })]
  })

/** Lists issuers, some with prices, and verifiers of several schemas at once. */
export const accredit: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId }) => {
    const { random } = actors
    const schemas = random.some(actors.schemas, 3).map((schema) => [schema, ensured(actors)] as const)
    return [trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map(schemas) } })]
  })

/** Lists participants and removes them within one action, so that they are listed at no block. */
export const accreditBriefly: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId }) => {
    const schema = actors.random.hex32()
    const changed = (op: SchemaOp) =>
      trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })
    return [changed(ensured(actors)), changed('Discard')]
  })

function ensured(actors: Actors): SchemaOp {
  const { random } = actors
  const op = (): IssuerOp => (random.chance(0.3) ? { Set: prices(random) } : 'Ensure')
  const issuers = { Modify: new Map(actors.someDids(5).map((did) => [did, op()])) }
  const verifiers = { Modify: new Map(actors.someDids(4).map((did) => [did, 'Ensure' as const])) }
  return { Ensure: random.chance(0.6) ? { issuers, verifiers } : { issuers } }
}

/** Makes a schema public, which is refused where an issuer asks for a price. */
export const openSchema: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId, version: expectedVersion }) => {
    const schema = actors.random.of(actors.schemas)
    if (schema === undefined) return []
    const update = { Modify: new Map([[schema, { Ensure: { verifiers: { Set: [] } } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update, expectedVersion })]
  })

/** Replaces a schema with all its participants. */
export const replaceSchema: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId, version: expectedVersion, schemas }) => {
    const { random } = actors
    const schema = random.of([...schemas.keys()])
    if (schema === undefined) return []
    const issuers = new Map(actors.someDids(4).map((did) => [did, prices(random)]))
    const metadata = { issuers, ...(random.chance(0.7) && { verifiers: actors.someDids(3) }) }
    const update = { Modify: new Map([[schema, { Set: metadata }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update, expectedVersion })]
  })

/** Removes some participants of a schema, or the schema with all of them. */
export const withdraw: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId, schemas }) => {
    const { random } = actors
    const [schema, places] = random.of([...schemas]) ?? []
    if (schema === undefined || places === undefined) return []
    const issuers = { Modify: new Map(random.some([...places.issuers], 2).map((did) => [did, 'Discard' as const])) }
    const verifiers = { Modify: new Map(random.some([...places.verifiers], 2).map((did) => [did, 'Remove' as const])) }
    const op: SchemaOp = random.chance(0.15) ? 'Remove' : { Ensure: { issuers, verifiers } }
    return [trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })]
  })

export const offer: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId }) => {
    const to = actors.anyone()
    return to ? [trustRegistry.transfer({ registryId, newConvener: to.did })] : []
  })

export const acceptOffer: MakeLedgerAction = (actors) => {
  const registry = actors.random.of([...actors.registries.values()].filter(({ offeredTo }) => offeredTo !== undefined))
  const by = registry?.offeredTo && actors.byDid.get(registry.offeredTo)
  return by && registry && { by, calls: [trustRegistry.accept({ registryId: registry.id })] }
}

/** Empties and removes a registry in one action. */
export const removeRegistry: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId, version: expectedVersion }) => [
    trustRegistry.setSchemasMetadata({ registryId, update: { Set: new Map() }, expectedVersion }),
    trustRegistry.remove({ registryId }),
  ])

export const suspend: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId, schemas, delegates }) => {
    const { random } = actors
    const places = [...schemas.values()]
    const issuers = [...places.flatMap((place) => [...place.issuers]), ...[...delegates.values()].flatMap(listOf)]
    const verifiers = places.flatMap((place) => [...place.verifiers])
    return random.chance(0.7)
      ? [trustRegistry.suspendIssuers({ registryId, dids: random.some(issuers, 2) })]
      : [trustRegistry.suspendVerifiers({ registryId, dids: random.some(verifiers, 2) })]
  })

export const unsuspend: MakeLedgerAction = (actors) =>
  asConvener(actors, ({ id: registryId, suspended }) => {
    const dids = actors.random.some([...suspended], 3)
    if (dids.length === 0) return []
    return actors.random.chance(0.5)
      ? [trustRegistry.unsuspendIssuers({ registryId, dids })]
      : [trustRegistry.unsuspendVerifiers({ registryId, dids })]
  })

/** Sets an issuer's prices: all of them, or one currency. */
export const setPrice: MakeLedgerAction = (actors) =>
  asIssuer(actors, (registryId, schema, did) => {
    const { random } = actors
    const currency = random.of(CURRENCIES) ?? 'USD'
    const change = random.chance(0.8) ? { Set: price(random) } : ('Remove' as const)
    const op: IssuerOp = random.chance(0.5) ? { Set: prices(random) } : { Modify: new Map([[currency, change]]) }
    const issuers = { Modify: new Map([[did, op]]) }
    const update = { Modify: new Map([[schema, { Modify: { issuers } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update })]
  })

export const leave: MakeLedgerAction = (actors) =>
  asIssuer(actors, (registryId, schema, did) => {
    const issuers = { Modify: new Map([[did, 'Remove' as const]]) }
    const update = { Modify: new Map([[schema, { Modify: { issuers } }]]) }
    return [trustRegistry.setSchemasMetadata({ registryId, update })]
  })

export const delegate: MakeLedgerAction = (actors) =>
  asIssuer(actors, (registryId, _schema, issuer) => {
    const { random } = actors
    const known = [...(actors.registries.get(registryId)?.delegates.get(issuer) ?? [])]
    const removed = random.some(known, 2).map((did) => [did, 'Remove' as const] as const)
    const added = actors.someDids(3).map((did) => [did, 'Add' as const] as const)
    const delegated = random.chance(0.4)
      ? { Set: actors.someDids(3) }
      : { Modify: new Map(random.chance(0.3) ? removed : added) }
    return [trustRegistry.updateDelegatedIssuers({ registryId, delegated })]
  })

function asConvener(actors: Actors, make: (registry: KnownRegistry) => EncodedCall[]): ReturnType<MakeLedgerAction> {
  const registry = actors.anyRegistry()
  const by = registry && actors.convenerOf(registry)
  const made = registry ? make(registry) : []
  return by && made.length > 0 ? { by, calls: made } : undefined
}

type OfIssuer = (registryId: Hex32, schema: Hex32, issuer: Did) => EncodedCall[]

function asIssuer(actors: Actors, make: OfIssuer): ReturnType<MakeLedgerAction> {
  const registry = actors.anyRegistry()
  const places = [...(registry?.schemas ?? [])].flatMap(([schema, { issuers }]) =>
    [...issuers].flatMap((did) => {
      const by = actors.byDid.get(did)
      return by ? [{ schema, by }] : []
    }),
  )
  const place = actors.random.of(places)
  return registry && place && { by: place.by, calls: make(registry.id, place.schema, place.by.did) }
}

const listOf = <Item>(items: ReadonlySet<Item>): Item[] => [...items]

function charter(random: SeededRandom, name: string) {
  return { name: name.slice(0, 30), govFramework: `https://rules.example/${random.below(1000)}` }
}

const price = (random: SeededRandom): bigint => (random.chance(0.1) ? 2n ** 100n : BigInt(random.below(5_000_000)))

function prices(random: SeededRandom): Prices {
  return random.chance(0.2)
    ? new Map()
    : new Map(random.some(CURRENCIES, 3).map((currency) => [currency, price(random)]))
}
