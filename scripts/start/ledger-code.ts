import { ProofRefusal, provenValue } from '@accredit/chain/proof'
import { CODE_KEY } from '@accredit/embedded-ledger/wasm'
import Type from 'typebox'
import type { AskNode } from './node-door.js'
import { Refusal } from './refusal.js'
import { type BundleArguments, provenBundle, trustOf } from './verify-proof.js'

const hex = (pattern: string) => Type.Unsafe<`0x${string}`>(Type.String({ pattern }))
const Hex = hex('^0x[0-9a-f]*$')
const Hash = hex('^0x[0-9a-f]{64}$')
const ShortHex = Type.String({ pattern: '^0x[0-9a-f]{1,8}$' })
const Header = Type.Object({ number: ShortHex })
const ReadProof = Type.Object({ proof: Type.Array(Hex) })

/** The code that a ledger stores after a block. */
export interface LedgerCode {
  readonly block: { readonly number: number; readonly hash: string }
  /** False where the node was believed. */
  readonly isProved: boolean
  /** The trust that the proof leaves, in words (`trustOf`). */
  readonly trusted?: string
  readonly code: Uint8Array
}

/** Asks for the code after a block, by its number or its hash; after the newest final one by default. */
export async function toldCode(node: AskNode, named?: string): Promise<LedgerCode> {
  const block = await finalBlock(node, named)
  const code = await node(Type.Union([Hex, Type.Null()]), 'state_getStorage', CODE_KEY, block.hash)
  if (code === null) throw new Refusal(`The node has no runtime after block ${block.number}.`)
  return { block, isProved: false, code: Buffer.from(code.slice(2), 'hex') }
}

/** Returns a block that the node has as a final one. */
async function finalBlock(node: AskNode, named?: string): Promise<LedgerCode['block']> {
  const newest = await node(Hash, 'chain_getFinalizedHead')
  const last = Number((await node(Header, 'chain_getHeader', newest)).number)
  if (named === undefined) return { number: last, hash: newest }
  const number = await numberOf(node, named)
  if (number > last) throw new Refusal(`Block ${number} is not final at the node, whose newest final one is ${last}.`)
  const hash = await node(Type.Union([Hash, Type.Null()]), 'chain_getBlockHash', number)
  if (hash === null) throw new Refusal(`The node has no block ${number}.`)
  if (named.startsWith('0x') && named.toLowerCase() !== hash)
    throw new Refusal(`The node's final block ${number} is ${hash}, and not ${named}.`)
  return { number, hash }
}

async function numberOf(node: AskNode, named: string): Promise<number> {
  if (/^\d{1,10}$/.test(named)) return Number(named)
  if (!/^0x[0-9a-fA-F]{64}$/.test(named))
    throw new Refusal(`--block is the number of a block, or its hash (0x and 64 hexadecimal digits), not '${named}'.`)
  const header = await node(Type.Union([Header, Type.Null()]), 'chain_getHeader', named.toLowerCase())
  if (header === null) throw new Refusal(`The node has no block ${named}.`)
  return Number(header.number)
}

/**
 * Proves the code after the block of a bundle: the block's state root comes out of the bundle, and what the node gives
 * has to lead from it to the code.
 */
export async function provenCode(node: AskNode, bundle: BundleArguments): Promise<LedgerCode> {
  const proven = await provenBundle(bundle)
  const { block } = proven
  const { proof } = await node(ReadProof, 'state_getReadProof', [CODE_KEY], block.hash)
  const code = codeOf(block, proof)
  if (code === undefined) throw new Refusal(`The state of block ${block.number} holds no runtime.`)
  return { block: { number: block.number, hash: block.hash }, isProved: true, trusted: trustOf(proven), code }
}

function codeOf({ number, stateRoot }: { number: number; stateRoot: `0x${string}` }, proof: `0x${string}`[]) {
  try {
    return provenValue(stateRoot, proof, CODE_KEY)
  } catch (error) {
    if (error instanceof ProofRefusal)
      throw new Refusal(`The node does not prove the runtime of block ${number} (${error.reason}): ${error.message}`)
    throw error
  }
}
