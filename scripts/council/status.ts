import { treasury } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { doubtOf, timeText } from './final-block.js'
import { type KeysInEffect, keysInEffect, keysText, sessionState } from './keys-in-effect.js'
import { stored, storedAccounts } from './ledger-client.js'
import { AFTERWARDS, IN_DOUBT, type Motion, openMotions } from './motions.js'
import { balanceOf } from './proposals.js'
import { runtimeToBring } from './upgrade.js'

/** The council of a ledger, with all that it decides, in the state after the newest final block. */
export interface CouncilStatus {
  readonly genesisHash: string
  readonly block: number
  readonly hash: string
  /** The time of the block; null for the genesis, which has none. */
  readonly time: string | null
  readonly runtime: number
  /** The hash of the runtime for which the council voted, until somebody brings it. */
  readonly runtimeToBring: string | null
  readonly members: readonly string[]
  /** The list of validators, and those who make blocks now: a change takes effect after two sessions. */
  readonly validators: { readonly listed: readonly string[]; readonly inEffect: readonly string[] }
  readonly sessionKeys: KeysInEffect
  readonly treasury: { readonly account: string; readonly balance: string }
  readonly motions: readonly Motion[]
}

/**
 * Reads the state after the newest final block that the node has.
 *
 * @param now the clock here, in milliseconds since 1970
 */
export async function councilStatus(api: ApiPromise, now: number): Promise<CouncilStatus> {
  const hash = await api.rpc.chain.getFinalizedHead()
  const [state, header] = await Promise.all([api.at(hash), api.rpc.chain.getHeader(hash)])
  const [account, block] = [await treasury(), header.number.toNumber()]
  const [members, listed, inEffect, balance, toBring, motions, time] = await Promise.all([
    storedAccounts(state, 'council', 'members'),
    storedAccounts(state, 'governance', 'validators'),
    storedAccounts(state, 'session', 'validators'),
    balanceOf(state, account),
    runtimeToBring(state),
    openMotions(state),
    timeOf(state),
  ])
  return {
    genesisHash: api.genesisHash.toHex(),
    block,
    hash: hash.toHex(),
    time: time === null ? null : new Date(time).toISOString(),
    runtime: state.runtimeVersion.specVersion.toNumber(),
    runtimeToBring: toBring ?? null,
    members,
    validators: { listed, inEffect },
    sessionKeys: keysInEffect(await sessionState(state, listed), block, doubtOf(time, now)),
    treasury: { account, balance: balance.toString() },
    motions,
  }
}

/** The time that a block says, in milliseconds since 1970; the genesis says none. */
async function timeOf(state: Pick<ApiPromise, 'query'>): Promise<number | null> {
  return Number(await stored(state, 'timestamp', 'now')) || null
}

const KEYS_HEAD = 'Session keys after this block, as the files of a keystore are named:'

/** @param now the clock here, in milliseconds since 1970 */
export function statusText(status: CouncilStatus, now: number): string {
  const { genesisHash, block, runtime, members, validators, sessionKeys, motions } = status
  const coming = validators.listed.filter((account) => !validators.inEffect.includes(account))
  const going = validators.inEffect.filter((account) => !validators.listed.includes(account))
  const notes = (account: string) => (coming.includes(account) ? '  (from the session after the next)' : '')
  return [
    `After block ${block}, ${status.hash}, ${timeText(status.time, now)}: the newest that is final at this node.`,
    `Genesis ${genesisHash}, runtime ${runtime}.`,
    ...(sessionKeys.validators.length === 0 || sessionKeys.doubt === null ? [] : [sessionKeys.doubt]),
    ...(status.runtimeToBring
      ? [`Allowed: the runtime of the hash ${status.runtimeToBring}. ${AFTERWARDS.runtime}`]
      : []),
    `Council: ${members.length === 0 ? 'none' : ''}`.trimEnd(),
    ...members.map((member) => `  ${member}`),
    'Validators:',
    ...validators.listed.map((account) => `  ${account}${notes(account)}`),
    ...going.map((account) => `  ${account}  (until the session after the next)`),
    ...(sessionKeys.validators.length === 0 ? [] : [KEYS_HEAD, ...keysText(sessionKeys)]),
    `Treasury: ${status.treasury.account} with ${status.treasury.balance}`,
    motions.length === 0 ? 'No motion is open.' : 'Motions:',
    ...motions.map((motion) => motionText(motion, block)),
  ].join('\n')
}

/** Tells what a motion does and who voted, with the blocks until it ends. */
export function motionText({ number, does, doubt, needed, ayes, nays, endsAfter }: Motion, block: number): string {
  const against = nays.length === 0 ? '' : `, against: ${nays.join(', ')}`
  const left = Math.max(0, endsAfter - block)
  return [
    `  ${number}  ${does}`,
    `     for: ${ayes.join(', ') || 'nobody'}${against}; ${needed} have to agree, ${left} blocks are left`,
    ...(doubt === undefined ? [] : [`     no command agrees to it or closes it: ${doubt}; ${IN_DOUBT}`]),
  ].join('\n')
}
