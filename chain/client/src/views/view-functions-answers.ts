import type { Codec } from '@polkadot/types/types'
import { Bytes, bool, Option, Result, Struct } from '@polkadot/types-codec'
import { type Hex32, hexOf, parseHex32 } from '../bytes.js'
import { type Did, parseAnyDid } from '../did.js'
import { type ChainError, chainError, isDispatchError } from '../events.js'
import { type Plain, plain } from '../plain.js'
import type { ChainTypes } from '../types.js'
import { unwrapped } from './view-functions-metadata.js'

/** Part of an answer: `next` is the cursor with which the next part begins, null at the end. */
export interface Page<Item> {
  readonly list: Item[]
  readonly next: Hex32 | null
}

/** The reason for which a DID may, or may not, do what was asked. */
export type AuthorizationReason =
  | 'direct'
  | 'delegated'
  | 'public_schema'
  | 'suspended'
  | 'delegator_suspended'
  | 'deactivated'
  | 'not_listed'
  | 'unknown_registry'
  | 'unknown_schema'

export interface AuthorizationAnswer {
  readonly authorized: boolean
  readonly reason: AuthorizationReason
  /** The issuer that delegated: the lowest one, as the ledger orders DIDs, through whom it is allowed. */
  readonly via?: Did
}

/** The role in a registry of a DID that the filter names. */
export interface ParticipationAnswer {
  readonly did: Did
  readonly role: 'issuer' | 'verifier'
  /** Listed itself. */
  readonly direct: boolean
  /** Issuers that delegated to it, in the ledger's order. */
  readonly delegatedBy: Did[]
  readonly suspended: boolean
}

export interface RegistryInfoAnswer {
  readonly id: Hex32
  readonly convener: Did
  readonly name: string
  readonly govFramework: string
  readonly version: number
  /** The issuers in the order of the DIDs' text. */
  readonly matches: ParticipationAnswer[]
}

export interface IssuerAnswer {
  readonly did: Did
  /** True for an issuer that is listed itself; false for one with a right only through a delegation. */
  readonly direct: boolean
  /** Listed issuers of this schema that delegated to it, in the ledger's order. */
  readonly delegatedBy: Did[]
  readonly suspended: boolean
  /** Millionths of a unit by currency, as text; absent for delegates. */
  readonly prices?: Readonly<Record<string, string>>
}

export interface SchemaMetadataAnswer {
  readonly id: Hex32
  /** True if anyone may verify. */
  readonly public: boolean
  /** The verifiers in the order of the DIDs' text. */
  readonly issuers: IssuerAnswer[]
  readonly verifiers: { readonly did: Did; readonly suspended: boolean }[]
  /** The full number of issuers; the lists end at 1,000. */
  readonly issuerCount: number
  readonly verifierCount: number
}

/** The changes that an update would make, or the refusal that it would meet. */
export type PreviewAnswer =
  | { readonly refused: ChainError }
  | {
      readonly changes: readonly Plain[]
      readonly endedDelegations: readonly { readonly issuer: Did; readonly delegate: Did }[]
    }

const PARTICIPANTS_MAX = 1000

const REASONS: Readonly<Record<string, AuthorizationReason>> = {
  Direct: 'direct',
  Delegated: 'delegated',
  PublicSchema: 'public_schema',
  Suspended: 'suspended',
  DelegatorSuspended: 'delegator_suspended',
  Deactivated: 'deactivated',
  NotListed: 'not_listed',
  UnknownRegistry: 'unknown_registry',
  UnknownSchema: 'unknown_schema',
}
const YES: ReadonlySet<AuthorizationReason> = new Set(['direct', 'delegated', 'public_schema'])

export function authorizationAnswer(result: Codec): AuthorizationAnswer {
  const told = plain(unwrapped(result, 'authorized'))
  const name = typeof told === 'string' ? told : Object.keys(told ?? {})[0]
  const reason = REASONS[name ?? '']
  if (reason === undefined) throw new TypeError(`an unknown reason: ${name}`)
  const authorized = YES.has(reason)
  return { authorized, reason, ...(reason === 'delegated' && { via: did(fieldOf(fieldOf(told, 'Delegated'), 'via')) }) }
}

export function registryIdsAnswer(result: Codec): Page<Hex32> {
  return page(result, hex32)
}

export function registryInfosAnswer(result: Codec): Page<RegistryInfoAnswer> {
  return page(result, (item) => ({
    id: hex32(field(item, 'id')),
    convener: did(plain(field(item, 'convener'))),
    name: text(field(item, 'name')),
    govFramework: text(field(item, 'govFramework')),
    version: Number(plain(field(item, 'version'))),
    matches: items(field(item, 'matches')).map(participation).sort(byDidThenRole),
  }))
}

