import type { IndexedEvent } from '../../ledger/read/history/events-after.js'
import type { RegistryFacts, RightsFacts } from '../../ledger/read/registries/changed-facts.js'
import type { LedgerTold } from './ecosystem.events.js'

/** A change of a registry as web hooks are told of it, before it is known whose they are. */
export interface ToldChange {
  event: LedgerTold
  /** The DIDs whose teams are told. */
  concerns: string[]
  /** The id of the thing that it is about: events of one thing are delivered in their order. */
  resource: string
  data: Record<string, unknown>
}

/** The facts of the index about the blocks that events are of. */
export interface Facts {
  registry(id: string, block: number): RegistryFacts | undefined
  rights(registryId: string, did: string, block: number): RightsFacts | undefined
  /** The registries that listed a DID that was deactivated in a block. */
  listing(did: string, block: number): readonly string[]
}

const RIGHTS = ['TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged']

/** The ledger's events that are about one registry, and the events for web hooks that follow. */
const OF_REGISTRIES: Record<string, LedgerTold> = {
  'TrustRegistry.TrustRegistryInitialized': 'trust_registry_create',
  'TrustRegistry.TrustRegistryUpdated': 'trust_registry_update',
  'TrustRegistry.TransferProposed': 'trust_registry_transfer_propose',
  'TrustRegistry.Transferred': 'trust_registry_transfer',
  'TrustRegistry.TrustRegistryRemoved': 'trust_registry_delete',
}
const OF_SCHEMAS: Record<string, LedgerTold> = {
  'TrustRegistry.SchemaAdded': 'trust_registry_schema_create',
  'TrustRegistry.SchemaPublicSet': 'trust_registry_schema_update',
  'TrustRegistry.SchemaRemoved': 'trust_registry_schema_delete',
}
const OF_STANDING: Record<string, LedgerTold> = {
  'TrustRegistry.IssuerSuspended': 'participant_suspend',
  'TrustRegistry.VerifierSuspended': 'participant_suspend',
  'TrustRegistry.IssuerUnsuspended': 'participant_reinstate',
  'TrustRegistry.VerifierUnsuspended': 'participant_reinstate',
}
const OF_DELEGATIONS: Record<string, LedgerTold> = {
  'TrustRegistry.DelegateAdded': 'delegation_create',
  'TrustRegistry.DelegateRemoved': 'delegation_delete',
}

export const DEACTIVATED = 'Did.Deactivated'

/** The ledger's events that web hooks are told of. */
export const TOLD_EVENTS: readonly string[] = [
  ...Object.keys({ ...OF_REGISTRIES, ...OF_SCHEMAS, ...OF_STANDING, ...OF_DELEGATIONS }),
  ...RIGHTS,
  DEACTIVATED,
]

export const isOfRights = ({ name }: IndexedEvent): boolean => RIGHTS.includes(name)

const at = ({ actor, block, time }: IndexedEvent) => ({ actor, block, time: time.toISOString() })
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * Returns the changes that events are, in their order. The rights of a DID that several events of a block change are
 * one change, at the place of the last of them.
 */
export function toldChanges(events: readonly IndexedEvent[], facts: Facts): ToldChange[] {
  const lastOfRights = new Map(events.filter(isOfRights).map((event) => [placeOf(event), event.id]))
  return events.flatMap((event) => {
    if (event.name === DEACTIVATED) return ofDeactivated(event, facts)
    const registry = event.trust_registry_id === null ? undefined : facts.registry(event.trust_registry_id, event.block)
    if (registry === undefined) return []
    if (isOfRights(event)) return lastOfRights.get(placeOf(event)) === event.id ? ofRights(event, registry, facts) : []
    return ofRegistry(event, registry)
  })
}

const placeOf = ({ trust_registry_id: id, subject, block }: IndexedEvent): string => `${id} ${subject} ${block}`

function ofRights(event: IndexedEvent, registry: RegistryFacts, facts: Facts): ToldChange[] {
  const { subject: did } = event
  const rights = did === null ? undefined : facts.rights(registry.id, did, event.block)
  if (did === null || rights === undefined) return []
  const { issuerSchemas, verifierSchemas, wasListed } = rights
  const isListed = issuerSchemas.length + verifierSchemas.length > 0
  // It came and left within the block.
  if (!wasListed && !isListed) return []
  const told = wasListed ? (isListed ? 'participant_update' : 'participant_delete') : 'participant_create'
  return [ofParticipant(told, event, registry, did, { issuerSchemas, verifierSchemas })]
}

function ofParticipant(
  event: LedgerTold,
  of: IndexedEvent,
  { id, convener }: Pick<RegistryFacts, 'id' | 'convener'>,
  did: string,
  more: Record<string, unknown> = {},
): ToldChange {
  return {
    event,
    concerns: [convener, did],
    resource: `participant ${id} ${did}`,
    data: { registryId: id, did, ...more, ...at(of) },
  }
}

function ofRegistry(event: IndexedEvent, registry: RegistryFacts): ToldChange[] {
  const { id, convener, name } = registry
  const { subject, schema_id: schemaId } = event
  const [ofIt, ofSchema] = [OF_REGISTRIES[event.name], OF_SCHEMAS[event.name]]
  if (ofIt) {
    const data = { id, convener, name, ...(TRANSFERS[ofIt]?.(event) ?? {}), ...at(event) }
    const others = [text(event.before?.convener), ofIt === 'trust_registry_transfer_propose' ? subject : null]
    return [{ event: ofIt, concerns: [convener, ...others.filter((did) => did !== null)], resource: id, data }]
  }
  if (ofSchema) {
    const isPublic = ofSchema === 'trust_registry_schema_update' ? { isPublic: event.after?.public === true } : {}
    const data = { registryId: id, schemaId, ...isPublic, ...at(event) }
    return [{ event: ofSchema, concerns: [convener], resource: `schema ${id} ${schemaId}`, data }]
  }
  if (subject === null) return []
  const ofStanding = OF_STANDING[event.name]
  if (ofStanding) return [ofParticipant(ofStanding, event, registry, subject)]
  const ofDelegation = OF_DELEGATIONS[event.name]
  const issuer = text(event.after?.issuer ?? event.before?.issuer)
  if (!ofDelegation || issuer === null) return []
  const data = { registryId: id, issuer, delegate: subject, ...at(event) }
  const resource = `delegation ${id} ${issuer} ${subject}`
  return [{ event: ofDelegation, concerns: [convener, issuer, subject], resource, data }]
}

/** The members that transfers have beside those of every event of a registry. */
const TRANSFERS: Partial<Record<LedgerTold, (event: IndexedEvent) => object>> = {
  trust_registry_transfer_propose: ({ subject }) => ({ proposedConvener: subject }),
  trust_registry_transfer: ({ before }) => ({ formerConvener: text(before?.convener) }),
}

function ofDeactivated(event: IndexedEvent, facts: Facts): ToldChange[] {
  const { subject: did, block } = event
  if (did === null) return []
  return facts.listing(did, block).flatMap((id) => {
    const registry = facts.registry(id, block)
    return registry ? [ofParticipant('participant_deactivate', event, registry, did)] : []
  })
}
