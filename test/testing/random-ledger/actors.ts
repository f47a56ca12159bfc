import { type ChainEvent, type Did, didSvc, type EventData, type Hex32, isEvent, parseAnyDid } from '@accredit/chain'
import type { Actor, Place } from './actor.js'
import type { SeededRandom } from './seeded-random.js'

/** The state of a trust registry that the choice of an action needs. */
export interface KnownRegistry {
  readonly id: Hex32
  convener: Did
  offeredTo: Did | undefined
  version: number
  isRemoved: boolean
  readonly schemas: Map<Hex32, { issuers: Set<Did>; verifiers: Set<Did>; isOpen: boolean }>
  readonly suspended: Set<Did>
  readonly delegates: Map<Did, Set<Did>>
}

export interface KnownList {
  readonly id: Hex32
  readonly policy: readonly Did[]
  readonly isAccumulator: boolean
  version: number
  isRemoved: boolean
  readonly revoked: Set<number>
}

/** Counts of the schemas and of the never created DIDs that actions name. */
const SCHEMAS = 12
const STRANGERS = 6
/** DIDs of other methods, which the ledger knows as texts. */
const FOREIGN = ['did:web:registry.example.org', 'did:web:registry.example.org%3A8443:a', `did:jwk:${'e'.repeat(200)}`]

type Hearing = { [Name in keyof EventData]?: (event: EventData[Name]) => void }

/**
 * All actors, and the state of the ledger as its events tell it. It only helps to choose actions: no expectation rests
 * on it.
 */
export class Actors {
  private constructor(
    readonly random: SeededRandom,
    readonly place: Place,
    readonly schemas: readonly Hex32[],
    /** These DIDs are named and never act. */
    readonly strangers: readonly Did[],
    readonly byDid = new Map<Did, Actor>(),
    readonly registries = new Map<Hex32, KnownRegistry>(),
    readonly lists = new Map<Hex32, KnownList>(),
  ) {}

  static of(random: SeededRandom, place: Place): Actors {
    const schemas = Array.from({ length: SCHEMAS }, () => random.hex32())
    const uncreated = Array.from({ length: STRANGERS }, () => didSvc(random.hex32()))
    const strangers = [...uncreated, ...FOREIGN.flatMap((text) => parseAnyDid(text) ?? [])]
    return new Actors(random, place, schemas, strangers)
  }

  /** Copies it for a ledger that forks here. */
  copy(random: SeededRandom): Actors {
    const { place, schemas, strangers, registries, lists } = this
    const byDid = new Map([...this.byDid].map(([did, actor]) => [did, actor.copy()]))
    return new Actors(random, place, schemas, strangers, byDid, structuredClone(registries), structuredClone(lists))
  }

  join(actor: Actor): void {
    this.byDid.set(actor.did, actor)
  }

  /** Chooses an actor whose DID is active; undefined while there is none. */
  anyone(): Actor | undefined {
    return this.random.of([...this.byDid.values()].filter(({ known }) => !known.isDeactivated))
  }

  anyRegistry(): KnownRegistry | undefined {
    return this.random.of([...this.registries.values()].filter(({ isRemoved }) => !isRemoved))
  }

  anyList(): KnownList | undefined {
    return this.random.of([...this.lists.values()].filter(({ isRemoved }) => !isRemoved))
  }

  /** Chooses a few DIDs, some of which were never created. */
  someDids(most: number): Did[] {
    return this.random.some([...this.byDid.keys(), ...this.strangers], most)
  }

  /** Lists the issuers, verifiers and delegates of a registry. */
  participantsOf({ schemas, delegates }: KnownRegistry): Did[] {
    const places = [...schemas.values()].flatMap(({ issuers, verifiers }) => [...issuers, ...verifiers])
    return [...new Set([...places, ...[...delegates.values()].flatMap((named) => [...named])])]
  }

  /** Answers with the convener of a registry, and at times with another actor. */
  convenerOf({ convener }: KnownRegistry): Actor | undefined {
    return this.random.chance(0.05) ? this.anyone() : this.byDid.get(convener)
  }

  hear(events: readonly ChainEvent[]): void {
    for (const event of events) {
      const name = `${event.pallet}.${event.name}`
      if (isHeard(name, this.hearing)) this.tell(name, event)
    }
  }

  private tell<Name extends keyof EventData>(name: Name, event: ChainEvent): void {
    if (isEvent(event, name)) this.hearing[name]?.(event.data)
  }

  private did(id: Hex32): Actor['known'] | undefined {
    return this.byDid.get(didSvc(id))?.known
  }

