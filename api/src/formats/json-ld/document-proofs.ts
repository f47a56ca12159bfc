import { type Finding, type Findings, failed, passed, unavailable } from '../check.js'
import type { Checking, FormatTools, HashOf, NeededKey, Proof, ProofPurpose } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, idOf, isObject, type Json, type JsonObject } from '../json.js'
import { checkProof, type ProofCheck, proofsOf } from './linked-data-proof.js'
import type { SignatureSuite } from './suites/signature-suite.js'
import { suiteForProof } from './suites/signature-suites.js'

/** The proofs of a document, each of which stands over the whole of it. */
export function documentProofs(document: JsonObject, purpose: ProofPurpose): Proof[] {
  const { proof: _, ...unsigned } = document
  const hash = oncePerDocument((tools) => tools.hashWith(contextsIn(document)))
  const proofs = proofsOf(document)
  return proofs.map((proof) => ({
    shown: proof,
    created: timeOf(proof),
    expires: asArray(proof.expires),
    challenge: proof.challenge,
    domain: proof.domain,
    checking: checkingOf(withPrevious(unsigned, proof, proofs), proof, purpose, hash),
  }))
}

/** The time of its making; null, which is none, where a proof of its kind has to tell it. */
function timeOf(proof: JsonObject): Json | undefined {
  const suite = suiteForProof(proof)
  return proof.created === undefined && !('isTimeOptional' in suite) ? null : proof.created
}

type HashFor = (tools: FormatTools) => HashOf

/**
 * The document that a proof stands over: without proofs, but for those that it names as made before it. Returns why
 * there is none. https://www.w3.org/TR/vc-data-integrity/#proof-chains
 */
function withPrevious(unsigned: JsonObject, proof: JsonObject, all: readonly JsonObject[]): JsonObject | string {
  const { previousProof } = proof
  if (previousProof === undefined) return unsigned
  const named = asArray(previousProof)
  const previous = all.filter(({ id }) => named.some((one) => one === id))
  const isWhole = named.length > 0 && previous.length === named.length && new Set(named).size === named.length
  return isWhole && named.every((id) => previous.some((one) => one.id === id))
    ? { ...unsigned, proof: previous }
    : 'previousProof does not name proofs of the document, each by its id'
}

function checkingOf(unsigned: JsonObject | string, proof: JsonObject, purpose: ProofPurpose, hash: HashFor): Checking {
  const suite = suiteForProof(proof)
  if ('reason' in suite) return nobody(failed(suite.reason, suite.detail))
  const other = typeof unsigned === 'string' ? undefined : suite.otherForm?.({ document: unsigned, proof })
  if (other !== undefined) return nobody(unavailable(other))
  if (proof.proofPurpose !== purpose) return nobody(failed('wrong_purpose', `proofPurpose is not ${purpose}`))
  if (typeof unsigned === 'string') return nobody(failed('malformed', unsigned))
  const id = idOf(proof.verificationMethod)
  if (id === undefined) return nobody(failed('malformed', 'the proof names no verificationMethod'))
  const key: NeededKey = { id, purpose, kind: suite.keyKind, half: 'public' }
  return {
    by: 'keys',
    keys: [key],
    check: ([{ publicKey }], tools) =>
      signatureFinding({ unsigned, proof, suite, publicKey, hash: hash(tools), tools }),
  }
}

const nobody = (finding: Finding): Checking => ({ by: 'nobody', finding })

/** Hashes a document once for all its proofs. */
function oncePerDocument(hashing: (tools: FormatTools) => Promise<HashOf>): HashFor {
  let opened: Promise<HashOf> | undefined
  const known = new WeakMap<JsonObject, Promise<Uint8Array>>()
  return (tools) => async (document) => {
    opened ??= hashing(tools)
    const hash = await opened
    const found = known.get(document) ?? hash(document)
    known.set(document, found)
    return found
  }
}

/** The contexts of a document and of the credentials inside it. */
function contextsIn(document: JsonObject): (Json | undefined)[] {
  const inner = document.verifiableCredential
  const credentials = Array.isArray(inner) ? inner : [inner ?? null]
  return [
    document['@context'],
    ...credentials.map((credential) => (isObject(credential) ? credential['@context'] : undefined)),
  ]
}

async function signatureFinding(check: ProofCheck): Promise<Findings> {
  try {
    const { verified, reason } = await checkProof(check)
    return { proof: verified ? passedBy(check.suite) : failed('invalid_signature', reason) }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const { code, message } = error
    if (code === 'unknown_context') return { proof: unavailable(message) }
    const isOfForm = code === 'malformed' || code === 'invalid_context'
    return { proof: failed(code, message), ...(isOfForm && { structure: failed('malformed', message) }) }
  }
}

const passedBy = ({ isDeprecated, proofType }: SignatureSuite): Finding =>
  passed(isDeprecated && { warning: `proofs of type ${proofType} are deprecated` })
