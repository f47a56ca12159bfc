import { didSvc } from './did.js'
import { type ChainEvent, isEvent } from './events.js'
import type { EventData, Kind, PublicKey, Service } from './generated/events.js'
import type { Plain } from './plain.js'

interface Facts {
  readonly [name: string]: Plain
}

/** One change on the ledger, in the terms in which the index tells its history. */
export interface LedgerChange {
  /** `TrustRegistry.IssuerSuspended` */
  readonly event: string
  /** The DID that acts; `root` where none does. */
  readonly actor: string
  /** The number of its key that signs; a creation has none. */
  readonly keyId?: number
  readonly registryId?: string
  readonly schemaId?: string
  /** The DID that the change happens to. */
  readonly subject?: string
  readonly before?: Facts
  readonly after?: Facts
}

type Told = Omit<LedgerChange, 'event' | 'actor' | 'keyId'>

/**
 * Returns the changes of events, each with its actor. A DID's dispatch changes only its nonce, and gives the actor of
 * the others.
 */
export function ledgerChanges(events: readonly ChainEvent[]): readonly LedgerChange[] {
  const changes: LedgerChange[] = []
  let act: Pick<LedgerChange, 'actor' | 'keyId'> = { actor: 'root' }
  for (const event of events) {
    if (isEvent(event, 'Did.Dispatched')) act = { actor: event.data.did, keyId: event.data.keyId }
    if (isEvent(event, 'Did.Created')) act = { actor: didSvc(event.data.did) }
    const name = `${event.pallet}.${event.name}`
    const told = TELLERS.get(name)?.(event)
    if (told) changes.push({ event: name, ...act, ...told })
  }
  return changes
}

/** The names of the events that are told as changes. */
export const changeNames = (): readonly string[] => [...TELLERS.keys()]

type Teller = readonly [name: string, tell: (event: ChainEvent) => Told | undefined]

function on<Name extends keyof EventData>(name: Name, tell: (data: EventData[Name]) => Told): Teller {
  return [name, (event) => (isEvent(event, name) ? tell(event.data) : undefined)]
}

const flag = (name: string, before: boolean, after: boolean) => ({
  before: { [name]: before },
  after: { [name]: after },
})

