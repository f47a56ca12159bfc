import { compactAddLength } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'

/** Layout 1 keeps long values outside their nodes. */
export type TrieLayout = 0 | 1
type Entry = readonly [nibbles: Uint8Array, value: Uint8Array]

const HASH_BYTES = 32
/** The two bits, or three, or four, that tell a node's kind, with the largest count that fits beside them. */
const KINDS = {
  leaf: { bits: 0b0100_0000, most: 63 },
  leafOfHash: { bits: 0b0010_0000, most: 31 },
  branch: { bits: 0b1000_0000, most: 63 },
  branchWithValue: { bits: 0b1100_0000, most: 63 },
  branchWithHash: { bits: 0b0001_0000, most: 15 },
} as const
const EMPTY = Uint8Array.of(0)

/**
 * Computes the root of the trie that holds exactly these entries: base 16, BLAKE2b of 256 bits, in Substrate's encoding
 * of nodes. The maintained packages for tries are Ethereum's, whose nodes have another encoding.
 */
export function trieRoot(entries: Iterable<readonly [Uint8Array, Uint8Array]>, layout: TrieLayout): Uint8Array {
  const sorted = [...entries].map(([key, value]): Entry => [nibblesOf(key), value])
  sorted.sort(([a], [b]) => Buffer.compare(a, b))
  return blake2AsU8a(sorted.length === 0 ? EMPTY : nodeOf(sorted, 0, layout), 256)
}

/** Entries that share all nibbles before `depth`. */
function nodeOf(entries: readonly Entry[], depth: number, layout: TrieLayout): Uint8Array {
  const [first, last] = [entries[0], entries.at(-1)]
  if (first === undefined || last === undefined) throw new RangeError('a node holds at least one entry')
  const end = commonEnd(first[0], last[0], depth)
  const partial = first[0].subarray(depth, end)
  const value = first[0].length === end ? nodeValueOf(first[1], layout) : undefined
  if (entries.length === 1)
    return Buffer.concat([headerOf(value?.isHash ? 'leafOfHash' : 'leaf', partial), ...parts(value)])
  const kind = value === undefined ? 'branch' : value.isHash ? 'branchWithHash' : 'branchWithValue'
  const children = childrenOf(value === undefined ? entries : entries.slice(1), end, layout)
  const bitmap = Buffer.alloc(2)
  bitmap.writeUInt16LE(children.reduce((bits, [nibble]) => bits | (1 << nibble), 0))
  const references = children.map(([, node]) =>
    compactAddLength(node.length < HASH_BYTES ? node : blake2AsU8a(node, 256)),
  )
  return Buffer.concat([headerOf(kind, partial), bitmap, ...parts(value), ...references])
}

function childrenOf(entries: readonly Entry[], depth: number, layout: TrieLayout): [number, Uint8Array][] {
  const groups = new Map<number, Entry[]>()
  for (const entry of entries) {
    const nibble = entry[0][depth] ?? 0
    const group = groups.get(nibble)
    if (group) group.push(entry)
    else groups.set(nibble, [entry])
  }
  return [...groups].map(([nibble, group]) => [nibble, nodeOf(group, depth + 1, layout)])
}

interface NodeValue {
  readonly bytes: Uint8Array
  readonly isHash: boolean
}

function nodeValueOf(value: Uint8Array, layout: TrieLayout): NodeValue {
  const isHash = layout === 1 && value.length > HASH_BYTES
  return { bytes: isHash ? blake2AsU8a(value, 256) : compactAddLength(value), isHash }
}

function parts(value: NodeValue | undefined): Uint8Array[] {
  return value === undefined ? [] : [value.bytes]
}

/** The node's kind, how many nibbles it spans, and these, two to a byte. */
function headerOf(kind: keyof typeof KINDS, partial: Uint8Array): Uint8Array {
  const { bits, most } = KINDS[kind]
  const header = [bits | Math.min(partial.length, most)]
  if (partial.length >= most) {
    let rest = partial.length - most
    for (; rest >= 255; rest -= 255) header.push(255)
    header.push(rest)
  }
  const isOdd = partial.length % 2 === 1
  if (isOdd) header.push(partial[0] ?? 0)
  for (let at = isOdd ? 1 : 0; at < partial.length; at += 2) {
    header.push(((partial[at] ?? 0) << 4) | (partial[at + 1] ?? 0))
  }
  return Uint8Array.from(header)
}

function nibblesOf(key: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(key.length * 2)
  for (const [position, byte] of key.entries()) {
    nibbles[2 * position] = byte >> 4
    nibbles[2 * position + 1] = byte & 15
  }
  return nibbles
}

/** Finds where two keys that are alike up to `from` begin to differ, or one of them ends. */
function commonEnd(a: Uint8Array, b: Uint8Array, from: number): number {
  let end = from
  while (end < a.length && end < b.length && a[end] === b[end]) end += 1
  return end
}
