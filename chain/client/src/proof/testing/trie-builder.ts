import { compactAddLength, u8aConcat } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { bytesOf, type Hex, hexOf } from '../bytes.js'

/** A whole trie: its root, and every node and value that stands alone. */
export interface BuiltTrie {
  readonly root: Hex
  readonly nodes: readonly Hex[]
}

/** Builds the trie of a state with all its nodes. Version 1 keeps values of more than 32 bytes outside their nodes. */
export function buildTrie(state: ReadonlyMap<Hex, Hex>, version: 0 | 1): BuiltTrie {
  const nodes = new Map<Hex, Hex>()
  const keep = (bytes: Uint8Array): Uint8Array => {
    const hash = blake2AsU8a(bytes, 256)
    nodes.set(hexOf(hash), hexOf(bytes))
    return hash
  }

  /** Entries by the nibbles that are left of their keys. */
  const build = (entries: readonly (readonly [string, Hex])[]): Uint8Array => {
    const [first = ''] = entries.map(([nibbles]) => nibbles)
    let shared = first
    while (!entries.every(([nibbles]) => nibbles.startsWith(shared))) shared = shared.slice(0, -1)
    const rest = entries.map(([nibbles, value]) => [nibbles.slice(shared.length), value] as const)
    const own = rest.find(([nibbles]) => nibbles === '')?.[1]
    const below = rest.filter(([nibbles]) => nibbles !== '')
    const isHash = own !== undefined && version === 1 && own.length > 2 + 64
    const value = own === undefined ? new Uint8Array() : isHash ? keep(bytesOf(own)) : compactAddLength(bytesOf(own))
    if (below.length === 0) return u8aConcat(head(isHash ? [0b0010_0000, 31] : [0b0100_0000, 63], shared), value)
    const children = [...'0123456789abcdef'].map((nibble) =>
      below.filter(([nibbles]) => nibbles[0] === nibble).map(([nibbles, each]) => [nibbles.slice(1), each] as const),
    )
    const bitmap = children.reduce((bits, group, nibble) => (group.length > 0 ? bits | (1 << nibble) : bits), 0)
    const references = children
      .filter((group) => group.length > 0)
      .map(build)
      .map((node) => compactAddLength(node.length < 32 ? node : keep(node)))
    const kind = own === undefined ? [0b1000_0000, 63] : isHash ? [0b0001_0000, 15] : [0b1100_0000, 63]
    return u8aConcat(head(kind, shared), [bitmap & 255, bitmap >> 8], value, ...references)
  }

  const entries = [...state].map(([key, value]) => [key.slice(2), value] as const)
  const root = keep(entries.length === 0 ? Uint8Array.of(0) : build(entries))
  return { root: hexOf(root), nodes: [...nodes.values()] }
}

/** A node's first bytes: its kind, how many nibbles it spans, and these. */
function head([bits = 0, most = 0]: readonly number[], nibbles: string): Uint8Array {
  const count = [bits | Math.min(nibbles.length, most)]
  if (nibbles.length >= most) {
    let rest = nibbles.length - most
    for (; rest >= 255; rest -= 255) count.push(255)
    count.push(rest)
  }
  return u8aConcat(count, bytesOf(`0x${nibbles.length % 2 === 1 ? '0' : ''}${nibbles}`))
}