const TELLERS = new Map<string, Teller[1]>([
  on('Did.Created', ({ did }) => ({ subject: didSvc(did) })),
  on('Did.KeyAdded', ({ did, keyId, key, relationships }) => ({
    subject: didSvc(did),
    after: { keyId, ...keyFacts(key), relationships },
  })),
  on('Did.KeyRetired', ({ did, keyId }) => ({ subject: didSvc(did), before: { keyId } })),
  on('Did.KeyRevoked', ({ did, keyId }) => ({ subject: didSvc(did), before: { keyId } })),
  on('Did.ControllerAdded', ({ did, controller }) => ({ subject: didSvc(did), after: { controller } })),
  on('Did.ControllerRemoved', ({ did, controller }) => ({ subject: didSvc(did), before: { controller } })),
  on('Did.ServiceSet', ({ did, id, old, new: set }) => ({
    subject: didSvc(did),
    ...(old && { before: serviceFacts(id, old) }),
    after: serviceFacts(id, set),
  })),
  on('Did.ServiceRemoved', ({ did, id, old }) => ({ subject: didSvc(did), before: serviceFacts(id, old) })),
  on('Did.Deactivated', ({ did }) => ({ subject: didSvc(did) })),
  on('TrustRegistry.TrustRegistryInitialized', ({ registryId, convener, name, govFramework }) => ({
    registryId,
    subject: convener,
    after: { convener, name, govFramework },
  })),
  on('TrustRegistry.TrustRegistryUpdated', (data) => ({
    registryId: data.registryId,
    before: { name: data.oldName, govFramework: data.oldGovFramework },
    after: { name: data.newName, govFramework: data.newGovFramework },
  })),
  on('TrustRegistry.SchemaAdded', ({ registryId, schemaId }) => ({ registryId, schemaId })),
  on('TrustRegistry.SchemaRemoved', ({ registryId, schemaId }) => ({ registryId, schemaId })),
  on('TrustRegistry.SchemaPublicSet', ({ registryId, schemaId, public: isPublic }) => ({
    registryId,
    schemaId,
    ...flag('public', !isPublic, isPublic),
  })),
  on('TrustRegistry.IssuerChanged', ({ registryId, schemaId, issuer, old, new: set }) => ({
    registryId,
    schemaId,
    subject: issuer,
    ...(old && { before: pricesFacts(old) }),
    ...(set && { after: pricesFacts(set) }),
  })),
  on('TrustRegistry.VerifierChanged', ({ registryId, schemaId, verifier, old, new: set }) => ({
    registryId,
    schemaId,
    subject: verifier,
    ...flag('listed', old, set),
  })),
  on('TrustRegistry.SchemasMetadataSet', ({ registryId, version }) => ({ registryId, after: { version } })),
  on('TrustRegistry.IssuerSuspended', ({ registryId, issuer }) => ({
    registryId,
    subject: issuer,
    ...flag('suspended', false, true),
  })),
  on('TrustRegistry.IssuerUnsuspended', ({ registryId, issuer }) => ({
    registryId,
    subject: issuer,
    ...flag('suspended', true, false),
  })),
  on('TrustRegistry.VerifierSuspended', ({ registryId, verifier }) => ({
    registryId,
    subject: verifier,
    ...flag('suspended', false, true),
  })),
  on('TrustRegistry.VerifierUnsuspended', ({ registryId, verifier }) => ({
    registryId,
    subject: verifier,
    ...flag('suspended', true, false),
  })),
  on('TrustRegistry.DelegateAdded', ({ registryId, issuer, delegate }) => ({
    registryId,
    subject: delegate,
    after: { issuer },
  })),
  on('TrustRegistry.DelegateRemoved', ({ registryId, issuer, delegate }) => ({
    registryId,
    subject: delegate,
    before: { issuer },
  })),
  on('TrustRegistry.TransferProposed', ({ registryId, old, new: pendingConvener }) => ({
    registryId,
    subject: pendingConvener,
    ...(old && { before: { pendingConvener: old } }),
    after: { pendingConvener },
  })),
  on('TrustRegistry.Transferred', ({ registryId, old, new: convener }) => ({
    registryId,
    subject: convener,
    before: { convener: old },
    after: { convener },
  })),
  on('TrustRegistry.TrustRegistryRemoved', ({ registryId }) => ({ registryId })),
  on('Revocation.RegistryCreated', ({ registryId, policy, addOnly, kind }) => ({
    registryId,
    after: { ...kindFacts(kind), addOnly, policy },
  })),
  on('Revocation.StatusChanged', ({ registryId, revoked, unrevoked, version }) => ({
    registryId,
    after: { revoked, unrevoked, version },
  })),
  on('Revocation.AccumulatorUpdated', ({ registryId, oldAccumulated, newAccumulated: accumulated, ...update }) => ({
    registryId,
    before: { accumulated: oldAccumulated },
    after: { accumulated, ...update },
  })),
  on('Revocation.RegistryRemoved', ({ registryId }) => ({ registryId })),
])

function keyFacts(key: PublicKey): Facts {
  const [[kind, publicKey] = []] = Object.entries(key)
  return { kind: kind ?? null, publicKey: publicKey ?? null }
}

const serviceFacts = (id: string, { serviceType, endpoints }: Service): Facts => ({ id, type: serviceType, endpoints })

/** Prices are u128: text, so that no reader loses digits. */
const pricesFacts = (prices: Readonly<Record<string, number | string>>): Facts => ({
  prices: Object.fromEntries(Object.entries(prices).map(([currency, price]) => [currency, String(price)])),
})

function kindFacts(kind: Kind): Facts {
  if ('StatusList' in kind)
    return { kind: 'StatusList', length: kind.StatusList.length, publicKey: null, accumulated: null }
  return { kind: 'Accumulator', length: null, ...kind.Accumulator }
}
