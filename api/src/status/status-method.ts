import type { Did, EncodedCall, Hex, RegistryKind } from '@accredit/chain'
import type { Finding } from '../formats/check.js'
import type { Dates, Proof } from '../formats/credential-format.js'
import type { Json, JsonObject } from '../formats/json.js'
import type { At } from '../ledger/read/at.js'
import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { AnyContext, Context, Environment } from '../platform/http/context.js'
import type { DrawnIndex } from './entries.store.js'
import type { RegistryRow } from './registry.store.js'
import type { ListTerms, Purpose } from './registry.tables.js'

/**
 * A way to revoke: how a credential gets its place in a registry, what it says of it, how revoking changes the ledger,
 * and how anybody finds out.
 */
export interface StatusMethod {
  /** The type of its registries, as requests and answers name it. */
  readonly registryType: string
  readonly isDeprecated: boolean
  /** The kind of its registries on the ledger. */
  readonly ledgerKind: RevocationRegistryState['kind']
  /** Tells whether a status entry is of this method. */
  reads(entry: JsonObject): boolean
  /** The context that defines the members of its entries; undefined where every credential's own does. */
  readonly context: string | undefined
  /** The number of credentials that a new registry holds. */
  readonly length: number
  /** The purposes that its entries can have; a registry with another one gives no place to them. */
  readonly purposes: readonly Purpose[]

  /** Makes the ledger's kind of a new registry, before the transaction that stores it. */
  create(door: MakingDoor, registry: NewRegistry): Promise<RegistryKind>
  /**
   * Takes places for credentials, in the transaction that stores them. Issuing draws the indexes: places tell nothing of
   * the order of credentials.
   * @returns for each whether it was free
   */
  allocate(tx: Tx, drawn: readonly DrawnIndex[]): Promise<boolean[]>
  /** Returns the status entry of a credential that has this place. */
  entry(door: MakingDoor, registry: EntryRegistry, index: number): Promise<JsonObject>
  /** The way in which revoking and unrevoking reach the ledger. */
  readonly change: ChangeByCalls | ChangeByUpdates
  /** Returns why nobody here could ever look at an entry, by its own members; undefined: somebody may. */
  wrongIn(entry: JsonObject): string | undefined
  /** Returns the place of this ledger that an entry is looked up at, no matter who wrote it. */
  placeOf(config: Environment['config'], entry: JsonObject): Place | undefined
  /** Returns every address of this service and every registry of this ledger that an entry names, in any member. */
  claimedPlaces(config: Environment['config'], entry: JsonObject): ClaimedPlace[]
  /** Checks that a credential with this entry is valid at a point: revoked and unavailable are failures with reason. */
  check(door: CheckingDoor, entry: JsonObject, asked: Asked): Promise<Finding>
  /** Returns the answer of the public route of a registry; undefined: its registries serve nothing. */
  readonly publish?: (door: PublishingDoor, registry: RevocationRegistryState, at: At) => Promise<Published | undefined>
  /** Returns the proof that one credential is a member at a point; undefined: the method has no witnesses. */
  readonly witness?: (
    door: MakingDoor,
    registry: RevocationRegistryState,
    index: number,
    asked: WitnessQuestion,
  ) => Promise<Witness | Refusal>
  /**
   * Returns the key (0x) with which a derived proof of membership is checked, of the registry that an entry names;
   * undefined: the ledger has no such registry at that point.
   */
  readonly publicKey?: (door: Pick<Environment, 'index'>, entry: JsonObject, at: At) => Promise<string | undefined>
}

/** Calls that state a change only: any number of them may be pending at once. */
export interface ChangeByCalls {
  readonly by: 'calls'
  /** Returns the calls in their order. */
  callsFor(registry: RegistryRow, change: StatusChange): EncodedCall[]
}

/**
 * A new value of the registry, made of the present one: one is pending at a time, and the next one carries all changes
 * asked for meanwhile.
 */
