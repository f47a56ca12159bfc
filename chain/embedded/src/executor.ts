import './executor-log-level.js'
import {
  calculateStateRoot,
  destroyWorker,
  emptyTaskHandler,
  getRuntimeVersion,
  runTask,
} from '@acala-network/chopsticks-core/wasm-executor/index'
import { type Hex, isHex } from './store.js'

/** One call of the runtime: exported function and its SCALE-encoded arguments. */
export type RuntimeCall = readonly [method: string, ...args: Hex[]]

/** Where a runtime call reads from. What it writes comes back as changes. */
export interface StateView {
  get(key: Hex): Promise<Hex | undefined>
  nextKey(prefix: Hex, after: Hex): Promise<Hex | undefined>
}

export interface RuntimeOutcome {
  /** SCALE bytes that the last call returned. */
  readonly result: Hex
  readonly changes: Map<Hex, Hex | null>
}

export interface CodeVersion {
  readonly specName: string
  readonly implName: string
  readonly authoringVersion: number
  readonly specVersion: number
  readonly implVersion: number
  readonly apis: readonly (readonly [Hex, number])[]
  readonly transactionVersion: number
  /** 0 or 1; from 2 on the extrinsics root, too, is of the newer trie layout. */
  readonly stateVersion: number
}

/** A runtime call that trapped or could not be run at all. */
export class RuntimeTrap extends Error {
  override readonly name = 'RuntimeTrap'
}

/** Runs the calls in order over one state, inside one instance of the runtime: compiling it is what costs. */
export async function runCalls(code: Hex, calls: readonly RuntimeCall[], state: StateView): Promise<RuntimeOutcome> {
  const response = await runTask(
    {
      wasm: code,
      calls: calls.map(([method, ...args]) => [method, args]),
      mockSignatureHost: false,
      allowUnresolvedImports: false,
      runtimeLogLevel: 0,
    },
    {
      ...emptyTaskHandler,
      getStorage: (key) => state.get(key),
      getNextKey: (prefix, key) => state.nextKey(prefix, key),
    },
  )
  if ('Error' in response) throw new RuntimeTrap(response.Error)
  // A removed entry comes as null or undefined, whatever the declared type says.
  const changes = new Map(response.Call.storageDiff.map(([key, value]) => [key, value ?? null] as const))
  return { result: response.Call.result, changes }
}

export async function versionOf(code: Hex): Promise<CodeVersion> {
  return getRuntimeVersion(code)
}

/** Root of the trie that holds exactly these entries. */
export async function trieRoot(entries: readonly (readonly [Hex, Hex])[], layout: 0 | 1): Promise<Hex> {
  const root = await calculateStateRoot(
    entries.map(([key, value]) => [key, value]),
    layout,
  )
  if (!isHex(root)) throw new RuntimeTrap('the executor gave no root')
  return root
}

let users = 0

/** The executor is one thread for the whole process; it ends when its last user releases it. */
export function useExecutor(): () => Promise<void> {
  users += 1
  let released = false
  return async () => {
    if (released) return
    released = true
    users -= 1
    if (users === 0) await destroyWorker()
  }
}