function participation(item: Codec): ParticipationAnswer {
  return {
    did: did(plain(field(item, 'did'))),
    role: plain(field(item, 'role')) === 'Issuer' ? 'issuer' : 'verifier',
    direct: flag(field(item, 'direct')),
    delegatedBy: dids(field(item, 'delegatedBy')),
    suspended: flag(field(item, 'suspended')),
  }
}

export function schemaMetadataAnswer(result: Codec): Page<SchemaMetadataAnswer> {
  return page(result, (item) => {
    const issuers = items(field(item, 'issuers')).map(issuer).sort(byDid)
    const verifiers = items(field(item, 'verifiers')).map(verifier).sort(byDid)
    return {
      id: hex32(field(item, 'id')),
      public: flag(field(item, 'public')),
      issuers: issuers.slice(0, PARTICIPANTS_MAX),
      verifiers: verifiers.slice(0, PARTICIPANTS_MAX),
      issuerCount: issuers.length,
      verifierCount: verifiers.length,
    }
  })
}

function issuer(item: Codec): IssuerAnswer {
  const prices = plain(field(item, 'prices'))
  return {
    did: did(plain(field(item, 'did'))),
    direct: prices !== null,
    delegatedBy: dids(field(item, 'delegatedBy')),
    suspended: flag(field(item, 'suspended')),
    ...(prices !== null && {
      prices: Object.fromEntries(Object.entries(prices).map(([currency, price]) => [currency, String(price)])),
    }),
  }
}

function verifier(item: Codec) {
  return { did: did(plain(field(item, 'did'))), suspended: flag(field(item, 'suspended')) }
}

export function previewAnswer(result: Codec, types: ChainTypes): PreviewAnswer {
  if (!(result instanceof Result)) throw new TypeError('a preview is a result')
  if (result.isErr) {
    if (!isDispatchError(result.asErr)) throw new TypeError('a refusal is a dispatch error')
    return { refused: chainError(result.asErr, types) }
  }
  const preview = result.asOk
  return {
    changes: items(field(preview, 'changes')).map(plain),
    endedDelegations: items(field(preview, 'endedDelegations')).map((item) => ({
      issuer: did(plain(field(item, 'issuer'))),
      delegate: did(plain(field(item, 'delegate'))),
    })),
  }
}

function page<Item>(result: Codec, item: (value: Codec) => Item): Page<Item> {
  const found = unwrapped(result, 'a page')
  const next = field(found, 'next')
  return {
    list: items(field(found, 'list')).map(item),
    next: next instanceof Option && next.isSome ? hex32(next.unwrap()) : null,
  }
}

function field(value: Codec, name: string): Codec {
  const found = value instanceof Struct ? value.get(name) : undefined
  if (found === undefined) throw new TypeError(`no field ${name}`)
  return found
}

function items(value: Codec): Codec[] {
  if (!Array.isArray(value)) throw new TypeError('no list')
  return [...value]
}

function fieldOf(value: Plain, name: string): Plain {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`no field ${name}`)
  return Object.entries(value).find(([key]) => key === name)?.[1] ?? null
}

function hex32(value: Codec): Hex32 {
  const parsed = parseHex32(hexOf(value.toU8a(true)))
  if (parsed === undefined) throw new TypeError('no 32 bytes')
  return parsed
}

function dids(value: Codec): Did[] {
  return items(value).map((item) => did(plain(item)))
}

function did(value: Plain): Did {
  const parsed = typeof value === 'string' ? parseAnyDid(value) : undefined
  if (parsed === undefined) throw new TypeError(`no DID: ${JSON.stringify(value)}`)
  return parsed
}

function flag(value: Codec): boolean {
  if (!(value instanceof bool)) throw new TypeError('no boolean')
  return value.isTrue
}

/** Returns bytes from the chain as text; bytes that no database could hold as text stay hexadecimal. */
function text(value: Codec): string {
  if (!(value instanceof Bytes)) throw new TypeError('no bytes')
  const bytes = value.toU8a(true)
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return decoded.includes('\0') ? hexOf(bytes) : decoded
  } catch {
    return hexOf(bytes)
  }
}

function byDid(left: { did: string }, right: { did: string }): number {
  return left.did < right.did ? -1 : Number(left.did > right.did)
}

function byDidThenRole(left: ParticipationAnswer, right: ParticipationAnswer): number {
  return byDid(left, right) || (left.role < right.role ? -1 : Number(left.role > right.role))
}
