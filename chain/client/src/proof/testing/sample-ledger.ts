import { u8aConcat } from '@polkadot/util'
import { xxhashAsU8a } from '@polkadot/util-crypto'
import { hex32Of } from '../../bytes.js'
import type { ChainDid } from '../../did.js'
import { didOf } from '../../did.js'
import { type Hex, hexOf } from '../bytes.js'
import { stateEntry } from './runtime-types.js'

const id = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const text = (value: string): Hex => hexOf(new TextEncoder().encode(value))

export const REGISTRY = id(0x10)
export const REMOVED_REGISTRY = id(0x11)
export const SCHEMA = id(0x20)
export const PUBLIC_SCHEMA = id(0x21)
export const STATUS_LIST = id(0x30)
export const ACCUMULATOR = id(0x31)

const PARTIES = {
  university: { Svc: id(0x41) },
  delegate: { Svc: id(0x42) },
  suspendedIssuer: { Svc: id(0x43) },
  delegateOfSuspended: { Key: { Ed25519: id(0x44) } },
  deactivated: { Svc: id(0x45) },
  employer: { Other: text('did:web:employer.example') },
  stranger: { Svc: id(0x47) },
} as const satisfies Readonly<Record<string, ChainDid>>

/** Returns the DID of a party of the sample, as people write it. */
export const didNamed = (party: keyof typeof PARTIES): string => didOf(PARTIES[party])

/** The versions of the layouts of our pallets, as every state has them. */
export const sampleLayouts = (version = 1): [Hex, Hex][] =>
  ['Did', 'TrustRegistry', 'Revocation'].map((pallet) => layout(pallet, version))

const layout = (pallet: string, version: number): [Hex, Hex] => [
  hexOf(u8aConcat(xxhashAsU8a(pallet, 128), xxhashAsU8a(':__STORAGE_VERSION__:', 128))),
  hexOf(Uint8Array.of(version, 0)),
]

const standing = (party: ChainDid, value: Readonly<Record<string, unknown>>): [Hex, Hex] =>
  stateEntry('trustRegistry.standings', [REGISTRY, party], {
    issuerSchemas: 0,
    verifierSchemas: 0,
    suspended: false,
    delegates: [],
    ...value,
  })

/** A delegation to the sample's delegate by an issuer that is not listed, of the DIDs that are counted from 0. */
export const strangeDelegation = (number: number): [Hex, Hex] =>
  delegation(PARTIES.delegate, {
    Svc: hex32Of(new Uint8Array(32).map((_, at) => (at < 4 ? number >> (8 * at) : 0x99))),
  })

/** The reason for which a delegator does not count; `free`: none. */
export type Barred = 'free' | 'suspended' | 'deactivated'

/**
 * The entries of an issuer that is listed and delegates to the sample's delegate, and stands before the university in
 * the order of delegators.
 */
export function listedDelegation(number: number, barred: Barred): [Hex, Hex][] {
  const issuer = { Svc: hex32Of(Uint8Array.of(0, number >> 8, number & 255, ...new Uint8Array(29).fill(0x77))) }
  return [
    delegation(PARTIES.delegate, issuer),
    entry(SCHEMA, issuer, { issuer: new Map(), verifier: false }),
    stateEntry('did.dids', [issuer.Svc], barred === 'deactivated' ? 'Deactivated' : { Active: record }),
    standing(issuer, { issuerSchemas: 1, suspended: barred === 'suspended', delegates: [PARTIES.delegate] }),
  ]
}

/** The entry of a DID that has nothing to do with the sample. */
export const otherDid = (number: number): [Hex, Hex] =>
  stateEntry(
    'did.dids',
    [hex32Of(Uint8Array.of(1, number >> 16, (number >> 8) & 255, number & 255, ...new Uint8Array(28)))],
    {
      Active: record,
    },
  )

const delegation = (delegate: ChainDid, issuer: ChainDid): [Hex, Hex] =>
  stateEntry('trustRegistry.delegations', [delegate, REGISTRY, issuer], null)

