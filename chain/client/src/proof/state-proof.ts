import { areEqual, bytesOf, type Hex, hexOf } from './bytes.js'
import { blake2b256 } from './hashers.js'
import { ProofRefusal } from './refusal.js'
import { ScaleReader } from './scale-reader.js'

const HASH_BYTES = 32

interface Node {
  /** The nibbles that all keys below share. */
  readonly partial: Uint8Array
  /** A value, or the hash of one that stands outside its node (version 1 of the trie). */
  readonly value?: { readonly bytes: Uint8Array; readonly isHash: boolean }
  /** By nibble: the hash of a node, or a node of less than 32 bytes itself. */
  readonly children: readonly (Uint8Array | undefined)[]
}

/**
 * Those nodes of a state's trie that some keys need: base 16, BLAKE2b of 256 bits, Substrate's encoding in version 0 or 1.
 * A value is read, or found absent, only along nodes whose hashes lead to the state root.
 */
export class StateProof {
  readonly #nodes = new Map<Hex, Uint8Array>()
  readonly #used = new Set<Hex>()
  /** The nodes that were decoded: those near the root lead to every key. */
  readonly #decoded = new Map<Hex, Node>()

  /** The name of the state stands in refusals. */
  constructor(
    private readonly root: Uint8Array,
    nodes: readonly Hex[],
    private readonly name: string,
  ) {
    for (const node of nodes) {
      const bytes = bytesOf(node)
      this.#nodes.set(hexOf(blake2b256(bytes)), bytes)
    }
    if (this.#nodes.size !== nodes.length)
      throw new ProofRefusal('unused_node', `The proof of ${name} holds a node twice.`)
  }

  /** Returns the value of a key; undefined where the state has none. Refuses where a node on the way is missing. */
  value(key: Uint8Array): Uint8Array | undefined {
    const { node, rest } = this.#descend(nibblesOf(key))
    return node && rest.length === 0 ? this.#valueOf(node) : undefined
  }

  /** Returns all keys that begin with these bytes, in their order. Refuses where a node below them is missing. */
  keysUnder(prefix: Uint8Array): Uint8Array[] {
    const nibbles = nibblesOf(prefix)
    const { node, above } = this.#descend(nibbles, true)
    return node ? this.#keysBelow(node, above) : []
  }

  /** Returns the nodes that were needed. */
  usedNodes(): Hex[] {
    return [...this.#used].map((hash) => hexOf(this.#nodes.get(hash) ?? new Uint8Array()))
  }

  /** Refuses a proof that holds more than was needed: each of its bytes says something. */
  refuseUnused(): void {
    if (this.#used.size !== this.#nodes.size)
      throw new ProofRefusal('unused_node', `The proof of ${this.name} holds nodes that the question does not need.`)
  }

  /**
   * Walks along a path. Returns the node at whose end the path ends; undefined where the trie has none. With
   * `orBeyond`, a node that goes on from the end of the path counts too: all keys that begin with it are below.
   */
  #descend(path: Uint8Array, orBeyond = false): { node?: Node; above: Uint8Array; rest: Uint8Array } {
    let node = this.#load(this.root)
    let rest = path
    for (;;) {
      const shared = rest.subarray(0, node.partial.length)
      const above = path.subarray(0, path.length - rest.length)
      const isBeyond = orBeyond && rest.length <= node.partial.length
      if (isBeyond && areEqual(node.partial.subarray(0, rest.length), rest))
        return { node, above, rest: rest.subarray(rest.length) }
      if (!areEqual(node.partial, shared)) return { above, rest }
      rest = rest.subarray(shared.length)
      const [nibble] = rest
      if (nibble === undefined) return { node, above, rest }
      const child = node.children[nibble]
      if (child === undefined) return { above, rest }
      rest = rest.subarray(1)
      node = this.#follow(child)
    }
  }

  #keysBelow(node: Node, above: Uint8Array | readonly number[]): Uint8Array[] {
    const path = [...above, ...node.partial]
    const own = node.value === undefined ? [] : [bytesOfNibbles(path)]
    const below = node.children.flatMap((child, nibble) =>
      child === undefined ? [] : this.#keysBelow(this.#follow(child), [...path, nibble]),
    )
    return [...own, ...below]
  }

  #valueOf({ value }: Node): Uint8Array | undefined {
    return value?.isHash ? this.#bytesBehind(value.bytes) : value?.bytes
  }

