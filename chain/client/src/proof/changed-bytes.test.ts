import { expect, test } from 'vitest'
import { isSignedByOpenssl } from '../openssl-signatures.js'
import type { Hex } from './bytes.js'
import { makeBundle } from './make-bundle.js'
import type { Question } from './question.js'
import { ProofRefusal } from './refusal.js'
import { handOver, MAY_ISSUE } from './testing/sample-bundle.js'
import { didNamed, REGISTRY, STATUS_LIST, sampleLedger } from './testing/sample-ledger.js'
import { justify, TestNetwork, validators } from './testing/test-network.js'
import { verifyProof } from './verify-proof.js'

interface Small {
  readonly text: string
  readonly hash: Hex
}

/** A bundle of few bytes: the validators are one, who hands over to the next one. */
function smallBundle(question: Question): Small {
  const [only, next] = [validators(1), validators(2)]
  const small = new TestNetwork(only)
  const change = small.add(new Map(), { next })
  const asked = small.add(sampleLedger())
  const after = small.add()
  const bundle = makeBundle(question, {
    ...small.partsAbout(asked, justify(asked, next, { setId: 1, descendants: [after] })),
    handOvers: [handOver(change, only)],
  })
  return { text: JSON.stringify(bundle), hash: small.genesis.hash }
}

const university = didNamed('university')
const KINDS: readonly Question[] = [
  MAY_ISSUE,
  { kind: 'registry', registryId: REGISTRY },
  { kind: 'did', did: university },
  { kind: 'key', did: university, keyNumber: 1 },
  { kind: 'status', registryId: STATUS_LIST, index: 2_053 },
]

const DIGITS = '0123456789abcdef'
/** Each byte is changed to one other; `npm run soak -- proofs` changes it to several. */
const isSoak = process.env.SOAK_PROOF_BYTES === 'all'
/**
 * Every fourth byte of each member is changed, since each change is a check of the whole bundle: others in each kind of
 * bundle, and so all bytes of the members that are the same in all. The soak changes every byte of each.
 */
const STEP = isSoak ? 1 : 4

/** Returns other bytes that may stand in the same place: of a hexadecimal digit, other ones. */
function otherBytes(byte: number): number[] {
  const digit = DIGITS.indexOf(String.fromCharCode(byte))
  const others =
    digit === -1
      ? [1, 2, 4, 8, 16, 32, 64, 128].map((bit) => byte ^ bit)
      : [1, 15, 8, 4, 2].map((step) => DIGITS.charCodeAt((digit + step) % 16))
  return isSoak ? others : others.slice(0, 1)
}

/** Changes bytes of a bundle, one at a time, and returns the places of which the verifier says nothing. */
function unnoticed({ text, hash }: Small, first: number): string[] {
  const bytes = new TextEncoder().encode(text)
  const members = Object.keys(JSON.parse(text)).map((name) => text.indexOf(`"${name}":`))
  const placeInMember = (position: number) => position - Math.max(0, ...members.filter((start) => start <= position))
  return Array.from(bytes.keys())
    .filter((position) => placeInMember(position) % STEP === first % STEP)
    .filter((position) => otherBytes(bytes[position] ?? 0).some((byte) => isProved(bytes.with(position, byte), hash)))
    .map((position) => `${position}: ${text.slice(Math.max(0, position - 20), position + 1)}`)
}

function isProved(bytes: Uint8Array, hash: Hex): boolean {
  try {
    verifyProof(bytes, hash, { isSigned: isSignedByOpenssl })
    return true
  } catch (error) {
    return !(error instanceof ProofRefusal)
  }
}

test.each(KINDS.map((question, at) => ({ ...question, question, at })))(
  'a bundle about $kind that is changed in one byte, any fourth one, is refused with a reason',
  ({ question, at }) => {
    const small = smallBundle(question)
    expect(verifyProof(small.text, small.hash).question).toEqual(question)
    expect(small.text.length).toBeGreaterThan(3_000)
    expect(unnoticed(small, at)).toEqual([])
  },
)
