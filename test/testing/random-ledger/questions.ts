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
import type { Society } from './actors.js'

/** One question in the words of the service and in those of the ledger's runtime. */
export interface Question<Item> {
  readonly name: string
  readonly body: Readonly<Record<string, unknown>>
  view(cursor: Hex32 | undefined): ViewCall<Page<Item>>
}

export const views = viewFunctions()

/** The six queries that answer with ids, each about something else. */
export function questionsOfIds(society: Society): Question<Hex32>[] {
  const did = () => someDid(society)
  const registryId = () => someRegistry(society)
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
    of(someFilter(society), (filter) => ({
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
    of({ filter: someFilter(society), registryId: registryId() }, ({ filter, registryId }) => ({
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

/** Any of its fields or none, at times one that names nothing. */
export function someFilter(society: Society): ViewFilter {
  const { dice } = society
  const dids = () => (dice.chance(0.05) ? [] : [...someInside(society, 3), ...society.someDids(3)])
  const schemaIds = () =>
    dice.chance(0.05) ? [] : [...dice.some(society.schemas, 5), ...(dice.chance(0.2) ? [dice.hex32()] : [])]
  return {
    ...(dice.chance(0.5) && { issuers: dids() }),
    ...(dice.chance(0.2) && { verifiers: dids() }),
    ...(dice.chance(0.3) && { issuersOrVerifiers: dids() }),
    ...(dice.chance(0.4) && { schemaIds: schemaIds() }),
  }
}

/** As the service takes it. */
function asBody(filter: ViewFilter): Record<string, { AnyOf: readonly string[] }> {
  return Object.fromEntries(Object.entries(filter).map(([field, ids]) => [field, { AnyOf: ids }]))
}

export function someDid(society: Society): Did {
  const [inside] = society.dice.chance(0.7) ? someInside(society, 1) : []
  return inside ?? society.someDids(1)[0] ?? nobody()
}

/** Some who are in one registry. */
function someInside(society: Society, most: number): Did[] {
  const registry = society.anyRegistry()
  return registry ? society.dice.some(society.participantsOf(registry), most) : []
}

/** At times one that is not, or is no more. */
export function someRegistry(society: Society): Hex32 {
  const { dice, registries } = society
  if (dice.chance(0.05)) return dice.hex32()
  const present = dice.chance(0.8) ? society.anyRegistry()?.id : undefined
  return present ?? dice.of([...registries.keys()]) ?? dice.hex32()
}

function of<Value>(value: Value, make: (value: Value) => Question<Hex32>): Question<Hex32> {
  return make(value)
}

function nobody(): never {
  throw new TypeError('a society has schemas and strangers')
}
