import type { Finding } from '../../formats/check.js'
import type { Json, JsonObject } from '../../formats/json.js'
import type { ListTerms, Purpose } from '../registry.tables.js'
import type { Publisher, PublishingDoor, Signed } from '../status-method.js'
import type { ListPath } from './status-entry.js'

/**
 * A standard by which lists are published and entries name places in them. Every list of the ledger can be had in each
 * form.
 */
export interface ListForm {
  /** The type of its registries. */
  readonly type: string
  /** The end of the address at which a list stands in this form. */
  readonly path: ListPath
  readonly context: string | undefined
  readonly purposes: readonly Purpose[]
  reads(entry: JsonObject): boolean
  /** @param url the address of the list */
  entry(url: string, index: number, terms: ListTerms): JsonObject
  /** Returns the place in a list that an entry names, or why this service cannot check it. */
  readEntry(entry: JsonObject): ListEntry | WrongEntry
  /** The addresses that an entry names, as lists or inside ids. */
  addressesIn(entry: JsonObject): readonly (Json | undefined)[]

  readonly mediaType: string
  /** Writes and signs a list. @returns its text */
  sign(door: PublishingDoor, list: UnsignedList, by: Publisher): Promise<string>

  /** The media types under which others publish such lists. */
  readonly accept: string
  /** Reads a list that stands elsewhere, as far as it is the one that an entry names; a text says why it is not. */
  readList(bytes: Buffer, entry: ListEntry): ForeignList | string
}

/** The place of a credential's status. */
export interface ListEntry {
  /** The entry's own id. */
  id: Json | undefined
  /** The URL or the ledger's name of a status list. */
  list: string
  index: number
  /** undefined: it is that of its list. */
  purpose: string | undefined
  /** The bits of one status; 1 when left out. */
  size?: number
  /** The text of a value, where the entry has one. */
  messageOf?: (value: number) => string | undefined
}

export interface WrongEntry {
  /** `unavailable`: it may be good, and cannot be checked here. */
  wrong: 'malformed' | 'unavailable'
  detail: string
}

export interface UnsignedList {
  /** Its address, which is its name. */
  url: string
  /** The bit of index 0 is the highest one of byte 0. */
  bits: Buffer
  terms: ListTerms
  /** The time at which the bits became what they are. */
  since: Date
  /** The time at which they became others: a past list must not pass for the present one, whenever it is signed. */
  until: Date | undefined
  signedAt: Date
}

/** A list as it was fetched: nobody has looked at its signature yet. */
export interface ForeignList {
  issuer: string | undefined
  document: string | JsonObject
  /** Its dates and proofs, where it is no credential. */
  signed?: Signed
  ttlMs: number | undefined
  /** Unpacks it; a text says why that cannot be done. */
  unpack(): Promise<Statuses | string>
}

export interface Statuses {
  /** Returns the status at an index; undefined: it lies outside the list. */
  at(index: number): number | undefined
  /** Says what a status means. */
  find(status: number): Finding
}
