import { type Hex, isHex, isHex32 } from './bytes.js'
import { parseJson } from './json.js'
import { parseQuestion, type Question } from './question.js'
import { ProofRefusal } from './refusal.js'

export const FORMAT = 'accredit-proof-1'
/** The greatest number of bytes of a bundle. */
export const MOST_BYTES = 1_000_000

/**
 * A bundle: a question about the ledger, its answer at a block, and everything that shows both without trust in whoever
 * made it. It is JSON in UTF-8, with exactly these members. Bytes are 0x and lower-case hexadecimal.
 */
export interface Bundle {
  readonly format: typeof FORMAT
  /** The hash of block 0: the ledger. The reader has to know it from elsewhere. */
  readonly genesisHash: Hex
  readonly question: Question
  /** The question in a sentence. */
  readonly text: string
  /** The block after which the answer is true. */
  readonly block: { readonly number: number; readonly hash: Hex }
  /** All that was read to answer, in this order: first the block's time and the genesis hash, then the versions of layouts, then the rest. */
  readonly storage: readonly StorageEntry[]
  /** Headers in SCALE: the block's, and each one's child's, to the block that the justification makes final. */
  readonly headers: readonly Hex[]
  /** The GRANDPA justification in SCALE, without votes that do not count. */
  readonly justification: Hex
  /** The header of block 0, and the nodes of its state's trie that lead to the first validators. */
  readonly genesis: { readonly header: Hex; readonly nodes: readonly Hex[] }
  /** The blocks up to `block` in which the validators changed, all of them in order, each made final by the old ones. */
  readonly handOvers: readonly { readonly header: Hex; readonly justification: Hex }[]
  /** The nodes of the block's state's trie that `storage` needs, in any order. */
  readonly nodes: readonly Hex[]
}

export type StorageEntry =
  /** A key and its value in SCALE; null where there is none. */
  | { readonly key: Hex; readonly value: Hex | null }
  /** All keys that begin with some bytes. */
  | { readonly prefix: Hex; readonly keys: readonly Hex[] }

/**
 * Reads a bundle. It is refused where it is too large, before anything of it is read, and where it has other members
 * than those above, or one of them twice.
 */
export function parseBundle(text: string | Uint8Array): Bundle {
  const value = jsonOf(text)
  const { format } = membersOf(value, 'The bundle')
  if (format !== FORMAT) throw new ProofRefusal('unknown_format', `The bundle is not of the format ${FORMAT}.`)
  const bundle = exactly(value, 'The bundle', [
    ...['format', 'genesisHash', 'question', 'text', 'block', 'storage', 'headers', 'justification', 'genesis'],
    ...['handOvers', 'nodes'],
  ])
  const block = exactly(bundle.block, '`block`', ['number', 'hash'])
  const genesis = exactly(bundle.genesis, '`genesis`', ['header', 'nodes'])
  return {
    format,
    genesisHash: hex32(bundle.genesisHash, '`genesisHash`'),
    question: parseQuestion(bundle.question),
    text: string(bundle.text, '`text`'),
    block: { number: count(block.number, '`block.number`'), hash: hex32(block.hash, '`block.hash`') },
    storage: list(bundle.storage, '`storage`').map(storageEntry),
    headers: hexes(bundle.headers, '`headers`'),
    justification: hex(bundle.justification, '`justification`'),
    genesis: { header: hex(genesis.header, '`genesis.header`'), nodes: hexes(genesis.nodes, '`genesis.nodes`') },
    handOvers: list(bundle.handOvers, '`handOvers`').map((each) => {
      const { header, justification } = exactly(each, 'A hand-over', ['header', 'justification'])
      return { header: hex(header, 'The header of a hand-over'), justification: hex(justification, 'A justification') }
    }),
    nodes: hexes(bundle.nodes, '`nodes`'),
  }
}

function jsonOf(text: string | Uint8Array): unknown {
  const bytes = typeof text === 'string' ? (text.length > MOST_BYTES ? text.length : byteLength(text)) : text.length
  if (bytes > MOST_BYTES)
    throw new ProofRefusal('too_large', `The bundle has more than ${MOST_BYTES} bytes, and none of them was read.`)
  return parseJson(typeof text === 'string' ? text : decoded(text))
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ProofRefusal('not_json', 'The bundle is not in UTF-8.')
  }
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

type Members = Readonly<Record<string, unknown>>

function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(name, 'an object')
  return Object.fromEntries(Object.entries(value))
}

function exactly(value: unknown, name: string, names: readonly string[]): Members {
  const members = membersOf(value, name)
  const given = Object.keys(members)
  if (given.length !== names.length || !names.every((each) => given.includes(each)))
    throw malformed(name, `an object of ${names.join(', ')} and nothing else`)
  return members
}

function storageEntry(value: unknown): StorageEntry {
  const members = membersOf(value, 'An entry of `storage`')
  if ('prefix' in members) {
    const { prefix, keys } = exactly(value, 'An entry of `storage`', ['prefix', 'keys'])
    return { prefix: hex(prefix, 'A prefix'), keys: hexes(keys, '`keys` of a prefix') }
  }
  const { key, value: stored } = exactly(value, 'An entry of `storage`', ['key', 'value'])
  return { key: hex(key, 'A key'), value: stored === null ? null : hex(stored, 'A value') }
}

function list(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(name, 'a list')
  return value
}

function hexes(value: unknown, name: string): Hex[] {
  return list(value, name).map((each) => hex(each, `Each of ${name}`))
}

function hex(value: unknown, name: string): Hex {
  if (!isHex(value)) throw malformed(name, '0x and lower-case hexadecimal')
  return value
}

function hex32(value: unknown, name: string): Hex {
  if (!isHex32(value)) throw malformed(name, '0x and 64 hexadecimal digits in lower case')
  return value
}

function string(value: unknown, name: string): string {
  if (typeof value !== 'string') throw malformed(name, 'a text')
  return value
}

function count(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed(name, 'a whole number')
  return value
}

function malformed(name: string, form: string): ProofRefusal {
  return new ProofRefusal('malformed', `${name} has to be ${form}.`)
}
