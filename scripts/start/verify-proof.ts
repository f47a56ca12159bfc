import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { isSignedByOpenssl } from '@accredit/chain/openssl-signatures'
import {
  type KnownBlock,
  MOST_BYTES,
  type ProofBlock,
  ProofRefusal,
  type ProvenAnswer,
  shownJson,
  verifyProof,
} from '@accredit/chain/proof'
import { endWith } from './command.js'
import { asksForHelp } from './options.js'
import { Refusal } from './refusal.js'

const usage = `npm run verify-proof -- FILE --genesis HASH [--known NUMBER:HASH …] [--json]
  Checks a bundle that proves an answer about the ledger, offline, and prints the question, the answer, the block, its
  time, which validators made it final, the blocks that the proof stands on, and which validators are trusted not to
  have signed another past. The exit code is 0 where all of it is proved, else 1, with the reason.
  FILE                 the bundle, JSON of at most ${MOST_BYTES} bytes
  --genesis HASH       the hash of the ledger's block 0, which you know from somebody other than whoever gave you the bundle
  --known NUMBER:HASH  a final block that you know likewise: from a node of your own, from another proof (all about
                       later blocks stand on the same hand-overs). A proof that does not stand on it is refused. May be repeated
  --json               print the same as JSON`

const ROLES: Readonly<Record<ProofBlock['role'], string>> = {
  genesis: 'genesis',
  handOver: 'hand-over to other validators',
  asked: 'the block',
  between: 'after it',
  final: 'final',
}

/** Checks the bundle that the arguments name; see `usage`. */
export function verifyProofHere(argv: string[]): Promise<void> {
  return endWith(() => checkBundle(argv, console.log))
}

/** Prints what a bundle proves, and returns the exit code. Throws a sentence where it proves nothing. */
export async function checkBundle(argv: string[], print: (text: string) => void): Promise<number> {
  if (asksForHelp(argv)) {
    print(usage)
    return 0
  }
  const { json, ...bundle } = readArguments(argv)
  const proven = await provenBundle(bundle)
  print(json ? shownJson(proven, 2) : told(proven, bundle.known))
  return 0
}

/** A bundle, and what its reader knows from elsewhere. */
export interface BundleArguments {
  file: string
  genesis: string
  known: KnownBlock[]
}

export const bundleOptions = { genesis: { type: 'string' }, known: { type: 'string', multiple: true } } as const

function readArguments(argv: string[]): BundleArguments & { json: boolean } {
  const { values, positionals } = parsed(argv)
  const [file, ...more] = positionals
  const { genesis, known, json = false } = values
  if (file === undefined || more.length > 0 || genesis === undefined) throw new Refusal(usage)
  return { ...bundleArguments(file, genesis, known), json }
}

/** Reads what belongs to a bundle; throws a sentence where a hash is none. */
export function bundleArguments(file: string, genesis: string, known: string[] = []): BundleArguments {
  if (!/^0x[0-9a-fA-F]{64}$/.test(genesis))
    throw new Refusal(`--genesis is 0x and 64 hexadecimal digits, not '${genesis}'.`)
  return { file, genesis, known: known.map(knownBlock) }
}

function knownBlock(text: string): KnownBlock {
  const [, number = '', hash = ''] = /^(\d{1,10}):(0x[0-9a-fA-F]{64})$/.exec(text) ?? []
  if (hash === '')
    throw new Refusal(
      `--known is the number of a block, a colon and its hash (0x and 64 hexadecimal digits), not '${text}'.`,
    )
  return { number: Number(number), hash }
}

function parsed(argv: string[]) {
  const options = { ...bundleOptions, json: { type: 'boolean' } } as const
  try {
    return parseArgs({ args: argv, options, allowPositionals: true })
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : error}\n${usage}`)
  }
}

/** Reads no more of a file than a byte beyond the limit, by which the verifier sees that it is too long. */
async function bytesOf(file: string): Promise<Uint8Array> {
  const handle = await open(file).catch((error: Error) => {
    throw new Refusal(`${file} cannot be read: ${error.message}`)
  })
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of handle.createReadStream({ end: MOST_BYTES })) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    await handle.close()
  }
}

/** Checks a bundle in a file; throws a sentence where it proves nothing. */
export async function provenBundle({ file, genesis, known }: BundleArguments): Promise<ProvenAnswer> {
  const bundle = await bytesOf(file)
  try {
    return verifyProof(bundle, genesis, { isSigned: isSignedByOpenssl, known })
  } catch (error) {
    if (error instanceof ProofRefusal) throw new Refusal(`Not proved (${error.reason}): ${error.message}`)
    throw error
  }
}

function told(proven: ProvenAnswer, known: KnownBlock[]): string {
  const { questionText, answerText, answer, block, finalBlock, standsOn } = proven
  const prices = 'prices' in answer && answer.prices ? Object.entries(answer.prices) : []
  const { number, hash, round, setId, voters, weight, threshold, totalWeight } = finalBlock
  return [
    'Proved.',
    `Question   ${questionText}`,
    `Answer     ${answerText}`,
    ...prices.map(
      ([currency, millionths]) => `           price: ${millionths} millionths of a unit of ${shownJson(currency)}`,
    ),
    `Block      ${block.number}, ${block.hash}`,
    `Time       ${block.time}`,
    `Final      with block ${number}, ${hash}, in round ${round} of validator set ${setId},`,
    `           by weight ${weight} of ${totalWeight}, of which ${threshold} is enough:`,
    ...voters.map((voter) => `           ${voter}`),
    'Stands on  these blocks, for --known (the hand-overs are in all proofs about later blocks, too):',
    ...standsOn.map((one) => `           ${one.number}:${one.hash}  ${roleOf(one, known)}`),
    `Trusted    ${trustOf(proven)}`,
  ].join('\n')
}

function roleOf({ number, role }: ProofBlock, known: KnownBlock[]): string {
  return `${ROLES[role]}${known.some((block) => block.number === number) ? ', known' : ''}`
}

/** Says in words what a proof leaves to trust. */
export function trustOf({ trustedSets, genesisHash }: Pick<ProvenAnswer, 'trustedSets' | 'genesisHash'>): string {
  if (trustedSets === undefined) return 'the known blocks: the answer follows from them'
  const { first, last } = trustedSets
  const beginning = first === 0 ? `the genesis ${genesisHash}` : 'the known blocks'
  const sets = first === last ? `validator set ${last}` : `any of validator sets ${first} to ${last}`
  return `${beginning}, and that no two thirds of ${sets} signed another past`
}
