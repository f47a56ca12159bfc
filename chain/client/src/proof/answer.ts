import { bytesOf } from './bytes.js'
import { compareDids, type LedgerDid, parseDid } from './did.js'
import {
  CHUNK_BITS,
  type DidCounts,
  type PublishedKey,
  type RevocationRegistry,
  readDelegator,
  readDidState,
  readEntry,
  readIsPublic,
  readIsSuspended,
  readKey,
  readKeyNumbers,
  readRevocationRegistry,
  readStatusBit,
  readTrustRegistry,
  type TrustRegistry,
} from './ledger-values.js'
import type { Question } from './question.js'
import { ProofRefusal } from './refusal.js'
import { LAYOUTS, layoutKey, type Pallet, storageKeys } from './storage-keys.js'

/** The state of the ledger after a block, as far as it is known. */
export interface LedgerState {
  /** Returns the value of a key; undefined where the state has none. */
  value(key: Uint8Array): Uint8Array | undefined
  /** Returns all keys that begin with these bytes. */
  keysUnder(prefix: Uint8Array): readonly Uint8Array[]
}

/** The reasons of the ledger's own `authorized`, which this is. */
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

/** The answer to a question, of the same kind. */
export type Answer =
  | {
      readonly kind: 'authorization'
      readonly authorized: boolean
      readonly reason: AuthorizationReason
      /** The issuer that delegated: the lowest one through which it is allowed. */
      readonly via?: string
      /** Of a listed issuer: its prices by currency, in millionths of a unit. */
      readonly prices?: Readonly<Record<string, string>>
    }
  | ({ readonly kind: 'registry'; readonly state: 'active' } & TrustRegistry)
  | { readonly kind: 'registry'; readonly state: 'removed' | 'unknown' }
  | ({ readonly kind: 'did'; readonly state: 'active' } & DidCounts)
  | { readonly kind: 'did'; readonly state: 'deactivated' | 'unknown' }
  | ({ readonly kind: 'key'; readonly state: 'in_use' } & PublishedKey)
  /**
   * `retired`: what it signed before stays good, unless a later block revokes it; `revoked`: nothing does; `unknown`: no
   * key has this number.
   */
  | {
      readonly kind: 'key'
      readonly state: 'retired' | 'revoked' | 'unknown' | 'did_deactivated' | 'did_unknown'
    }
  | ({ readonly kind: 'status'; readonly state: 'active'; readonly revoked: boolean } & RevocationRegistry)
  | { readonly kind: 'status'; readonly state: 'removed' | 'unknown' | 'index_out_of_range' }

/** The pallets of which a question of each kind reads. */
export const PALLETS: Readonly<Record<Question['kind'], readonly Pallet[]>> = {
  authorization: ['TrustRegistry', 'Did'],
  registry: ['TrustRegistry'],
  did: ['Did'],
  key: ['Did'],
  status: ['Revocation'],
}

/** Answers a question from the state of the ledger. Refuses where the layout is another one than this verifier knows. */
export function answerOf(question: Question, state: LedgerState): Answer {
  checkLayouts(state, PALLETS[question.kind])
  switch (question.kind) {
    case 'authorization':
      return authorizationOf(question, state)
    case 'registry': {
      const value = state.value(storageKeys.registry(bytesOf(question.registryId)))
      const registry = value ? readTrustRegistry(value) : 'unknown'
      return typeof registry === 'string'
        ? { kind: 'registry', state: registry }
        : { kind: 'registry', state: 'active', ...registry }
    }
    case 'did': {
      const did = didStateOf(didIn(question), state)
      return typeof did === 'string' ? { kind: 'did', state: did } : { kind: 'did', state: 'active', ...did }
    }
    case 'key':
      return keyOf(question, state)
    case 'status':
      return statusOf(question, state)
  }
}

function checkLayouts(state: LedgerState, pallets: readonly Pallet[]): void {
  for (const pallet of pallets) {
    const [low, high] = state.value(layoutKey(pallet)) ?? []
    if (low !== LAYOUTS[pallet] || high !== 0)
      throw new ProofRefusal(
        'unknown_layout',
        `The ledger keeps ${pallet} in another layout than this verifier knows (${LAYOUTS[pallet]}).`,
      )
  }
}

/** Returns the DID that a question names; it was read before. */
export function didIn({ did }: { readonly did: string }): LedgerDid {
  const parsed = parseDid(did)
  if (!parsed) throw new ProofRefusal('malformed', `${did} is not a DID.`)
  return parsed
}

type AuthorizationQuestion = Extract<Question, { kind: 'authorization' }>
type AuthorizationAnswer = Extract<Answer, { kind: 'authorization' }>

const YES: ReadonlySet<AuthorizationReason> = new Set(['direct', 'delegated', 'public_schema'])
const because = (
  reason: AuthorizationReason,
  more: Pick<AuthorizationAnswer, 'via' | 'prices'> = {},
): AuthorizationAnswer => ({ kind: 'authorization', authorized: YES.has(reason), reason, ...more })