  private readonly hearing: Hearing = {
    'Did.Dispatched': ({ did, nonce }) => assign(this.byDid.get(did)?.known, { nonce }),
    'Did.KeyAdded': ({ did, keyId }) => assign(this.did(did), { nextKey: keyId + 1 }),
    'Did.ControllerAdded': ({ did, controller }) => void this.did(did)?.controllers.add(controller),
    'Did.ControllerRemoved': ({ did, controller }) => void this.did(did)?.controllers.delete(controller),
    'Did.ServiceSet': ({ did, id }) => void this.did(did)?.services.add(id),
    'Did.ServiceRemoved': ({ did, id }) => void this.did(did)?.services.delete(id),
    'Did.Deactivated': ({ did }) => assign(this.did(did), { isDeactivated: true }),
    'TrustRegistry.TrustRegistryInitialized': ({ registryId: id, convener }) => {
      const nothing = { schemas: new Map(), suspended: new Set<Did>(), delegates: new Map() }
      this.registries.set(id, { id, convener, offeredTo: undefined, version: 0, isRemoved: false, ...nothing })
    },
    'TrustRegistry.TrustRegistryRemoved': ({ registryId }) =>
      assign(this.registries.get(registryId), { isRemoved: true }),
    'TrustRegistry.TransferProposed': ({ registryId, new: offeredTo }) =>
      assign(this.registries.get(registryId), { offeredTo }),
    'TrustRegistry.Transferred': ({ registryId, new: convener }) =>
      assign(this.registries.get(registryId), { convener, offeredTo: undefined }),
    'TrustRegistry.SchemasMetadataSet': ({ registryId, version }) =>
      assign(this.registries.get(registryId), { version }),
    'TrustRegistry.SchemaAdded': ({ registryId, schemaId }) =>
      void this.registries
        .get(registryId)
        ?.schemas.set(schemaId, { issuers: new Set(), verifiers: new Set(), isOpen: false }),
    'TrustRegistry.SchemaPublicSet': ({ registryId, schemaId, public: isOpen }) =>
      assign(this.registries.get(registryId)?.schemas.get(schemaId), { isOpen }),
    'TrustRegistry.SchemaRemoved': ({ registryId, schemaId }) =>
      void this.registries.get(registryId)?.schemas.delete(schemaId),
    'TrustRegistry.IssuerChanged': ({ registryId, schemaId, issuer, new: prices }) => {
      const issuers = this.registries.get(registryId)?.schemas.get(schemaId)?.issuers
      if (prices === null) issuers?.delete(issuer)
      else issuers?.add(issuer)
    },
    'TrustRegistry.VerifierChanged': ({ registryId, schemaId, verifier, new: isListed }) => {
      const verifiers = this.registries.get(registryId)?.schemas.get(schemaId)?.verifiers
      if (isListed) verifiers?.add(verifier)
      else verifiers?.delete(verifier)
    },
    'TrustRegistry.IssuerSuspended': ({ registryId, issuer }) =>
      void this.registries.get(registryId)?.suspended.add(issuer),
    'TrustRegistry.VerifierSuspended': ({ registryId, verifier }) =>
      void this.registries.get(registryId)?.suspended.add(verifier),
    'TrustRegistry.IssuerUnsuspended': ({ registryId, issuer }) =>
      void this.registries.get(registryId)?.suspended.delete(issuer),
    'TrustRegistry.VerifierUnsuspended': ({ registryId, verifier }) =>
      void this.registries.get(registryId)?.suspended.delete(verifier),
    'TrustRegistry.DelegateAdded': ({ registryId, issuer, delegate }) => {
      const delegates = this.registries.get(registryId)?.delegates
      delegates?.set(issuer, (delegates.get(issuer) ?? new Set()).add(delegate))
    },
    'TrustRegistry.DelegateRemoved': ({ registryId, issuer, delegate }) =>
      void this.registries.get(registryId)?.delegates.get(issuer)?.delete(delegate),
    'Revocation.RegistryCreated': ({ registryId: id, policy, kind }) => {
      const isAccumulator = 'Accumulator' in kind
      this.lists.set(id, { id, policy, isAccumulator, version: 0, isRemoved: false, revoked: new Set() })
    },
    'Revocation.StatusChanged': ({ registryId, revoked, unrevoked, version }) =>
      revoke(this.lists.get(registryId), { revoked, unrevoked, version }),
    'Revocation.AccumulatorUpdated': ({ registryId, removals, additions, version }) =>
      revoke(this.lists.get(registryId), { revoked: removals, unrevoked: additions, version }),
    'Revocation.RegistryRemoved': ({ registryId }) => assign(this.lists.get(registryId), { isRemoved: true }),
  }
}

function assign<Known extends object>(known: Known | undefined, change: Partial<Known>): void {
  if (known) Object.assign(known, change)
}

interface Revoked {
  readonly revoked: readonly number[]
  readonly unrevoked: readonly number[]
  readonly version: number
}

function revoke(list: KnownList | undefined, { revoked, unrevoked, version }: Revoked): void {
  for (const index of revoked) list?.revoked.add(index)
  for (const index of unrevoked) list?.revoked.delete(index)
  assign(list, { version })
}

function isHeard(name: string, hearing: Hearing): name is keyof EventData {
  return name in hearing
}
