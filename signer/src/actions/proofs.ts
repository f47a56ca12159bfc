/**
 * Proofs of answers about the ledger, for those who do not want to trust us. A bundle is checked here as its reader will
 * check it before it leaves.
 */
import { type Hex, hexIn } from '@accredit/chain'
import { isSignedByOpenssl } from '@accredit/chain/openssl-signatures'
import {
  type Bundle,
  grandpaKeys,
  type KnownState,
  MOST_BYTES,
  makeBundle,
  type NeededReads,
  neededReads,
  ProofRefusal,
  parseQuestion,
  type Question,
  trimJustification,
  verifyProof,
} from '@accredit/chain/proof'
import { FairQueue } from '@accredit/process/fair-queue'
import { SignerError } from '../errors.js'
import { bytesOf } from '../wire.js'
import { type Ledger, ProofsNotAvailable } from './ledger.js'

export interface Proofs {
  /**
   * Proves the answer to a question at a final block, which is named by its hash. Shares take turns. Throws a
   * `SignerError`: 503 `too_busy` when too much waits.
   */
  prove(question: unknown, block: string, share: string): Promise<Bundle>
}

type ProvingLedger = Pick<
  Ledger,
  | 'genesisHash'
  | 'finalHead'
  | 'hashAt'
  | 'heightOf'
  | 'read'
  | 'keysUnder'
  | 'headerOf'
  | 'justificationOf'
  | 'readProof'
>

/** GRANDPA makes several blocks final by one justification: the next one is at most so many blocks later. */
const MOST_HEADERS = 512
/** Each round of reads names what the values of the last one lead to: the last of five names nothing. */
const MOST_ROUNDS = 8
/**
 * A proof costs a node some ten reads and this thread a few milliseconds: two at once keep it busy enough, and leave
 * room for what has to be signed and submitted meanwhile. Where hundreds of issuers delegate to the DID it takes some
 * half a second, in pieces of a quarter; also where it turns out to be too long, unless its names alone are already.
 */
const AT_ONCE = { running: 2, waiting: 64 }

interface HandOver {
  readonly height: number
  readonly header: Hex
  readonly justification: Hex
}

export function openProofs(reached: () => ProvingLedger): Proofs {
  // The blocks in which validators changed never change themselves.
  const handOvers: HandOver[] = []
  let known: Genesis | undefined
  let isBusy: Promise<unknown> = Promise.resolve()
  const queue = new FairQueue(AT_ONCE, tooBusy)

  /** Genesis is asked for once: a connection goes to no node of another ledger. */
  async function genesisOf(ledger: ProvingLedger): Promise<Genesis> {
    known ??= await readGenesis(ledger)
    return known
  }

  async function handOversBefore(ledger: ProvingLedger, height: number): Promise<HandOver[]> {
    const count = await setIdAt(ledger, height - 1)
    while (handOvers.length < count) handOvers.push(await findHandOver(ledger, handOvers, height - 1))
    return handOvers.slice(0, count)
  }

  async function prove(question: Question, block: string): Promise<Bundle> {
    const ledger = reached()
    const { genesisHash, genesis } = await genesisOf(ledger)
    const keys = readsOf(ledger, question, genesisHash, block)
    // Whether there is such a block is told first.
    keys.catch(() => undefined)
    const height = await finalHeight(ledger, block)
    // Two at once would both look for the same hand-over.
    const turn = isBusy.then(() => handOversBefore(ledger, height))
    isBusy = turn.catch(() => undefined)
    const [nodes, handOversOfBlock, finality] = await Promise.all([
      keys.then((all) => ledger.readProof(all, block)),
      turn,
      finalityOf(ledger, height, block),
    ])
    const before = handOversOfBlock.map(({ header, justification }) => ({ header, justification }))
    const parts = { genesisHash, genesis, nodes, handOvers: before, ...finality }
    return checked(makeBundle(question, parts), genesisHash)
  }

  return {
    async prove(given, block, share) {
      const question = asked(given)
      return queue.run(share, () => prove(question, block))
    },
  }
}

interface Genesis {
  readonly genesisHash: Hex
  readonly genesis: Bundle['genesis']
}

async function readGenesis(ledger: ProvingLedger): Promise<Genesis> {
  const genesisHash = hexIn(await ledger.genesisHash())
  const [header, nodes] = await Promise.all([
    ledger.headerOf(genesisHash),
    ledger.readProof([grandpaKeys.authorities], genesisHash),
  ])
  return { genesisHash, genesis: { header, nodes } }
}

const tooBusy = (): SignerError => new SignerError(503, 'too_busy', 'Too many proofs are waiting: try again.')

function asked(given: unknown): Question {
  try {
    return parseQuestion(given)
  } catch (error) {
    if (error instanceof ProofRefusal) throw new SignerError(400, 'invalid_request', error.message)
    throw error
  }
}

async function finalHeight(ledger: ProvingLedger, block: string): Promise<number> {
  const [height, final] = await Promise.all([ledger.heightOf(block), ledger.finalHead()])
  if (height === undefined || height === 0 || height > final.height || (await ledger.hashAt(height)) !== block)
    throw new SignerError(404, 'block_not_final', 'There is no final block of this hash behind genesis.')
  return height
}

