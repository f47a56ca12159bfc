import { TypeRegistry } from '@polkadot/types'
import { compactAddLength, compactFromU8a, stringToU8a } from '@polkadot/util'
import { trieRoot } from '../executor/trie-root.js'
import { bytesOf, type Hex, hexOf, type StoredBlock } from '../store/store.js'
import { genesisHeader, headerHash } from './header.js'
import { CODE_KEY, EMPTY_STATE, Runtime } from './runtime.js'

const types = new TypeRegistry()

/** The settings of an embedded ledger's genesis that are laid over the runtime's own presets. */
export interface GenesisSettings {
  /** SS58 address of the account that may upgrade the runtime. */
  readonly sudo: string
  /** SS58 address of the block author's key. */
  readonly aura: string
  /** SS58 addresses of the accounts that exist from the start, each with the same large balance. */
  readonly endowed: readonly string[]
}

/** Near the largest number that a genesis document can carry: fees never empty an account of an embedded ledger. */
const ENDOWMENT = 10n ** 19n

export interface Genesis {
  readonly block: StoredBlock
  readonly state: Map<Hex, Hex>
}

/** Makes block 0 of an embedded ledger: the runtime's preset `embedded`, with our settings over it. */
export function makeGenesis(code: Hex, settings: GenesisSettings): Promise<Genesis> {
  const { aura, sudo, endowed } = settings
  return genesisOf(code, 'embedded', {
    balances: balancesOf(endowed),
    sudo: { key: sudo },
    aura: { authorities: [aura] },
  })
}

/** The settings of a network's genesis that are laid over the runtime's default. */
export interface NetworkGenesisSettings {
  /** SS58 addresses of each validator's account and session keys; all of them have the same weight. */
  readonly validators: readonly { readonly account: string; readonly aura: string; readonly grandpa: string }[]
  /** SS58 addresses of the members of the council, which decides instead of a `sudo` key. */
  readonly council: readonly string[]
  /** SS58 addresses of the accounts that exist from the start, each with the same large balance. */
  readonly endowed: readonly string[]
}

/** Makes block 0 of a network: blocks in slots, one author for each slot, and final when the validators say so. */
export function makeNetworkGenesis(code: Hex, settings: NetworkGenesisSettings): Promise<Genesis> {
  const { validators, council, endowed } = settings
  return genesisOf(code, undefined, {
    balances: balancesOf(endowed),
    governance: { validators: validators.map(({ account }) => account) },
    session: { keys: validators.map(({ account, aura, grandpa }) => [account, account, { aura, grandpa }]) },
    councilMembers: { members: [...council] },
  })
}

/**
 * Makes block 0 by the runtime itself: one of its presets laid over its default, our settings over both. The state root
 * is the real one, so that the hash of block 0 stands for its whole content.
 */
async function genesisOf(code: Hex, presetName: string | undefined, settings: Json): Promise<Genesis> {
  const runtime = await Runtime.load(code)
  const base = await presetOf(runtime, undefined)
  const preset = presetName === undefined ? base : merge(base, await presetOf(runtime, presetName))
  const json = writeJson(merge(preset, settings))
  const argument = hexOf(compactAddLength(stringToU8a(json)))
  const { result, changes } = await runtime.run([{ method: 'GenesisBuilder_build_state', argument }], EMPTY_STATE)
  const outcome = types.createType('Result<Null, Text>', bytesOf(result))
  if (outcome.isErr) throw new Error(`the runtime refused its genesis: ${outcome.asErr.toString()}`)
  const made = [...changes].flatMap(([key, value]): [Hex, Hex][] => (value === null ? [] : [[key, value]]))
  const state = new Map<Hex, Hex>([...made, [CODE_KEY, code] as const].sort(([a], [b]) => (a < b ? -1 : 1)))
  const entries = [...state].map(([key, value]) => [bytesOf(key), bytesOf(value)] as const)
  const header = genesisHeader(hexOf(trieRoot(entries, 1)))
  return { block: { number: 0, hash: headerHash(header), header, extrinsics: [] }, state }
}

const balancesOf = (endowed: readonly string[]): Json => ({
  balances: [...new Set(endowed)].map((account) => [account, ENDOWMENT]),
})

/** Returns a preset of the runtime; without a name its default. */
async function presetOf(runtime: Runtime, name: string | undefined): Promise<Json> {
  const argument = hexOf(types.createType('Option<Text>', name).toU8a())
  const { result } = await runtime.run([{ method: 'GenesisBuilder_get_preset', argument }], EMPTY_STATE)
  const preset = types.createType('Option<Bytes>', bytesOf(result))
  if (preset.isNone) throw new Error(`the runtime has no genesis preset ${name ?? '(default)'}`)
  const encoded = preset.unwrap().toU8a()
  const [offset] = compactFromU8a(encoded)
  return readJson(Buffer.from(encoded.subarray(offset)).toString('utf8'))
}

type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }

/** Balances exceed a JavaScript number: long integers are kept as text on the way in and on the way out. */
const LONG_INTEGER = /(?<=[:[,]\s*)\d{16,}(?=\s*[,\]}])/g
const MARK = 'integer:'

function readJson(text: string): Json {
  return JSON.parse(text.replaceAll(LONG_INTEGER, (digits) => `"${MARK}${digits}"`))
}

function writeJson(document: Json): string {
  const text = JSON.stringify(document, (_key, value) => (typeof value === 'bigint' ? `${MARK}${value}` : value))
  return text.replaceAll(new RegExp(`"${MARK}(\\d+)"`, 'g'), '$1')
}

/** Objects are merged by name, everything else is replaced. */
function merge(below: Json, above: Json): Json {
  if (!isObject(below) || !isObject(above)) return above
  const merged = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const under = merged[name]
    merged[name] = under === undefined ? value : merge(under, value)
  }
  return merged
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