/** Decides as `authorized` of the pallet does, check by check. */
function authorizationOf(question: AuthorizationQuestion, state: LedgerState): AuthorizationAnswer {
  const did = didIn(question)
  const keys = keysIn(question)
  const registry = state.value(keys.registry)
  if (!registry || readTrustRegistry(registry) === 'removed') return because('unknown_registry')
  const schema = state.value(keys.schema)
  if (!schema) return because('unknown_schema')
  const barred = barredBy(did, keys, state)
  if (barred) return because(barred)
  const value = state.value(keys.entryOf(did.encoded))
  const entry = value && readEntry(value)
  if (question.role === 'verifier') {
    if (entry?.isVerifier) return because('direct')
    return because(readIsPublic(schema) ? 'public_schema' : 'not_listed')
  }
  return entry?.prices ? because('direct', { prices: entry.prices }) : delegatedTo(keys, state)
}

/** The storage keys by which the right of a DID in a schema of a registry is decided. */
export interface AuthorizationKeys {
  readonly registry: Uint8Array
  readonly schema: Uint8Array
  readonly delegations: Uint8Array
  readonly entryOf: (did: Uint8Array) => Uint8Array
  readonly standingOf: (did: Uint8Array) => Uint8Array
}

export function keysIn(question: AuthorizationQuestion): AuthorizationKeys {
  const [registryId, schemaId] = [bytesOf(question.registryId), bytesOf(question.schemaId)]
  return {
    registry: storageKeys.registry(registryId),
    schema: storageKeys.schema(registryId, schemaId),
    delegations: storageKeys.delegations(didIn(question).encoded, registryId),
    entryOf: storageKeys.entry(registryId, schemaId),
    standingOf: storageKeys.standing(registryId),
  }
}

function delegatedTo(keys: AuthorizationKeys, state: LedgerState): AuthorizationAnswer {
  const listed = listedDelegators(keys, state)
  const via = listed.find((issuer) => barredBy(issuer, keys, state) === undefined)
  if (via) return because('delegated', { via: via.text })
  return because(listed.length > 0 ? 'delegator_suspended' : 'not_listed')
}

/** Returns the listed issuers that delegate to the DID, the lowest first, barred ones among them. */
export function listedDelegators({ delegations, entryOf }: AuthorizationKeys, state: LedgerState): LedgerDid[] {
  const issuers = state.keysUnder(delegations).map((key) => readDelegator(key.subarray(delegations.length)))
  return issuers.sort(compareDids).filter((issuer) => {
    const value = state.value(entryOf(issuer.encoded))
    return value !== undefined && readEntry(value).prices !== undefined
  })
}

/** Returns the reason that bars a DID from everything in a registry, on every path. */
export function barredBy(
  did: LedgerDid,
  { standingOf }: AuthorizationKeys,
  state: LedgerState,
): 'deactivated' | 'suspended' | undefined {
  if (did.id && didStateOf(did, state) === 'deactivated') return 'deactivated'
  const standing = state.value(standingOf(did.encoded))
  return standing && readIsSuspended(standing) ? 'suspended' : undefined
}

function didStateOf({ id }: LedgerDid, state: LedgerState): DidCounts | 'deactivated' | 'unknown' {
  const value = id && state.value(storageKeys.did(id))
  return value ? readDidState(value) : 'unknown'
}

function keyOf(question: Extract<Question, { kind: 'key' }>, state: LedgerState): Answer {
  const kind = 'key'
  const did = didIn(question)
  const { id } = did
  const counts = didStateOf(did, state)
  if (id === undefined || counts === 'unknown') return { kind, state: 'did_unknown' }
  if (counts === 'deactivated') return { kind, state: 'did_deactivated' }
  const value = state.value(storageKeys.key(id, question.keyNumber))
  if (value) return { kind, state: 'in_use', ...readKey(value) }
  if (question.keyNumber === 0 || question.keyNumber > counts.lastKeyNumber) return { kind, state: 'unknown' }
  const revoked = state.value(storageKeys.revokedKeys(id))
  return { kind, state: revoked && readKeyNumbers(revoked).includes(question.keyNumber) ? 'revoked' : 'retired' }
}

function statusOf({ registryId, index }: Extract<Question, { kind: 'status' }>, state: LedgerState): Answer {
  const kind = 'status'
  const id = bytesOf(registryId)
  const value = state.value(storageKeys.revocationRegistry(id))
  const registry = value ? readRevocationRegistry(value) : 'unknown'
  if (typeof registry === 'string') return { kind, state: registry }
  if (index >= registry.length) return { kind, state: 'index_out_of_range' }
  const chunk = state.value(storageKeys.chunk(id, Math.floor(index / CHUNK_BITS)))
  return { kind, state: 'active', revoked: chunk !== undefined && readStatusBit(chunk, index), ...registry }
}