/** Returns all keys that the answer needs, and those that show that there are no others below a common beginning. */
async function readsOf(ledger: ProvingLedger, question: Question, genesisHash: Hex, block: string): Promise<Hex[]> {
  const values = new Map<Hex, Hex | null>()
  const keysUnder = new Map<Hex, readonly Hex[]>()
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { keys, prefixes, answeredBy } = nextReads(question, genesisHash, { values, keysUnder })
    requireRoom(answeredBy, keysUnder)
    if (keys.length === 0 && prefixes.length === 0)
      return [...new Set([...answeredBy, ...keysUnder.keys(), ...[...keysUnder.values()].flat()])]
    const read = await ledger.read([...keys], block)
    for (const [position, key] of keys.entries()) {
      const value = read[position]
      values.set(key, value === undefined ? null : hexIn(value))
    }
    for (const prefix of prefixes) {
      keysUnder.set(prefix, (await ledger.keysUnder(prefix, block)).map(hexIn))
      // Nothing that follows from them is looked for where they are too much already.
      requireRoom(answeredBy, keysUnder)
    }
  }
  throw new SignerError(500, 'internal', 'The question needs too many rounds of reads.')
}

/** Refuses a question where the names alone, each of which stands in the bundle, are more than it may have. */
function requireRoom(values: readonly Hex[], keysUnder: ReadonlyMap<Hex, readonly Hex[]>): void {
  const delegations = [...keysUnder.values()].flat()
  const bytes = [...values, ...delegations].reduce((sum, name) => sum + name.length, 0)
  if (bytes > MOST_BYTES)
    throw tooLarge(`${values.length} values of the state and ${delegations.length} delegations`, FEWER_READS)
}

function nextReads(question: Question, genesisHash: Hex, known: KnownState): NeededReads {
  try {
    return neededReads(question, genesisHash, known)
  } catch (error) {
    if (error instanceof ProofRefusal && error.reason === 'unknown_layout') throw new ProofsNotAvailable(error.message)
    throw error
  }
}

/** Returns the headers from a block to the next one that has a justification, and this. */
async function finalityOf(
  ledger: ProvingLedger,
  height: number,
  block: string,
): Promise<Pick<Bundle, 'headers' | 'justification'>> {
  const headers: Hex[] = []
  let hash: string | undefined = block
  for (let next = height + 1; hash !== undefined && headers.length < MOST_HEADERS; next += 1) {
    headers.push(await ledger.headerOf(hash))
    const justification = await ledger.justificationOf(hash)
    if (justification) return { headers, justification: trimJustification(justification) }
    hash = await ledger.hashAt(next)
  }
  throw new SignerError(
    503,
    'justification_missing',
    'The node keeps no justification of this block: it has to run with a justification period of 1.',
  )
}

async function setIdAt(ledger: ProvingLedger, height: number): Promise<number> {
  const hash = await ledger.hashAt(height)
  const [value] = await ledger.read([grandpaKeys.setId], hash)
  return value === undefined ? 0 : Number(bytesOf(value).readBigUInt64LE())
}

/** Finds the block of the next hand-over: the first after which the number of the set is another one. */
async function findHandOver(ledger: ProvingLedger, before: readonly HandOver[], last: number): Promise<HandOver> {
  const setId = before.length + 1
  let [low, high] = [(before.at(-1)?.height ?? 0) + 1, last]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await setIdAt(ledger, middle)) < setId) low = middle + 1
    else high = middle
  }
  const hash = await ledger.hashAt(low)
  const justification = hash && (await ledger.justificationOf(hash))
  if (!justification)
    throw new SignerError(503, 'justification_missing', `The node keeps no justification of block ${low}.`)
  return { height: low, header: await ledger.headerOf(hash), justification: trimJustification(justification) }
}

const FEWER_READS = 'Another question, or another block, may take less of the state.'
const FEWER_HAND_OVERS = 'An earlier block takes fewer hand-overs.'

/** The same question at the same block meets this again. */
const tooLarge = (what: string, hint: string, cause?: unknown): SignerError =>
  new SignerError(
    422,
    'proof_too_large',
    `A proof has at most ${MOST_BYTES} bytes, and this one would have more: it takes ${what}. ${hint}`,
    { cause },
  )

function tooLargeFor({ handOvers, storage, nodes }: Bundle, cause: unknown): SignerError {
  const bytesOfHandOvers = JSON.stringify(handOvers).length
  const hint = bytesOfHandOvers > JSON.stringify([storage, nodes]).length ? FEWER_HAND_OVERS : FEWER_READS
  return tooLarge(`${handOvers.length} hand-overs of validators and ${nodes.length} nodes of the state`, hint, cause)
}

/** A bundle that its reader would refuse is a fault here, or of the node; unless it is too long for any reader. */
function checked(bundle: Bundle, genesisHash: Hex): Bundle {
  try {
    verifyProof(JSON.stringify(bundle), genesisHash, { isSigned: isSignedByOpenssl })
  } catch (cause) {
    if (cause instanceof ProofRefusal && cause.reason === 'too_large') throw tooLargeFor(bundle, cause)
    throw new SignerError(503, 'ledger_unavailable', 'What the ledger gave proves nothing.', { cause })
  }
  return bundle
}
