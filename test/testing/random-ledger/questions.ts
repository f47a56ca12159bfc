import {
  type Did,
  type Hex32,
  type Page,
  type RegistryInfoAnswer,
  type SchemaMetadataAnswer,
  type ViewCall,
  type ViewFilter,
  viewFunctions,
} from '@accredit/chain'
import type { Actors } from './actors.js'

/** One question in the words of the service and in those of the ledger's runtime. */
export interface Question<Item> {
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
  view(cursor: Hex32 | undefined): ViewCall<Page<Item>>
}

export const views = viewFunctions()

/** Makes a question for each of the six queries that answer with ids. */
export function questionsOfIds(actors: Actors): Question<Hex32>[] {
  const did = () => someDid(actors)
  const registryId = () => someRegistry(actors)
  return [
    of(did(), (named) => ({
      name: 'verifiersTrustRegistries',
      body: { did: named },
      view: (cursor) => views.verifiersTrustRegistries(named, cursor),
    })),
    of(did(), (named) => ({
      name: 'issuersTrustRegistries',
      body: { did: named },
      view: (cursor) => views.issuersTrustRegistries(named, cursor),
    })),
    of(someFilter(actors), (filter) => ({
      name: 'registriesIds',
      body: { filter: asBody(filter) },
      view: (cursor) => views.registriesIds(filter, cursor),
    })),
    of({ did: did(), registryId: registryId() }, (body) => ({
      name: 'trustRegistryVerifierSchemas',
      body,
      view: (cursor) => views.trustRegistryVerifierSchemas(body.registryId, body.did, cursor),
    })),
    of({ did: did(), registryId: registryId() }, (body) => ({
      name: 'trustRegistryIssuerSchemas',
      body,
      view: (cursor) => views.trustRegistryIssuerSchemas(body.registryId, body.did, cursor),
    })),
    of({ filter: someFilter(actors), registryId: registryId() }, ({ filter, registryId }) => ({
      name: 'registrySchemaIds',
      body: { filter: asBody(filter), registryId },
      view: (cursor) => views.registrySchemaIds(filter, registryId, cursor),
    })),
  ]
}

export function registriesInfo(filter: ViewFilter): Question<RegistryInfoAnswer> {
  const view = (cursor?: Hex32) => views.registriesInfo(filter, cursor)
  return { name: 'registriesInfo', body: { filter: asBody(filter) }, view }
}

export function schemasMetadata(registryId: Hex32, filter: ViewFilter): Question<SchemaMetadataAnswer> {
  const view = (cursor?: Hex32) => views.registrySchemasMetadata(filter, registryId, cursor)
  return { name: 'registrySchemasMetadata', body: { filter: asBody(filter), registryId }, view }
}

/** Draws a filter with any of its fields or none, at times with one that names nothing. */
export function someFilter(actors: Actors): ViewFilter {
  const { random } = actors
  const dids = () => (random.chance(0.05) ? [] : [...someInside(actors, 3), ...actors.someDids(3)])
  const schemaIds = () =>
    random.chance(0.05) ? [] : [...random.some(actors.schemas, 5), ...(random.chance(0.2) ? [random.hex32()] : [])]
  return {
    ...(random.chance(0.5) && { issuers: dids() }),
    ...(random.chance(0.2) && { verifiers: dids() }),
    ...(random.chance(0.3) && { issuersOrVerifiers: dids() }),
    ...(random.chance(0.4) && { schemaIds: schemaIds() }),
  }
}

/** Writes a filter as the service takes it. */
function asBody(filter: ViewFilter): Record<string, { AnyOf: readonly string[] }> {
  return Object.fromEntries(Object.entries(filter).map(([field, ids]) => [field, { AnyOf: ids }]))
}

export function someDid(actors: Actors): Did {
  const [inside] = actors.random.chance(0.7) ? someInside(actors, 1) : []
  return inside ?? actors.someDids(1)[0] ?? nobody()
}

/** Chooses some participants of one registry. */
function someInside(actors: Actors, most: number): Did[] {
  const registry = actors.anyRegistry()
  return registry ? actors.random.some(actors.participantsOf(registry), most) : []
}

/** Chooses a registry, at times one that never existed or was removed. */
export function someRegistry(actors: Actors): Hex32 {
  const { random, registries } = actors
  if (random.chance(0.05)) return random.hex32()
  const present = random.chance(0.8) ? actors.anyRegistry()?.id : undefined
  return present ?? random.of([...registries.keys()]) ?? random.hex32()
}

function of<Value>(value: Value, make: (value: Value) => Question<Hex32>): Question<Hex32> {
  return make(value)
}

function nobody(): never {
  throw new TypeError('a actors has schemas and strangers')
}
