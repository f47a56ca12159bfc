import { type Answer, answerOf, type LedgerState } from './answer.js'
import { answerText } from './answer-text.js'
import { type AuthoritySet, checkDescent, genesisAuthoritySet, nextAuthoritySet } from './authority-set.js'
import { type Bundle, parseBundle, type StorageEntry } from './bundle.js'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import { type Header, readHeader } from './header.js'
import { checkJustification, type Finality, type IsSigned, isStrictlySigned } from './justification.js'
import {
  compareKnown,
  type KnownBlock,
  type ProofBlock,
  type ProvenHeaders,
  proofBlocks,
  type TrustedSets,
  trustedSets,
} from './known-blocks.js'
import { type Question, questionText } from './question.js'
import { RecordedState } from './recorded-state.js'
import { ProofRefusal } from './refusal.js'
import { readAll } from './scale-reader.js'
import { StateProof } from './state-proof.js'
import { GENESIS_HASH, TIMESTAMP_NOW } from './storage-keys.js'

/** All that a bundle proves. */
export interface ProvenAnswer {
  readonly genesisHash: Hex
  readonly question: Question
  readonly questionText: string
  readonly answer: Answer
  readonly answerText: string
  /** The block after which the answer is true, its time in ISO 8601, to the millisecond, and the root of its state. */
  readonly block: { readonly number: number; readonly hash: Hex; readonly time: string; readonly stateRoot: Hex }
  /** The block that validators made final, the same or a descendant, and who did it. */
  readonly finalBlock: { readonly number: number; readonly hash: Hex } & Finality
  /** The blocks on which all of it stands, from genesis on. Whoever keeps them can give them as `known` next time. */
  readonly standsOn: readonly ProofBlock[]
  /** The validators who are believed not to have signed another past; undefined: none, the block itself is known. */
  readonly trustedSets: TrustedSets | undefined
}

export interface ProofOptions {
  /** Another implementation of Ed25519: signatures are nearly all of the work. */
  readonly isSigned?: IsSigned
  /**
   * Final blocks that the reader knows from elsewhere. The proof has to stand on each of them. Without any, whoever
   * holds two thirds of the keys of a former set of validators can sign another past from there.
   */
  readonly known?: readonly KnownBlock[]
}

/**
 * Checks a bundle offline, from the hash of the ledger's genesis, which its reader knows from elsewhere. The chain of
 * what is checked: genesis, the validators at genesis, each hand-over to the next ones, the justification of the last
 * header, its ancestors down to the block, the block's state root, the nodes of the state's trie, the values, the answer.
 * Nothing that the bundle says about its own content is taken on trust. What is: the hash, and that two thirds of none
 * of the `trustedSets` signed two pasts.
 *
 * Throws a `ProofRefusal` where any of it does not hold.
 */
export function verifyProof(
  text: string | Uint8Array,
  genesisHash: string,
  { isSigned = isStrictlySigned, known = [] }: ProofOptions = {},
): ProvenAnswer {
  const bundle = parseBundle(text)
  if (bundle.genesisHash !== genesisHash.toLowerCase())
    throw new ProofRefusal(
      'other_genesis',
      `The bundle is about the ledger with the genesis ${bundle.genesisHash}, not about ${genesisHash}.`,
    )
  const { block, last, finality, headers } = provenBlock(bundle, isSigned)
  const proof = new StateProof(block.stateRoot, bundle.nodes, `the state of block ${block.number}`)
  const { answer, time, storage } = readAnswer(bundle.question, bundle.genesisHash, proof)
  compareStorage(bundle.storage, storage)
  proof.refuseUnused()
  const asked = questionText(bundle.question)
  if (bundle.text !== asked)
    throw new ProofRefusal('other_text', 'The text of the question does not say what the question asks.')
  const standsOn = proofBlocks(headers)
  compareKnown(known, standsOn)
  return {
    genesisHash: bundle.genesisHash,
    question: bundle.question,
    questionText: asked,
    answer,
    answerText: answerText(answer),
    block: { number: block.number, hash: hexOf(block.hash), time, stateRoot: hexOf(block.stateRoot) },
    finalBlock: { number: last.number, hash: hexOf(last.hash), ...finality },
    standsOn,
    trustedSets: trustedSets(known, standsOn),
  }
}

interface ProvenBlock {
  block: Header
  last: Header
  finality: Finality
  headers: ProvenHeaders
}

