import { type AccountPair, addressOf } from '@accredit/embedded-ledger/network'
import { placeOf } from '@accredit/process/ledger-urls'
import '@polkadot/api/augment'
import type { ApiPromise, SubmittableResult } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { messageOf, Refusal } from '../start/refusal.js'

/** A call of the runtime; signed it is an extrinsic. */
export type Call = ReturnType<ApiPromise['tx']>
export type LedgerEvents = SubmittableResult['events']
const Accounts = Type.Array(Type.String())

const OPENED_WITHIN_MS = 60_000
/** A block is final after two seconds or so: whoever waits longer is told what for. */
const USUALLY_FINAL_WITHIN_MS = 20_000

/** Asks the node by the name of a method, for those that the library has no word of. */
export type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

/**
 * Does some work on the ledger through one node. The library is loaded here, so that other commands do not wait.
 *
 * @param signal ends the connection, whatever the work waits for: then its reason is thrown
 */
export async function withLedger<T>(
  url: string,
  work: (api: ApiPromise, ask: Ask) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted()
  const { ApiPromise, WsProvider } = await import('@polkadot/api')
  /** The package's own class does not fit the package's own interface under exactOptionalPropertyTypes. */
  class Socket extends WsProvider {
    override clone(): Socket {
      return new Socket(this.endpoint)
    }

    override get ttl(): number | null {
      return super.ttl ?? null
    }
  }
  // It connects once: a command that never ends tells nobody that an address is wrong, or a node gone.
  const provider = new Socket(url, false)
  const lost = new Promise<never>((_, reject) => {
    const gone = new Refusal(`The node at ${placeOf(url)} cannot be reached, or is not there any more.`)
    for (const end of ['error', 'disconnected'] as const) provider.on(end, () => reject(gone))
  })
  let interrupt = () => {}
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = () => reject(signal?.reason)
    signal?.addEventListener('abort', interrupt)
  })
  const silent = new Promise<never>((_, reject) => {
    const refusal = new Refusal(`The node at ${placeOf(url)} does not tell what runtime it has.`)
    setTimeout(() => reject(refusal), OPENED_WITHIN_MS).unref()
  })
  const open = async () => {
    await provider.connect()
    await provider.isReady
    return ApiPromise.create({ provider, noInitWarn: true, throwOnConnect: true }).catch((error) => {
      throw new Refusal(`The node at ${placeOf(url)} does not answer as a ledger does: ${messageOf(error)}.`)
    })
  }
  try {
    const api = await Promise.race([open(), lost, silent, interrupted])
    return await Promise.race([work(api, (method, ...params) => provider.send(method, params)), lost, interrupted])
  } finally {
    signal?.removeEventListener('abort', interrupt)
    await provider.disconnect()
  }
}

/** Makes a call by its name in the runtime that the network has. */
export function callOf(api: ApiPromise, pallet: string, name: string, ...args: unknown[]): Call {
  const make = api.tx[pallet]?.[name]
  if (!make) throw new Refusal(`The runtime of this network has no ${pallet}.${name}: it is of an earlier version.`)
  return make(...args)
}

/** Reads an entry of the storage after the newest block, as JSON. */
export async function stored(
  api: Pick<ApiPromise, 'query'>,
  pallet: string,
  name: string,
  ...keys: unknown[]
): Promise<unknown> {
  const read = api.query[pallet]?.[name]
  if (!read) throw new Refusal(`The runtime of this network has no ${pallet}.${name}: it is of an earlier version.`)
  return (await read(...keys)).toJSON()
}

/** Reads an entry of the storage that is a list of accounts. */
export async function storedAccounts(api: Pick<ApiPromise, 'query'>, pallet: string, name: string): Promise<string[]> {
  const accounts = await stored(api, pallet, name)
  if (!Check(Accounts, accounts)) throw new Refusal(`${pallet}.${name} of this network cannot be read.`)
  return accounts
}

/** Returns what reads the storage after the newest final block. */
export const finalState = async (api: ApiPromise) => api.at(await api.rpc.chain.getFinalizedHead())

/** Returns what reads the storage after the newest block, which may not be final. */
export const newestState = async (api: ApiPromise) => api.at(await api.rpc.chain.getBlockHash())

/** A call that the ledger did not make. */
export class LedgerRefusal extends Refusal {
  /** @param reason the name of the ledger's error, or the node's words where the call came into no block */
  constructor(readonly reason: string) {
    super(`The ledger refused: ${reason}.`)
  }
}

/** Sends a call, waits until its block is final, and returns its events; an error too counts from then on. */
export async function send(api: ApiPromise, sender: AccountPair, call: Call): Promise<LedgerEvents> {
  const waits = setTimeout(
    () => console.error('The call was sent, and waits for a block that is final.'),
    USUALLY_FINAL_WITHIN_MS,
  ).unref()
  try {
    return await finalEvents(api, sender, call)
  } finally {
    clearTimeout(waits)
  }
}

function finalEvents(api: ApiPromise, sender: AccountPair, call: Call): Promise<LedgerEvents> {
  return new Promise((resolve, reject) => {
    const refuse = (reason: string) => reject(new LedgerRefusal(reason))
    call
      .signAndSend(sender, { nonce: -1 }, ({ status, dispatchError, events }) => {
        if (status.isFinalityTimeout)
          reject(new Refusal('The call is in a block, and the ledger makes none final now: look at the status later.'))
        else if (status.isInvalid || status.isDropped || status.isUsurped) refuse(status.type)
        else if (status.isFinalized && dispatchError !== undefined) refuse(errorName(api, dispatchError))
        else if (status.isFinalized) resolve(events)
      })
      .catch((error) => refuse(messageOf(error)))
  })
}

/** Returns the name of a dispatch error, with its pallet where it has one. */
export function errorName(api: ApiPromise, error: unknown): string {
  const decoded = api.createType('DispatchError', error)
  if (!decoded.isModule) return decoded.type
  const { section, name } = api.registry.findMetaError(decoded.asModule)
  return `${section}.${name}`
}

/** Refuses a text that is no address of an account. */
export async function requireAddress(text: string): Promise<string> {
  const account = await addressOf(text)
  if (account === undefined) throw new Refusal(`'${text}' is no address of an account (SS58, prefix 42).`)
  return account
}
