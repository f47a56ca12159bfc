import type { ApiPromise } from '@polkadot/api'
import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from '../start/refusal.js'
import { stored, storedAccounts } from './ledger-client.js'

/** The public keys of a validator's node: one makes blocks, one votes for those that become final. */
const Keys = Type.Object({ aura: Type.String(), grandpa: Type.String() })
const Queued = Type.Array(Type.Tuple([Type.String(), Keys]))
const Authors = Type.Array(Type.String())
const Voters = Type.Array(Type.Tuple([Type.String(), Type.Unknown()]))

export type PublicKeys = Static<typeof Keys>

/** The session keys of one validator in one state; null where it has none of that kind. */
export interface ValidatorKeys {
  readonly account: string
  /** The keys that sign now. */
  readonly inUse: PublicKeys | null
  /** The keys that sign from the next end of a session on. */
  readonly queued: PublicKeys | null
  /** The keys that are queued at the next end of a session: those that it named last, while it is on the list. */
  readonly named: PublicKeys | null
  /** True where its keys stay the same, in a state of now: whichever it had before sign nothing any more. */
  readonly mayDeleteOlder: boolean
}

/** The session keys of all validators that are listed, sign now, or do so next. */
export interface KeysInEffect {
  /** The blocks with which a session may end: the queued keys sign after the first, the named after the second. */
  readonly sessionEnds: { readonly next: number; readonly afterNext: number }
  /** Why the state is none of now, by which nobody deletes a key; null where it is one. */
  readonly doubt: string | null
  readonly validators: readonly ValidatorKeys[]
}

type State = Pick<ApiPromise, 'query' | 'consts'>

/** The parts of the state after a block that are about session keys. */
export interface SessionState {
  /** The accounts of the council's list, and those that sign now. */
  readonly listed: readonly string[]
  readonly signing: readonly string[]
  /** The keys of those that sign, in their order, but for voters that are still to be replaced. */
  readonly authors: readonly string[]
  readonly voters: readonly (readonly [string, unknown])[]
  /** The change of voters that is still to come; null where none is. */
  readonly pendingChange: unknown
  readonly queued: ReadonlyMap<string, PublicKeys>
  /** The keys that an account named last, while it is on the list; null where it named none. */
  readonly named: ReadonlyMap<string, unknown>
  readonly sessionBlocks: number
}

/** Reads what the state after a block says about session keys. */
export async function sessionState(state: State, listed: readonly string[]): Promise<SessionState> {
  const [signing, authors, voters, pendingChange, queuedKeys, named] = await Promise.all([
    storedAccounts(state, 'session', 'validators'),
    storedAs(state, Authors, 'aura', 'authorities'),
    storedAs(state, Voters, 'grandpa', 'authorities'),
    stored(state, 'grandpa', 'pendingChange'),
    storedAs(state, Queued, 'session', 'queuedKeys'),
    Promise.all(listed.map(async (account) => [account, await stored(state, 'session', 'nextKeys', account)] as const)),
  ])
  const sessionBlocks = Number(state.consts.governance?.sessionBlocks)
  const [queuedOf, namedOf] = [new Map(queuedKeys), new Map(named)]
  return { listed, signing, authors, voters, pendingChange, queued: queuedOf, named: namedOf, sessionBlocks }
}

/**
 * Tells of each key whether it signs now and next.
 *
 * @param doubt why this is no state of now; null where it is one
 */
export function keysInEffect(found: SessionState, block: number, doubt: string | null): KeysInEffect {
  const { listed, signing, authors, voters, queued, named, sessionBlocks } = found
  const isSettled =
    found.pendingChange === null && authors.length === signing.length && voters.length === signing.length
  const inUse = new Map(signing.map((account, at) => [account, { aura: authors[at], grandpa: voters[at]?.[0] }]))
  const keysOf = (account: string): ValidatorKeys => {
    const keys = [inUse.get(account), queued.get(account), named.get(account)].map(publicKeys)
    const [now = null, next = null, afterNext = null] = keys
    const mayDeleteOlder = doubt === null && isSettled && isSame(now, next) && isSame(next, afterNext)
    return { account, inUse: now, queued: next, named: afterNext, mayDeleteOlder }
  }
  const next = (Math.floor(block / sessionBlocks) + 1) * sessionBlocks
  const accounts = [...new Set([...listed, ...signing, ...queued.keys()])]
  return { sessionEnds: { next, afterNext: next + sessionBlocks }, doubt, validators: accounts.map(keysOf) }
}

async function storedAs<Schema extends TSchema>(state: State, schema: Schema, pallet: string, name: string) {
  const found = await stored(state, pallet, name)
  if (!Check(schema, found)) throw new Refusal(`${pallet}.${name} of this network cannot be read.`)
  return found
}

/** Returns session keys as the ledger stores them of an account; null where it has none. */
export const publicKeys = (found: unknown): PublicKeys | null => (Check(Keys, found) ? found : null)

const isSame = (one: PublicKeys | null, other: PublicKeys | null) =>
  one !== null && one.aura === other?.aura && one.grandpa === other.grandpa

/** The two kinds of keys, each with the letters by which the file of one is named in a keystore. */
const KINDS = [
  { kind: 'aura', letters: '61757261', does: 'makes blocks' },
  { kind: 'grandpa', letters: '6772616e', does: 'votes' },
] as const

const fileOf = (letters: string, key: string): string => `${letters}${key.replace(/^0x/, '')}`

/** Returns the names that the files of session keys have in a node's keystore. */
export const keystoreFiles = (keys: PublicKeys): string[] =>
  KINDS.map(({ kind, letters }) => fileOf(letters, keys[kind]))

const MAY_BE_DELETED =
  'Its keys stay these: older ones sign nothing any more, and may be deleted. Those that were made or named since are none.'
const MAY_NOT =
  'None of these may be deleted yet: one whose time is over stands here no more once a later block is final.'
const IS_OLD = 'No key may be deleted by this state, which is not that of now.'

/** Tells of each key of each validator whether it signs now and next, by the name of its file in a node's keystore. */
export const keysText = ({ sessionEnds, doubt, validators }: KeysInEffect): string[] =>
  validators.flatMap(({ account, inUse, queued, named, mayDeleteOlder }) => [
    `  ${account}`,
    ...KINDS.flatMap(({ kind, letters, does }) => {
      const inTurn = [inUse, queued, named].map((keys) => keys?.[kind])
      return [...new Set(inTurn)].flatMap((key) => {
        if (key === undefined) return []
        const [now, next, afterNext] = inTurn.map((one) => (one === key ? 'yes' : 'no'))
        const { next: end, afterNext: endAfter } = sessionEnds
        const signs = `now: ${now}, after block ${end}: ${next}, after block ${endAfter}: ${afterNext}`
        return `    ${fileOf(letters, key)}  ${does} ${signs}`
      })
    }),
    `    ${doubt !== null ? IS_OLD : mayDeleteOlder ? MAY_BE_DELETED : MAY_NOT}`,
  ])
