import { type Hex, hexOf, isHex32 } from './bytes.js'
import type { Header } from './header.js'
import { ProofRefusal } from './refusal.js'

/** A final block that the reader knows from elsewhere: from a node of his own, or from an earlier proof. */
export interface KnownBlock {
  readonly number: number
  /** 0x and 64 hexadecimal digits, in either case. */
  readonly hash: string
}

/** A block that a proof stands on. */
export interface ProofBlock {
  readonly number: number
  readonly hash: Hex
  /** A block in which the validators changed is in each proof about a block behind it, whoever asks and about what. */
  readonly role: 'genesis' | 'handOver' | 'asked' | 'between' | 'final'
}

/** The sets of validators, by their numbers, of which two thirds could sign another past than the one that is proved. */
export interface TrustedSets {
  readonly first: number
  readonly last: number
}

export interface ProvenHeaders {
  readonly genesis: Header
  readonly handOvers: readonly Header[]
  /** The block that is asked about, and its descendants to the final one. */
  readonly headers: readonly Header[]
}

/** Lists the blocks that a proof stands on, from genesis on. */
export function proofBlocks({ genesis, handOvers, headers }: ProvenHeaders): ProofBlock[] {
  const last = headers.length - 1
  return [
    proofBlock(genesis, 'genesis'),
    ...handOvers.map((header) => proofBlock(header, 'handOver')),
    ...headers.map((header, at) => proofBlock(header, at === 0 ? 'asked' : at === last ? 'final' : 'between')),
  ]
}

const proofBlock = ({ number, hash }: Header, role: ProofBlock['role']): ProofBlock => ({
  number,
  hash: hexOf(hash),
  role,
})

/**
 * Compares known blocks with those that a proof stands on. A proof of another past is refused, and so is one that does
 * not show a known block: what was not compared is not verified.
 */
export function compareKnown(known: readonly KnownBlock[], blocks: readonly ProofBlock[]): void {
  for (const { number, hash: written } of known) {
    const hash = knownHash(number, written)
    const same = blocks.filter((block) => block.number === number)
    const other = same.find((block) => block.hash !== hash)
    if (other)
      throw new ProofRefusal(
        'contradicts_known_block',
        `The proof stands on block ${number} with the hash ${other.hash}, and the known block ${number} has the hash ${hash}: they are of two pasts.`,
      )
    if (same.length === 0)
      throw new ProofRefusal(
        'known_block_not_compared',
        `The known block ${number} was not compared: the proof stands on ${numbersOf(blocks)}.`,
      )
  }
}

function knownHash(number: number, written: string): Hex {
  const hash = String(written).toLowerCase()
  if (!Number.isSafeInteger(number) || number < 0 || !isHex32(hash))
    throw new ProofRefusal(
      'malformed',
      'A known block has to be a whole number and a hash of 0x and 64 hexadecimal digits.',
    )
  return hash
}

function numbersOf(blocks: readonly ProofBlock[]): string {
  const numbers = blocks.filter(({ role }) => role !== 'between').map(({ number }) => number)
  return `blocks ${[...new Set(numbers)].join(', ')}`
}

/**
 * Returns the sets whose signatures the proof is believed for; undefined where the reader knows the block that is asked
 * about, or a descendant of it. A set before a known block cannot deceive its reader any more.
 */
export function trustedSets(known: readonly KnownBlock[], blocks: readonly ProofBlock[]): TrustedSets | undefined {
  const numbers = new Set(known.map(({ number }) => number))
  const isKnown = ({ number }: ProofBlock) => numbers.has(number)
  if (blocks.some((block) => block.role !== 'genesis' && block.role !== 'handOver' && isKnown(block))) return undefined
  const handOvers = blocks.filter(({ role }) => role === 'handOver')
  return { first: handOvers.findLastIndex(isKnown) + 1, last: handOvers.length }
}
