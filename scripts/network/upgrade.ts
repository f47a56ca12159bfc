import { readFile } from 'node:fs/promises'
import { describeRuntime } from '@accredit/embedded-ledger/network'
import { codeOf, Refusal } from '../start/refusal.js'
import { councilOf, decideAsRoot } from './council.js'
import { callOf, send, withLedger } from './ledger-client.js'
import { requireState } from './network-state.js'
import { requireRunning, withLock } from './run-network.js'
import { waitUntil } from './wait-until.js'

const IN_EFFECT_WITHIN_MS = 60_000
const ASK_EVERY_MS = 200

export interface Upgrade {
  from: number
  to: number
  /** The hash that the council votes on: BLAKE2b of 256 bits, of the file. */
  codeHash: string
}

/** Upgrades the runtime: the council votes on the hash of a file, then one account brings the file. */
export async function upgradeNetwork(stateDir: string, file: string): Promise<Upgrade> {
  const code = await readFile(file).catch((error) => {
    throw new Refusal(`${file} cannot be read: ${codeOf(error)}.`)
  })
  const { version: to, hash: codeHash } = await describeRuntime(`0x${code.toString('hex')}`).catch(() => {
    throw new Refusal(`${file} is no runtime of a ledger.`)
  })
  return withLock(stateDir, async () => {
    const running = await requireRunning(stateDir, await requireState(stateDir))
    return withLedger(running, async (api) => {
      const version = async () => (await api.rpc.state.getRuntimeVersion()).specVersion.toNumber()
      const from = await version()
      if (to <= from) throw new Refusal(`The network has runtime ${from}: ${file} is no later one (${to}).`)
      const council = await councilOf(api, stateDir)
      await decideAsRoot(api, council, callOf(api, 'system', 'authorizeUpgradeWithoutChecks', codeHash))
      const [bringer] = council
      const bytes = `0x${code.toString('hex')}`
      if (bringer) await send(api, bringer, callOf(api, 'system', 'applyAuthorizedUpgrade', bytes))
      const isInEffect = async () => (await version()) === to
      if (!(await waitUntil(isInEffect, { withinMs: IN_EFFECT_WITHIN_MS, everyMs: ASK_EVERY_MS })))
        throw new Refusal('The runtime was brought, and the network still runs the old one.')
      return { from, to, codeHash }
    })
  })
}
