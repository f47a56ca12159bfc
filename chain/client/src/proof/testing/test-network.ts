import { ed25519 } from '@noble/curves/ed25519'
import { u8aConcat } from '@polkadot/util'
import { blake2AsU8a } from '@polkadot/util-crypto'
import { bytesOf, type Hex, hexOf } from '../bytes.js'
import type { BundleParts } from '../make-bundle.js'
import { encodeHeader, scaleOf, stateEntry } from './runtime-types.js'
import { buildTrie } from './trie-builder.js'

/** A validator by the seed of its Ed25519 key. */
export class Validator {
  readonly publicKey: Hex
  readonly #seed: Uint8Array

  constructor(number: number) {
    this.#seed = new Uint8Array(32).fill(number)
    this.publicKey = hexOf(ed25519.getPublicKey(this.#seed))
  }

  sign(message: Uint8Array): Hex {
    return hexOf(ed25519.sign(message, this.#seed))
  }
}

export const validators = (...numbers: readonly number[]): Validator[] => numbers.map((number) => new Validator(number))

type State = ReadonlyMap<Hex, Hex>

export interface TestBlock {
  readonly state: State
  readonly number: number
  readonly hash: Hex
  readonly header: Hex
  readonly nodes: readonly Hex[]
}

/** A change of validators as a header tells it; at once, unless it is delayed. */
export interface Change {
  readonly next: readonly Validator[]
  readonly delay?: number
  readonly isForced?: boolean
}

const GENESIS_TIME = Date.UTC(2026, 2, 1)
const SLOT_MS = 3_000

/** A chain of headers with true state roots, and of validators that sign what makes them final. */
export class TestNetwork {
  readonly blocks: TestBlock[] = []
  #setId = 0

  constructor(first: readonly Validator[], more: State = new Map()) {
    const authorities = stateEntry(
      'grandpa.authorities',
      [],
      first.map(({ publicKey }) => [publicKey, 1]),
    )
    this.#append(new Map([authorities, ...more]), [])
  }

  get genesis(): TestBlock {
    return this.block(0)
  }

  block(number: number): TestBlock {
    const block = this.blocks[number]
    if (!block) throw new Error(`there is no block ${number}`)
    return block
  }

  /** Returns what a bundle about a block is made of, where its validators are those of genesis and it is final by itself. */
  partsAbout(asked: TestBlock, justification: Hex): BundleParts {
    const { hash, header, nodes } = this.genesis
    return {
      genesisHash: hash,
      genesis: { header, nodes },
      handOvers: [],
      headers: [asked.header],
      justification,
      nodes: asked.nodes,
    }
  }

  /** Adds a block with this state, beside what every state of the ledger holds. */
  add(state: State = new Map(), change?: Change): TestBlock {
    const number = this.blocks.length
    if (change && !change.isForced) this.#setId += 1
    const own = [
      stateEntry('grandpa.currentSetId', [], this.#setId),
      stateEntry('timestamp.now', [], GENESIS_TIME + number * SLOT_MS),
      stateEntry('system.blockHash', [0], this.genesis.hash),
    ]
    return this.#append(new Map([...own, ...state]), change ? [logOf(change)] : [])
  }

  #append(state: State, logs: readonly unknown[]): TestBlock {
    const { root, nodes } = buildTrie(state, 1)
    const number = this.blocks.length
    const parentHash = this.blocks.at(-1)?.hash ?? `0x${'00'.repeat(32)}`
    const seals =
      number === 0 ? [] : [{ PreRuntime: ['aura', '0x0000000000000000'] }, { Seal: ['aura', `0x${'5e'.repeat(64)}`] }]
    const extrinsicsRoot = `0x${'ee'.repeat(32)}`
    const header = encodeHeader({
      parentHash,
      number,
      stateRoot: root,
      extrinsicsRoot,
      digest: { logs: [...logs, ...seals] },
    })
    const block = { state, number, hash: hexOf(blake2AsU8a(header, 256)), header: hexOf(header), nodes }
    this.blocks.push(block)
    return block
  }
}

function logOf({ next, delay = 0, isForced = false }: Change): unknown {
  const authorities = next.map(({ publicKey }) => [publicKey, 1])
  const change = u8aConcat(scaleOf('Vec<(AuthorityId, u64)>', authorities), scaleOf('u32', delay))
  const log = isForced ? u8aConcat([2], scaleOf('u32', 0), change) : u8aConcat([1], change)
  return { Consensus: ['FRNK', hexOf(log)] }
}

export interface VoteOptions {
  readonly round?: number
  readonly setId?: number
  /** Descendants of the block, for the last of which everybody votes. */
  readonly descendants?: readonly TestBlock[]
  /** Further votes, each for a block of any kind, whose header comes with it. */
  readonly others?: readonly (readonly [voter: Validator, block: TestBlock])[]
}

/** Signs a justification of a block as GRANDPA does: precommits, in a round of a validator set. */
export function justify(
  block: TestBlock,
  voters: readonly Validator[],
  { round = 4, setId = 0, descendants = [], others = [] }: VoteOptions = {},
): Hex {
  const target = descendants.at(-1) ?? block
  const votes = [...voters.map((voter) => [voter, target] as const), ...others].map(([voter, voted]) => {
    const precommit = scaleOf('(Hash, u32)', [voted.hash, voted.number])
    const message = u8aConcat([1], precommit, scaleOf('(u64, u64)', [round, setId]))
    return u8aConcat(precommit, bytesOf(voter.sign(message)), bytesOf(voter.publicKey))
  })
  const headers = [...descendants, ...others.map(([, voted]) => voted)]
  return hexOf(
    u8aConcat(
      scaleOf('u64', round),
      scaleOf('(Hash, u32)', [block.hash, block.number]),
      scaleOf('Compact<u32>', votes.length),
      ...votes,
      scaleOf('Compact<u32>', headers.length),
      ...headers.map(({ header }) => bytesOf(header)),
    ),
  )
}
