import { ed25519 } from '@noble/curves/ed25519'
import { concatBytes } from '@noble/hashes/utils'
import type { AuthoritySet } from './authority-set.js'
import { type Hex, hexOf, littleEndian } from './bytes.js'
import { type Header, readInnerHeader } from './header.js'
import { ProofRefusal } from './refusal.js'
import { readAll, type ScaleReader } from './scale-reader.js'

/** The votes by which validators made a block final. */
export interface Finality {
  readonly round: bigint
  readonly setId: number
  /** The Ed25519 keys that voted, as the justification names them. */
  readonly voters: readonly Hex[]
  readonly weight: bigint
  readonly threshold: bigint
  readonly totalWeight: bigint
}

/** Tells whether a signature of Ed25519 is over this message, by this key. Bytes of any kind are a question. */
export type IsSigned = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => boolean

export interface Vote {
  readonly target: Target
  readonly signature: Uint8Array
  readonly voter: Uint8Array
}

/** A block that a vote is for. */
export interface Target {
  readonly hash: Uint8Array
  readonly number: number
}

/**
 * Checks that a GRANDPA justification makes a block final: votes of validators of this set, each once and signed over
 * this round and set, for the block or one that is shown to descend from it, of more than two thirds of the weight.
 *
 * GRANDPA itself counts a validator that voted for two blocks as voting for everything, and keeps both votes. Here it
 * may vote once: whoever makes a bundle leaves one of them out.
 */
export function checkJustification(bytes: Uint8Array, block: Header, set: AuthoritySet, isSigned: IsSigned): Finality {
  const name = `The justification of block ${block.number}`
  const { round, target, votes, ancestry } = readAll(bytes, name, readJustification)
  if (hexOf(target.hash) !== hexOf(block.hash) || target.number !== block.number)
    throw new ProofRefusal('justifies_other_block', `${name} is for block ${target.number}, ${hexOf(target.hash)}.`)
  const voters = votersOf(votes, set, name)
  checkAncestry(votes, block, ancestry, name)
  for (const vote of votes) checkSignature(vote, { round, set, name, isSigned })
  const weight = voters.reduce((sum, voter) => sum + (set.weights.get(voter) ?? 0n), 0n)
  if (weight < set.threshold)
    throw new ProofRefusal(
      'too_few_votes',
      `${name} has votes of weight ${weight}; ${set.threshold} of ${set.totalWeight} are needed.`,
    )
  return { round, setId: set.id, voters, weight, threshold: set.threshold, totalWeight: set.totalWeight }
}

function readJustification(reader: ScaleReader) {
  const round = reader.unsigned(8)
  const target = readTarget(reader)
  const votes = reader.list(readVote)
  const ancestry = reader.list(readInnerHeader)
  return { round, target, votes, ancestry }
}

export function readVote(reader: ScaleReader): Vote {
  return { target: readTarget(reader), signature: reader.take(64), voter: reader.take(32) }
}

export function readTarget(reader: ScaleReader): Target {
  return { hash: reader.take(32), number: reader.u32() }
}

function votersOf(votes: readonly Vote[], set: AuthoritySet, name: string): Hex[] {
  const voters = votes.map(({ voter }) => hexOf(voter))
  for (const [position, voter] of voters.entries()) {
    if (!set.weights.has(voter))
      throw new ProofRefusal(
        'unknown_voter',
        `${name} has a vote of ${voter}, which is not in validator set ${set.id}.`,
      )
    if (voters.indexOf(voter) !== position) throw new ProofRefusal('voter_twice', `${name} has two votes of ${voter}.`)
  }
  return voters
}

/** Checks that each vote is for the block or for a descendant of it, and that each header shows that of some vote. */
function checkAncestry(votes: readonly Vote[], block: Header, ancestry: readonly Header[], name: string): void {
  const headers = new Map(ancestry.map((header) => [hexOf(header.hash), header]))
  const final = hexOf(block.hash)
  const used = new Set<Hex>()
  for (const { target, voter } of votes) {
    const other = (why: string) =>
      new ProofRefusal('vote_for_other_block', `The vote of ${hexOf(voter)} in ${lowerFirst(name)} ${why}.`)
    let at = hexOf(target.hash)
    let { number } = target
    for (; at !== final; number -= 1) {
      const header = headers.get(at)
      if (header === undefined) throw other('is for a block that is not shown to descend from it')
      if (header.number !== number) throw other('is for a block of another number')
      used.add(at)
      at = hexOf(header.parentHash)
    }
    if (number !== block.number) throw other('is for a block of another number')
  }
  if (used.size !== ancestry.length)
    throw new ProofRefusal('unused_header', `${name} holds headers that no vote needs.`)
}

/** The number of a precommit among GRANDPA's messages. */
const PRECOMMIT = Uint8Array.of(1)

interface Voting {
  readonly round: bigint
  readonly set: AuthoritySet
  readonly name: string
  readonly isSigned: IsSigned
}

function checkSignature({ target, signature, voter }: Vote, { round, set, name, isSigned }: Voting): void {
  const message = concatBytes(
    PRECOMMIT,
    target.hash,
    littleEndian(target.number, 4),
    littleEndian(round, 8),
    littleEndian(set.id, 8),
  )
  if (!isSigned(signature, message, voter))
    throw new ProofRefusal(
      'bad_signature',
      `The signature of ${hexOf(voter)} in ${lowerFirst(name)} is not over this vote, round ${round} and validator set ${set.id}.`,
    )
}

/** Checks as RFC 8032 does, strictly. */
export function isStrictlySigned(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, message, key, { zip215: false })
  } catch {
    // The bytes are no signature, or no key.
    return false
  }
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)