  #follow(reference: Uint8Array): Node {
    return reference.length === HASH_BYTES ? this.#load(reference) : decodeNode(reference)
  }

  #load(hash: Uint8Array): Node {
    const name = hexOf(hash)
    const node = this.#decoded.get(name) ?? decodeNode(this.#bytesBehind(hash))
    this.#decoded.set(name, node)
    return node
  }

  #bytesBehind(hash: Uint8Array): Uint8Array {
    const name = hexOf(hash)
    const bytes = this.#nodes.get(name)
    if (bytes === undefined)
      throw new ProofRefusal(
        'missing_node',
        hash === this.root
          ? `The proof of ${this.name} does not begin at its state root ${name}.`
          : `The proof of ${this.name} lacks the node ${name}.`,
      )
    this.#used.add(name)
    return bytes
  }
}

/**
 * Returns the value of a key in a state, by nodes that lead to it from a state root that was proved; undefined where
 * the state has none. Nodes may hold more. Throws a `ProofRefusal` where one is missing.
 */
export function provenValue(stateRoot: Hex, nodes: readonly Hex[], key: Hex): Uint8Array | undefined {
  return new StateProof(bytesOf(stateRoot), [...new Set(nodes)], 'the state').value(bytesOf(key))
}

/** The first bits of a node, which tell its kind; those behind them count its nibbles. */
const KINDS = [
  { bits: 0b0100_0000, width: 2, isBranch: false, value: 'inline' },
  { bits: 0b1000_0000, width: 2, isBranch: true, value: 'none' },
  { bits: 0b1100_0000, width: 2, isBranch: true, value: 'inline' },
  { bits: 0b0010_0000, width: 3, isBranch: false, value: 'hash' },
  { bits: 0b0001_0000, width: 4, isBranch: true, value: 'hash' },
] as const

function decodeNode(bytes: Uint8Array): Node {
  const reader = new ScaleReader(bytes, 'A node of a proof', 'bad_node')
  const first = reader.u8()
  if (first === 0) {
    reader.end()
    return { partial: new Uint8Array(), children: [] }
  }
  const kind = KINDS.find(({ bits, width }) => first >> (8 - width) === bits >> (8 - width))
  if (kind === undefined) throw reader.refusal('is of a kind that is not known')
  const partial = readPartial(reader, first & (0xff >> kind.width), 0xff >> kind.width)
  const bitmap = kind.isBranch ? Number(reader.unsigned(2)) : 0
  const value = readValue(reader, kind.value)
  const children = Array.from({ length: 16 }, (_, nibble) => ((bitmap >> nibble) & 1 ? readChild(reader) : undefined))
  reader.end()
  return { partial, children, ...value }
}

/** Reads the nibbles, two to a byte. Of an odd number, the first stands alone, behind a zero. */
function readPartial(reader: ScaleReader, beside: number, most: number): Uint8Array {
  let count = beside
  for (let more = beside === most; more; ) {
    const byte = reader.u8()
    count += byte
    more = byte === 255
  }
  const nibbles = nibblesOf(reader.take(Math.ceil(count / 2)))
  if (count % 2 === 0) return nibbles
  if (nibbles[0] !== 0) throw reader.refusal('has a nibble too many')
  return nibbles.subarray(1)
}

function readValue(reader: ScaleReader, kind: 'none' | 'inline' | 'hash'): Pick<Node, 'value'> {
  if (kind === 'none') return {}
  const isHash = kind === 'hash'
  return { value: { bytes: isHash ? reader.take(HASH_BYTES) : reader.counted(), isHash } }
}

function readChild(reader: ScaleReader): Uint8Array {
  const reference = reader.counted()
  if (reference.length > HASH_BYTES) throw reader.refusal('holds a longer node inside')
  return reference
}

function nibblesOf(bytes: Uint8Array): Uint8Array {
  const nibbles = new Uint8Array(2 * bytes.length)
  for (let at = 0; at < nibbles.length; at += 1) {
    const byte = bytes[at >> 1] ?? 0
    nibbles[at] = at % 2 === 0 ? byte >> 4 : byte & 15
  }
  return nibbles
}

function bytesOfNibbles(nibbles: readonly number[]): Uint8Array {
  return Uint8Array.from(
    { length: nibbles.length >> 1 },
    (_, position) => ((nibbles[2 * position] ?? 0) << 4) | (nibbles[2 * position + 1] ?? 0),
  )
}