/** Returns the block that the bundle is about, and the block that makes it final. */
function provenBlock(bundle: Bundle, isSigned: IsSigned): ProvenBlock {
  const headers = bundle.headers.map((header, position) => readHeader(bytesOf(header), `Header ${position + 1}`))
  const [block, last] = [headers[0], headers.at(-1)]
  if (!block || !last) throw new ProofRefusal('broken_header_chain', 'The bundle has no header.')
  if (block.number !== bundle.block.number || hexOf(block.hash) !== bundle.block.hash)
    throw new ProofRefusal(
      'other_block',
      `The first header is of block ${block.number}, ${hexOf(block.hash)}, and not of the block that the bundle names.`,
    )
  const { set, since, genesis, handOvers } = authoritySetOf(bundle, isSigned)
  checkDescent(headers)
  if (last.number <= since)
    throw new ProofRefusal(
      'hand_over_out_of_order',
      `The bundle hands over to the validators after block ${since}, and block ${last.number} is not behind it.`,
    )
  const finality = checkJustification(bytesOf(bundle.justification), last, set, isSigned)
  return { block, last, finality, headers: { genesis, handOvers, headers } }
}

/** Follows the validators from genesis; `since` is the block of the last hand-over. */
function authoritySetOf(
  { genesis, genesisHash, handOvers: given }: Bundle,
  isSigned: IsSigned,
): { set: AuthoritySet; since: number; genesis: Header; handOvers: Header[] } {
  const header = readHeader(bytesOf(genesis.header), 'The header of genesis')
  if (hexOf(header.hash) !== genesisHash || header.number !== 0)
    throw new ProofRefusal('wrong_genesis_header', `The header of genesis is not that of the genesis ${genesisHash}.`)
  let set = genesisAuthoritySet(header, genesis.nodes)
  let since = 0
  const handOvers: Header[] = []
  for (const handOver of given) {
    const next = readHeader(bytesOf(handOver.header), 'The header of a hand-over')
    if (next.number <= since)
      throw new ProofRefusal(
        'hand_over_out_of_order',
        `The hand-over in block ${next.number} is not behind block ${since}.`,
      )
    const after = nextAuthoritySet(set, next)
    checkJustification(bytesOf(handOver.justification), next, set, isSigned)
    set = after
    since = next.number
    handOvers.push(next)
  }
  return { set, since, genesis: header, handOvers }
}

/**
 * Reads the block's time and the answer, and lists all that was read for them. The state tells its own genesis too:
 * validators sign no name of their ledger, and one key may serve two.
 */
export function readAnswer(
  question: Question,
  genesisHash: Hex,
  state: LedgerState,
): { answer: Answer; time: string; storage: StorageEntry[] } {
  const recorded = new RecordedState(state)
  const time = timeOf(recorded.value(TIMESTAMP_NOW))
  const genesis = recorded.value(GENESIS_HASH)
  if (!genesis || hexOf(genesis) !== genesisHash)
    throw new ProofRefusal('other_genesis', `The block is of a ledger with another genesis than ${genesisHash}.`)
  const answer = answerOf(question, recorded)
  return { answer, time, storage: recorded.entries() }
}

function timeOf(value: Uint8Array | undefined): string {
  if (!value) throw new ProofRefusal('bad_value', 'The state of the block tells no time.')
  const milliseconds = readAll(value, 'The time of the block', (reader) => reader.unsigned(8), 'bad_value')
  const time = new Date(Number(milliseconds))
  if (Number.isNaN(time.getTime())) throw new ProofRefusal('bad_value', 'The time of the block is beyond all dates.')
  return time.toISOString()
}

/** Checks that the bundle tells exactly what was read. */
function compareStorage(told: readonly StorageEntry[], read: readonly StorageEntry[]): void {
  for (const [position, entry] of read.entries()) {
    const said = told[position]
    if (said === undefined || nameOf(said) !== nameOf(entry))
      throw new ProofRefusal(
        'other_storage',
        `The question is answered by the storage key ${nameOf(entry)}; the bundle tells ${said ? nameOf(said) : 'nothing'} in its place.`,
      )
    if (JSON.stringify(contentOf(said)) !== JSON.stringify(contentOf(entry)))
      throw new ProofRefusal(
        'other_storage',
        `The bundle tells another value of the storage key ${nameOf(entry)} than its proof.`,
      )
  }
  if (told.length > read.length)
    throw new ProofRefusal('other_storage', 'The bundle tells values that the question does not need.')
}

const nameOf = (entry: StorageEntry): Hex => ('prefix' in entry ? entry.prefix : entry.key)
const contentOf = (entry: StorageEntry): unknown => ('prefix' in entry ? [entry.keys] : entry.value)
