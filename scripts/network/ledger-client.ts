import type { AccountPair } from '@accredit/embedded-ledger/network'
import '@polkadot/api/augment'
import type { ApiPromise, SubmittableResult } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { messageOf, Refusal } from '../start/refusal.js'
import type { NodeState } from './network-state.js'
import { rpcUrlOf } from './status.js'

/** A call of the runtime; signed it is an extrinsic. */
export type Call = ReturnType<ApiPromise['tx']>
export type LedgerEvents = SubmittableResult['events']
const Accounts = Type.Array(Type.String())

/** Does some work on the ledger through one node. The library is loaded here, so that other commands do not wait. */
export async function withLedger<T>(node: NodeState, work: (api: ApiPromise) => Promise<T>): Promise<T> {
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
  const provider = new Socket(rpcUrlOf(node))
  const api = await ApiPromise.create({ provider, noInitWarn: true })
  try {
    return await work(api)
  } finally {
    await api.disconnect()
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

/** Sends a call, waits until its block is final, and returns its events. Refuses with the name of the ledger's error. */
export function send(api: ApiPromise, sender: AccountPair, call: Call): Promise<LedgerEvents> {
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(new Refusal(`The ledger refused: ${messageOf(error)}.`))
    call
      .signAndSend(sender, { nonce: -1 }, ({ status, dispatchError, events }) => {
        if (dispatchError !== undefined) refuse(new Error(errorName(api, dispatchError)))
        else if (status.isFinalized) resolve(events)
        else if (status.isInvalid || status.isDropped || status.isUsurped) refuse(new Error(status.type))
      })
      .catch(refuse)
  })
}

/** Returns the name of a dispatch error, with its pallet where it has one. */
export function errorName(api: ApiPromise, error: unknown): string {
  const decoded = api.createType('DispatchError', error)
  if (!decoded.isModule) return decoded.type
  const { section, name } = api.registry.findMetaError(decoded.asModule)
  return `${section}.${name}`
}