const entry = (schema: Hex, party: ChainDid, value: unknown): [Hex, Hex] =>
  stateEntry('trustRegistry.entries', [REGISTRY, schema, party], value)

const record = { lastKey: 4, keys: 2, controlKeys: 1, controllers: 0, services: 0 }

/** A name that would end the line of an answer and begin another one, with what follows it turned around. */
export const HOSTILE_NAME = 'Universities\u202e\u2028Trusted: nobody.\u2066'

function registries(version: number, name: string): [Hex, Hex][] {
  const { university, delegate, suspendedIssuer, delegateOfSuspended, employer } = PARTIES
  const counts = { schemas: 2, entries: 3, issuers: 2, verifiers: 1 }
  const registry = {
    convener: university,
    name: text(name),
    govFramework: text('https://example.org/g'),
    version,
    ...counts,
  }
  const schema = { public: false, entries: 3, issuers: 2, verifiers: 1, priced: 1 }
  return [
    stateEntry('trustRegistry.registries', [REGISTRY], { Active: registry }),
    stateEntry('trustRegistry.registries', [REMOVED_REGISTRY], 'Removed'),
    stateEntry('trustRegistry.schemas', [REGISTRY, SCHEMA], schema),
    stateEntry('trustRegistry.schemas', [REGISTRY, PUBLIC_SCHEMA], { ...schema, public: true }),
    entry(SCHEMA, university, { issuer: new Map([[text('EUR'), 2_500_000]]), verifier: false }),
    entry(SCHEMA, suspendedIssuer, { issuer: new Map(), verifier: false }),
    entry(SCHEMA, employer, { issuer: null, verifier: true }),
    standing(university, { issuerSchemas: 1, delegates: [delegate] }),
    standing(suspendedIssuer, { issuerSchemas: 1, suspended: true, delegates: [delegate, delegateOfSuspended] }),
    delegation(delegate, university),
    delegation(delegate, suspendedIssuer),
    delegation(delegateOfSuspended, suspendedIssuer),
  ]
}

/** The Ed25519 key `#keys-1` of the university. */
export const UNIVERSITY_KEY = `0x${'7a'.repeat(32)}` as const

function dids(): [Hex, Hex][] {
  const { university, delegate, suspendedIssuer, deactivated } = PARTIES
  return [
    ...[university, delegate, suspendedIssuer].map(({ Svc }) => stateEntry('did.dids', [Svc], { Active: record })),
    stateEntry('did.dids', [deactivated.Svc], 'Deactivated'),
    stateEntry('did.keys', [university.Svc, 1], { key: { Ed25519: UNIVERSITY_KEY }, relationships: 7 }),
    stateEntry('did.revokedKeys', [university.Svc], [3]),
  ]
}

function revocation(): [Hex, Hex][] {
  const registry = (kind: unknown) => ({ Active: { policy: [PARTIES.university], addOnly: false, kind, version: 1 } })
  const revoked = Uint8Array.from({ length: 256 }, (_, at) => (at === 0 ? 0b0000_0100 : 0))
  return [
    stateEntry('revocation.registries', [STATUS_LIST], registry({ StatusList: { length: 131_072 } })),
    stateEntry(
      'revocation.registries',
      [ACCUMULATOR],
      registry({ Accumulator: { publicKey: '0x01', accumulated: '0x02' } }),
    ),
    stateEntry('revocation.chunks', [STATUS_LIST, 1], hexOf(revoked)),
    stateEntry('revocation.chunks', [ACCUMULATOR, 1], hexOf(revoked)),
  ]
}

/** A state of the ledger in which each answer of each question has its example. */
export function sampleLedger({
  layoutVersion = 1,
  registryVersion = 7,
  registryName = 'Universities',
} = {}): Map<Hex, Hex> {
  return new Map([
    ...sampleLayouts(layoutVersion),
    ...registries(registryVersion, registryName),
    ...dids(),
    ...revocation(),
  ])
}
