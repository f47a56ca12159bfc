import { treasury } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import { type KeysInEffect, keysInEffect, keysText } from './keys-in-effect.js'
import { storedAccounts } from './ledger-client.js'
import { AFTERWARDS, IN_DOUBT, type Motion, openMotions } from './motions.js'
import { balanceOf } from './proposals.js'
import { runtimeToBring } from './upgrade.js'

/** The council of a ledger, with all that it decides, in the state after the newest final block. */
export interface CouncilStatus {
  readonly genesisHash: string
  readonly block: number
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

export async function councilStatus(api: ApiPromise): Promise<CouncilStatus> {
  const hash = await api.rpc.chain.getFinalizedHead()
  const [state, header] = await Promise.all([api.at(hash), api.rpc.chain.getHeader(hash)])
  const [account, block] = [await treasury(), header.number.toNumber()]
  const [members, listed, inEffect, balance, toBring, motions] = await Promise.all([
    storedAccounts(state, 'council', 'members'),
    storedAccounts(state, 'governance', 'validators'),
    storedAccounts(state, 'session', 'validators'),
    balanceOf(state, account),
    runtimeToBring(state),
    openMotions(state),
  ])
  return {
    genesisHash: api.genesisHash.toHex(),
    block,
    runtime: state.runtimeVersion.specVersion.toNumber(),
    runtimeToBring: toBring ?? null,
    members,
    validators: { listed, inEffect },
    sessionKeys: await keysInEffect(state, block, listed),
    treasury: { account, balance: balance.toString() },
    motions,
  }
}

const KEYS_HEAD = 'Session keys after this block, as the files of a keystore are named:'

export function statusText(status: CouncilStatus): string {
  const { genesisHash, block, runtime, members, validators, sessionKeys, motions } = status
  const coming = validators.listed.filter((account) => !validators.inEffect.includes(account))
  const going = validators.inEffect.filter((account) => !validators.listed.includes(account))
  const notes = (account: string) => (coming.includes(account) ? '  (from the session after the next)' : '')
  return [
    `After block ${block}, which is final. Genesis ${genesisHash}, runtime ${runtime}.`,
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
