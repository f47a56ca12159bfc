import { decodeBase58, hexOf } from '@accredit/chain'
import { type Finding, failed, unavailable } from '../check.js'
import type {
  Checking,
  CheckingTools,
  DerivedCredential,
  GivenKey,
  NonEmpty,
  Proof,
  Recognised,
} from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, isObject, type Json, type JsonObject, textOf } from '../json.js'
import { checkPresentationLimits } from '../json-ld/limits.js'
import { type Presented, readPresented } from './presented.js'
import { found } from './proof-findings.js'

/** A presentation in the library's form: one proof over what is shown of several credentials. */
export interface AnonymousPresentation {
  readonly credentials: NonEmpty<Presented>
  readonly proof: Pick<Proof, 'challenge' | 'domain' | 'checking' | 'expires'>
}

const MEMBERS = ['version', 'nonce', 'context', 'spec', 'proof']
const PARTS = ['credentials', 'attributeEqualities', 'boundedPseudonyms', 'unboundedPseudonyms']

/** The versions whose checks are complete: earlier ones left the type of a status out of the proof. */
const NEWEST = '0.10.0'
const VERSIONS: readonly Json[] = ['0.8.0', '0.9.0', NEWEST]

const MOST_CREDENTIALS = 8

/**
 * The longest proof, in base58, whose decoding takes the square of its length: three credentials with all the messages
 * that one can have need less.
 */
const MOST_OF_PROOF = 40_000

/** The longest nonce, in base58 as well: a verifier's question is short. */
const MOST_OF_NONCE = 512

/** The most equalities that a holder may state of all credentials together. */
const MOST_EQUALITIES = 64

/** Reads an object in the library's form of presentations; undefined: it is none. */
export function recognisePresentation(given: JsonObject): Recognised | undefined {
  if ('@context' in given || !isObject(given.spec) || !Array.isArray(given.spec.credentials)) return undefined
  const read = limited(given) ?? readPresentation(given)
  if ('passed' in read) return { kind: 'presentation', wrong: read }
  const { credentials, proof } = read
  const { version = null, nonce = null, context = null } = given
  return {
    kind: 'presentation',
    holder: undefined,
    dates: { begins: [], ends: [] },
    credentials: credentials.map(({ claims, key }): DerivedCredential => ({ kind: 'derived', claims, key })),
    proofs: [
      {
        ...proof,
        shown: { type: credentials[0].derivedType, version, nonce, context },
        created: undefined,
      },
    ],
  }
}

function limited(given: JsonObject): Finding | undefined {
  try {
    checkPresentationLimits(given)
    return undefined
  } catch (error) {
    if (error instanceof FormatError) return failed(error.code, error.message)
    throw error
  }
}

/** @returns a finding where the presentation cannot be checked */
export function readPresentation(given: JsonObject): AnonymousPresentation | Finding {
  const spec = isObject(given.spec) ? given.spec : {}
  const other = unknownIn(given, MEMBERS) ?? unknownIn(spec, PARTS)
  if (other !== undefined) return unavailable(`${other.slice(0, 64)} of a presentation cannot be checked here`)
  if (!VERSIONS.includes(given.version ?? null))
    return failed('malformed', 'the version of the presentation is not known')
  if (!isEmpty(spec.boundedPseudonyms) || !isEmpty(spec.unboundedPseudonyms))
    return unavailable('pseudonyms cannot be checked here')
  const proof = textOf(given.proof)
  if (proof === undefined) return failed('malformed', 'the presentation has no proof')
  if (proof.length > MOST_OF_PROOF) return failed('too_large', `its proof has more than ${MOST_OF_PROOF} characters`)
  if ((textOf(given.nonce) ?? '').length > MOST_OF_NONCE)
    return failed('too_large', `its nonce has more than ${MOST_OF_NONCE} characters`)
  if (asArray(spec.attributeEqualities).length > MOST_EQUALITIES)
    return failed('too_large', `it states more than ${MOST_EQUALITIES} equalities`)
  const listed = Array.isArray(spec.credentials) ? spec.credentials : []
  if (listed.length > MOST_CREDENTIALS) return failed('too_large', `it shows more than ${MOST_CREDENTIALS} credentials`)
  const credentials: Presented[] = []
  for (const one of listed) {
    const presented = readPresented(one)
    if ('passed' in presented) return presented
    credentials.push(presented)
  }
  const [first, ...others] = credentials
  if (first === undefined) return failed('malformed', 'it shows no credential')
  if (given.version !== NEWEST && others.some(({ key }) => key.half === 'private'))
    return unavailable(`several credentials with BBDT16 can be checked in presentations of version ${NEWEST} only`)
  const all = [first, ...others] as const
  return {
    credentials: all,
    proof: {
      challenge: nonceText(given.nonce),
      domain: given.context ?? undefined,
      expires: all.flatMap(({ expires }) => expires),
      checking: checkingOf(given, all),
    },
  }
}

const unknownIn = (object: JsonObject, known: readonly string[]): string | undefined =>
  Object.keys(object).find((name) => !known.includes(name) && object[name] !== null)

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)

/** The verifier's nonce as a text, or in hexadecimal where its bytes are none. */
function nonceText(nonce: Json | undefined): string | undefined {
  const bytes = decodeBase58(textOf(nonce) ?? '')
  if (bytes === undefined || bytes.length === 0) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return hexOf(bytes)
  }
}

function checkingOf(presentation: JsonObject, credentials: NonEmpty<Presented>): Checking {
  const [first, ...others] = credentials
  return {
    by: 'keys',
    keys: [first.key, ...others.map(({ key }) => key)],
    check: (keys, { bbs, accumulatorKey }) =>
      found(async () => {
        const isKeyed = (place: number) => credentials[place]?.key.half === 'private'
        const publicKeys = keys.map(({ publicKey }, place) => (isKeyed(place) ? null : publicKey))
        const accumulatorKeys = await Promise.all(credentials.map((one) => keyOfStatus(one, accumulatorKey)))
        const keyed = await bbs.keyedProofs(presentation, publicKeys, accumulatorKeys)
        return keyed !== undefined && areRight(keyed, keys, isKeyed)
      }),
  }
}

/** @throws FormatError where a status cannot be proven, since nobody here knows its accumulator */
async function keyOfStatus(
  { claims: { statuses } }: Presented,
  accumulatorKey: CheckingTools['accumulatorKey'],
): Promise<Uint8Array | null> {
  const [entry] = statuses
  if (!isObject(entry)) return null
  const key = await accumulatorKey(entry)
  if (key !== undefined) return key
  throw new FormatError('unavailable', 'it proves a status in an accumulator that this ledger does not have')
}

/** Asks the private keys of issuers about the proofs that stand in this very presentation, and in no other. */
async function areRight(
  keyed: readonly (Uint8Array | null)[],
  keys: readonly GivenKey[],
  isKeyed: (place: number) => boolean,
): Promise<boolean> {
  for (const [place, key] of keys.entries()) {
    if (!isKeyed(place)) continue
    const proof = keyed[place] ?? null
    if (proof === null || !(await key.ask('verifyKeyed', { proof }))) return false
  }
  return true
}
