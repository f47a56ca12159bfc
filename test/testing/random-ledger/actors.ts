import { type ChainEvent, type Did, didSvc, type EventData, type Hex32, isEvent } from '@accredit/chain'
import type { Person, Place } from './actor.js'
import type { Dice } from './seeded-random.js'

/** A trust registry as far as those need to know it who act in it. */
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

/** So many schemas and DIDs that nobody created are talked about. */
const SCHEMAS = 12
const STRANGERS = 6

type Hearing = { [Name in keyof EventData]?: (event: EventData[Name]) => void }

/** Who is there and what they know of the ledger, from its events. Nothing that is tested rests on it: it only chooses. */
export class Society {
  private constructor(
    readonly dice: Dice,
    readonly place: Place,
    readonly schemas: readonly Hex32[],
    /** DIDs that can be named and never act. */
    readonly strangers: readonly Did[],
    readonly people = new Map<Did, Person>(),
    readonly registries = new Map<Hex32, KnownRegistry>(),
    readonly lists = new Map<Hex32, KnownList>(),
  ) {}

  static of(dice: Dice, place: Place): Society {
    const schemas = Array.from({ length: SCHEMAS }, () => dice.hex32())
    const strangers = Array.from({ length: STRANGERS }, () => didSvc(dice.hex32()))
    return new Society(dice, place, schemas, strangers)
  }

  /** The same one, whose ledger goes another way from here on. */
  copy(dice: Dice): Society {
    const { place, schemas, strangers, registries, lists } = this
    const people = new Map([...this.people].map(([did, person]) => [did, person.copy()]))
    return new Society(dice, place, schemas, strangers, people, structuredClone(registries), structuredClone(lists))
  }

  join(person: Person): void {
    this.people.set(person.did, person)
  }

  /** Somebody who can act; undefined while nobody can. */
  anyone(): Person | undefined {
    return this.dice.of([...this.people.values()].filter(({ known }) => !known.isDeactivated))
  }

  anyRegistry(): KnownRegistry | undefined {
    return this.dice.of([...this.registries.values()].filter(({ isRemoved }) => !isRemoved))
  }

  anyList(): KnownList | undefined {
    return this.dice.of([...this.lists.values()].filter(({ isRemoved }) => !isRemoved))
  }

  /** A few DIDs, some of whom are not of this ledger. */
  someDids(most: number): Did[] {
    return this.dice.some([...this.people.keys(), ...this.strangers], most)
  }

  /** Everybody who is in a registry now: issuers, verifiers, delegates. */
  participantsOf({ schemas, delegates }: KnownRegistry): Did[] {
    const places = [...schemas.values()].flatMap(({ issuers, verifiers }) => [...issuers, ...verifiers])
    return [...new Set([...places, ...[...delegates.values()].flatMap((named) => [...named])])]
  }

  /** The convener of a registry; at times somebody who is not. */
  convenerOf({ convener }: KnownRegistry): Person | undefined {
    return this.dice.chance(0.05) ? this.anyone() : this.people.get(convener)
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

  private did(id: Hex32): Person['known'] | undefined {
    return this.people.get(didSvc(id))?.known
  }

  private readonly hearing: Hearing = {
    'Did.Dispatched': ({ did, nonce }) => assign(this.people.get(did)?.known, { nonce }),
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
