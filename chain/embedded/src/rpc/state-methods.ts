import { compactFromU8a } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'
import type { Chain } from '../chain/chain.js'
import { ENTRY_LENGTH } from '../chain/recently-used.js'
import { RuntimeTrap } from '../executor/executable.js'
import { CODE_KEY, type CodeVersion } from '../runtime/runtime.js'
import { bytesOf, type Hex, hexOf, type StoredBlock } from '../store/store.js'
import { endSubscription, findBlock } from './chain-methods.js'
import { invalidParams, RpcError, unknownBlock } from './errors.js'
import {
  bytesParam,
  countParam,
  keyParam,
  keysParam,
  optionalHashParam,
  optionalKeyParam,
  type Params,
  textParam,
} from './params.js'
import type { LedgerContext, Method, Start } from './session.js'

/** Returns the block of a hash that may stand at this position; without one the head. */
export async function blockParam(ledger: LedgerContext, params: Params, position: number): Promise<StoredBlock> {
  const block = await findBlock(ledger, optionalHashParam(params, position))
  if (!block) throw unknownBlock()
  return block
}

async function valueParam(ledger: LedgerContext, params: Params): Promise<Hex | undefined> {
  const key = keyParam(params, 0)
  const block = await blockParam(ledger, params, 1)
  return ledger.chain.valueAt(key, block.number)
}

const getStorage: Method = async (ledger, params) => (await valueParam(ledger, params)) ?? null

const getStorageHash: Method = async (ledger, params) => {
  const value = await valueParam(ledger, params)
  return value === undefined ? null : hexOf(blake2AsU8a(bytesOf(value), 256))
}

const getStorageSize: Method = async (ledger, params) => {
  const value = await valueParam(ledger, params)
  return value === undefined ? null : value.length / 2 - 1
}

const getKeysPaged: Method = async (ledger, params) => {
  const prefix = optionalKeyParam(params, 0) ?? '0x'
  const block = await blockParam(ledger, params, 3)
  return ledger.chain.store.keysAt(prefix, countParam(params, 1), optionalKeyParam(params, 2), block.number)
}

const queryStorageAt: Method = async (ledger, params) => {
  const block = await blockParam(ledger, params, 1)
  return [{ block: block.hash, changes: await readAll(ledger.chain, keysParam(params, 0), block.number) }]
}

const getMetadata: Method = async (ledger, params) => {
  const block = await blockParam(ledger, params, 0)
  return (await ledger.chain.runtimeAt(block.number)).metadata
}

const getRuntimeVersion: Method = async (ledger, params) => {
  const block = await blockParam(ledger, params, 0)
  return versionJson((await ledger.chain.runtimeAt(block.number)).version)
}

/** Returns the result of an exported function of the runtime over the state of a block. */
export async function answerAt(ledger: LedgerContext, block: StoredBlock, method: string, argument: Hex): Promise<Hex> {
  try {
    return await ledger.chain.answer(method, argument, block.number)
  } catch (cause) {
    if (!(cause instanceof RuntimeTrap)) throw cause
    throw new RpcError(4003, 'Client error: Execution failed', cause.message)
  }
}

const callRuntime: Method = async (ledger, params, session) => {
  const [method, argument] = [textParam(params, 0), bytesParam(params, 1)]
  if (session.stranger) refuseLongWork(method, argument)
  return answerAt(ledger, await blockParam(ledger, params, 2), method, argument)
}

/**
 * The bounds of what a stranger has the runtime do: nothing else happens on the ledger meanwhile, and the runtime itself
 * has no bound. Calls of a dry run take about 2 ms a kilobyte. The product's own dry runs are those of whole jobs.
 */
const STRANGERS = { bytes: 32 * 1024, dryRuns: 16 } as const
/** The block, the instant and the account before the list of calls. */
const BEFORE_CALLS = 32 + 8 + 32

function refuseLongWork(method: string, argument: Hex): void {
  if (argument.length > 2 + 2 * STRANGERS.bytes)
    throw invalidParams(`parameter 2: a call of the runtime has at most ${STRANGERS.bytes} bytes`)
  if (!method.startsWith('DryRunApi_')) return
  const [, calls] = compactFromU8a(bytesOf(argument).subarray(BEFORE_CALLS, BEFORE_CALLS + 9))
  if (calls.gtn(STRANGERS.dryRuns)) throw invalidParams(`parameter 2: a dry run has at most ${STRANGERS.dryRuns} calls`)
}

const subscribeStorage: Method = async ({ chain }, params, session) => {
  const keys = keysParam(params, 0)
  const kept = keys.reduce((sum, key) => sum + ENTRY_LENGTH + key.length, 0)
  const start: Start = (send, _finish, fail) => {
    const { hash, number } = chain.head
    let first: Promise<void> | undefined = readAll(chain, keys, number).then((changes) => {
      first = undefined
      send({ block: hash, changes })
    })
    first.catch(fail)
    return chain.onBlock((block, changes) => {
      const changed = keys.flatMap((key) => (changes.has(key) ? [[key, changes.get(key) ?? null]] : []))
      if (changed.length === 0) return
      const message = { block: block.hash, changes: changed }
      if (first) first.then(() => send(message)).catch(fail)
      else send(message)
    })
  }
  return session.subscribe('state_storage', start, kept)
}

const subscribeRuntimeVersion: Method = async ({ chain }, _params, session) =>
  session.subscribe('state_runtimeVersion', (send, _finish, fail) => {
    const tell = (number: number) => {
      chain.runtimeAt(number).then(({ version }) => send(versionJson(version)), fail)
    }
    tell(chain.head.number)
    return chain.onBlock((block, changes) => {
      if (changes.has(CODE_KEY)) tell(block.number)
    })
  })

async function readAll(chain: Chain, keys: readonly Hex[], number: number): Promise<[Hex, Hex | null][]> {
  const values = await chain.valuesAt(keys, number)
  return keys.map((key, position) => [key, values[position] ?? null])
}

function versionJson(version: CodeVersion): Record<string, unknown> {
  const { stateVersion, ...rest } = version
  return { ...rest, stateVersion, systemVersion: stateVersion }
}

export const stateMethods: Readonly<Record<string, Method>> = {
  state_getStorage: getStorage,
  state_getStorageAt: getStorage,
  state_getStorageHash: getStorageHash,
  state_getStorageSize: getStorageSize,
  state_getKeysPaged: getKeysPaged,
  state_getKeysPagedAt: getKeysPaged,
  state_queryStorageAt: queryStorageAt,
  state_getMetadata: getMetadata,
  state_getRuntimeVersion: getRuntimeVersion,
  chain_getRuntimeVersion: getRuntimeVersion,
  state_call: callRuntime,
  state_callAt: callRuntime,
  state_subscribeStorage: subscribeStorage,
  state_unsubscribeStorage: endSubscription,
  state_subscribeRuntimeVersion: subscribeRuntimeVersion,
  state_unsubscribeRuntimeVersion: endSubscription,
  chain_subscribeRuntimeVersion: subscribeRuntimeVersion,
  chain_unsubscribeRuntimeVersion: endSubscription,
}
