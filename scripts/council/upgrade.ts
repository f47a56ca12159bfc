import { type AccountPair, CODE_KEY } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { Refusal } from '../start/refusal.js'
import { waitUntil } from '../start/wait-until.js'
import { callOf, send, stored } from './ledger-client.js'
import { type RuntimeFile, runtimeVersion } from './proposals.js'

const IN_EFFECT_WITHIN_MS = 60_000
const ASK_EVERY_MS = 200

const Authorized = Type.Object({ codeHash: Type.String() })

/** Returns the hash of the runtime for which the council voted, while nobody has brought it. */
export async function runtimeToBring(state: Pick<ApiPromise, 'query'>): Promise<string | undefined> {
  const authorized = await stored(state, 'system', 'authorizedUpgrade')
  return Check(Authorized, authorized) ? authorized.codeHash : undefined
}

/** Brings the runtime for whose hash the council voted, and waits until the network runs it. Any account may. */
export async function bringRuntime(api: ApiPromise, sender: AccountPair, runtime: RuntimeFile): Promise<void> {
  const allowed = await runtimeToBring(api)
  // A command that broke off after it had brought it is given again.
  if (allowed === undefined && (await isRunning(api, runtime))) return
  if (allowed === undefined) throw new Refusal('The council has not voted for a runtime that is still to come.')
  if (allowed !== runtime.hash)
    throw new Refusal(`The council voted for the runtime ${allowed}, and this one is ${runtime.hash}.`)
  await send(api, sender, callOf(api, 'system', 'applyAuthorizedUpgrade', runtime.code))
  const isInEffect = async () => (await runtimeVersion(api)) === runtime.version
  if (!(await waitUntil(isInEffect, { withinMs: IN_EFFECT_WITHIN_MS, everyMs: ASK_EVERY_MS })))
    throw new Refusal('The runtime was brought, and the network still runs the old one.')
}

async function isRunning(api: ApiPromise, { code }: RuntimeFile): Promise<boolean> {
  return (await api.rpc.state.getStorage.raw(CODE_KEY)) === code
}