export interface ChangeByUpdates {
  readonly by: 'updates'
  /** The most indexes in one. */
  readonly most: number
  /**
   * Returns the update; undefined where nothing is left to change. The ledger refuses it when somebody else was faster.
   * @param after an update that the ledger does not have yet, and that comes before it
   */
  update(
    door: MakingDoor,
    registry: RegistryRow,
    change: StatusChange,
    after?: Update,
  ): Promise<Update | Refusal | undefined>
}

export interface Update {
  readonly call: EncodedCall
  /** The value that it leaves. */
  readonly accumulated: Hex
  /** The version of that value. */
  readonly version: number
  /** Tells of each index that updates since the ledger's value changed whether it is revoked. */
  readonly changed: ReadonlyMap<number, boolean>
}

export interface WitnessQuestion {
  readonly at: At
  /** The version of the registry that the witness is for; undefined: that of the point. */
  readonly version: number | undefined
}

export interface Witness {
  /** 0x */
  readonly value: string
  /** The value of the registry, 0x, whose member it proves. */
  readonly accumulated: string
  readonly version: number
  /** The block that made this version. */
  readonly block: number
}

export interface Refusal {
  readonly refused: string
}

/** A registry as far as an entry tells of it. */
export type EntryRegistry = Pick<RegistryRow, 'id'> & ListTerms

export interface NewRegistry {
  readonly id: string
  readonly length: number
}

export interface Place {
  registryId: string
  index: number
}

export interface ClaimedPlace {
  /** The address as the entry names it. */
  uri: string
  /** undefined: there is nothing of ours at that address. */
  registryId: string | undefined
}

export interface StatusChange {
  readonly revoke: readonly number[]
  readonly unrevoke: readonly number[]
}

/** The services for making places and changes: the signer, where a secret of the registry is needed. */
export type MakingDoor = Pick<Environment, 'config' | 'index' | 'signer' | 'clock'>

/** The most status entries of one credential. */
export const MOST_STATUSES = 4

/** A credential whose status is asked for. */
export interface Asked {
  readonly id: Json | undefined
  readonly issuer: Did | undefined
  /** The keepers whose lists count: the issuer, and the controllers of its DID. */
  readonly keepers: ReadonlySet<string>
  readonly at: At
  /** The greatest age of a status from its keeper; an older one counts as none. */
  readonly maxAgeMs: number
  /** Whether a holder derived it: an entry may then tell the value that a proof of membership is about, and no place. */
  readonly isDerived: boolean
}

export interface CheckingDoor extends Pick<Environment, 'index' | 'db' | 'config' | 'clock' | 'guardedFetch'> {
  /** The team that asks: lists elsewhere are fetched in fair shares. */
  readonly team: Context['team']
  /**
   * Why a signed document that stands elsewhere cannot be trusted; undefined: it can.
   * @param signed its dates and proofs, where it is no credential
   */
  distrust(document: string | JsonObject, by: string, at: At, signed?: Signed): Promise<string | undefined>
}

/** The dates and proofs of a document. */
export interface Signed {
  readonly dates: Dates
  readonly proofs: readonly Proof[]
}

/** The signer of what a registry publishes. */
export interface Publisher {
  readonly did: string
  readonly keyRef: string
  readonly verificationMethod: string
}

export interface PublishingDoor
  extends Pick<AnyContext, 'db' | 'index' | 'signer' | 'clock' | 'config' | 'address' | 'canonicalHashes'> {
  publisherOf(reader: Reader, registry: RevocationRegistryState): Promise<Publisher | undefined>
  /** Tells whether a DID can still be used; nobody changes this until the transaction ends. */
  isUsable(tx: Tx, did: string): Promise<boolean>
}

export interface Published {
  /** The text that was signed: a JSON document, or a token. */
  readonly document: string
  readonly mediaType: string
  /** The block whose state it tells. */
  readonly changedAt: number
}
