import { readFile } from 'node:fs/promises'
import { describeRuntime, treasury } from '@accredit/embedded-ledger/network'
import type { ApiPromise } from '@polkadot/api'
import Type from 'typebox'
import { Check } from 'typebox/schema'
import { codeOf, Refusal } from '../start/refusal.js'
import { type Call, callOf, requireAddress, stored, storedAccounts } from './ledger-client.js'

const Account = Type.Object({ data: Type.Object({ free: Type.Union([Type.Integer(), Type.String()]) }) })

/** Returns the call that puts an account on the list of validators. It has named its session keys before. */
export async function validatorAdded(api: ApiPromise, wanted: string): Promise<Call> {
  const account = await requireAddress(wanted)
  const listed = await storedAccounts(api, 'governance', 'validators')
  if (listed.includes(account)) throw new Refusal(`${account} is on the list of validators already.`)
  if ((await stored(api, 'session', 'nextKeys', account)) === null)
    throw new Refusal(
      `${account} has not named the session keys of its node, which its operator does first: npm run council -- session-keys.`,
    )
  return callOf(api, 'governance', 'setValidators', [...listed, account])
}

/** Returns the call that takes an account off the list of validators. */
export async function validatorRemoved(api: ApiPromise, wanted: string): Promise<Call> {
  const account = await requireAddress(wanted)
  const listed = await storedAccounts(api, 'governance', 'validators')
  if (!listed.includes(account)) throw new Refusal(`${account} is not on the list of validators: ${listed.join(', ')}.`)
  const others = listed.filter((one) => one !== account)
  if (others.length === 0) throw new Refusal('A ledger without a validator would stand still.')
  return callOf(api, 'governance', 'setValidators', others)
}

/** Returns the call that pays an account from the treasury. */
export async function payment(api: ApiPromise, wanted: string, amount: bigint): Promise<Call> {
  const account = await requireAddress(wanted)
  const source = await treasury()
  const has = await balanceOf(api, source)
  if (has < amount)
    throw new Refusal(
      `The treasury ${source} has ${has}, which is less than ${amount}: fees fill it, and anybody may pay into it.`,
    )
  return asRoot(api, callOf(api, 'balances', 'forceTransfer', source, account, amount))
}

/** Returns the call that makes an account a member of the council. */
export async function memberAdded(api: ApiPromise, wanted: string): Promise<Call> {
  const account = await requireAddress(wanted)
  if ((await storedAccounts(api, 'council', 'members')).includes(account))
    throw new Refusal(`${account} is a member of the council already.`)
  return asRoot(api, callOf(api, 'councilMembers', 'addMember', account))
}

/** Returns the call that takes an account out of the council. */
export async function memberRemoved(api: ApiPromise, wanted: string): Promise<Call> {
  const account = await requireAddress(wanted)
  const members = await storedAccounts(api, 'council', 'members')
  if (!members.includes(account)) throw new Refusal(`${account} is no member of the council: ${members.join(', ')}.`)
  if (members.length === 1) throw new Refusal('A council without a member could never decide again.')
  return asRoot(api, callOf(api, 'councilMembers', 'removeMember', account))
}

/** A runtime as a file holds it. */
export interface RuntimeFile {
  readonly version: number
  /** The hash that the council votes on: BLAKE2b of 256 bits, of the file. */
  readonly hash: string
  readonly code: `0x${string}`
}

export async function runtimeOfFile(file: string): Promise<RuntimeFile> {
  const bytes = await readFile(file).catch((error) => {
    throw new Refusal(`${file} cannot be read: ${codeOf(error)}.`)
  })
  const code = `0x${bytes.toString('hex')}` as const
  const described = await describeRuntime(code).catch(() => {
    throw new Refusal(`${file} is no runtime of a ledger.`)
  })
  return { ...described, code }
}

/** Returns the call that lets anybody bring a runtime, by its hash. It is later than the one that the network has. */
export async function runtimeAllowed(api: ApiPromise, { version, hash }: RuntimeFile): Promise<Call> {
  const present = await runtimeVersion(api)
  if (version <= present) throw new Refusal(`The network has runtime ${present}: version ${version} is no later one.`)
  return asRoot(api, callOf(api, 'system', 'authorizeUpgradeWithoutChecks', hash))
}

export const runtimeVersion = async (api: ApiPromise): Promise<number> =>
  (await api.rpc.state.getRuntimeVersion()).specVersion.toNumber()

export async function balanceOf(api: Pick<ApiPromise, 'query'>, account: string): Promise<bigint> {
  const found = await stored(api, 'system', 'account', account)
  if (!Check(Account, found)) throw new Refusal(`The balance of ${account} cannot be read.`)
  return BigInt(found.data.free)
}

/** The council is not root: a pallet of ours makes the call for it. */
const asRoot = (api: ApiPromise, call: Call): Call => callOf(api, 'governance', 'act', call)
