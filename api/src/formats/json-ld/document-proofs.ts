import { type Finding, type Findings, failed, passed, unavailable } from '../check.js'
import type { Checking, FormatTools, HashOf, NeededKey, Proof, ProofPurpose } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, idOf, isObject, type Json, type JsonObject, quoted, textOf } from '../json.js'
import { checkProof, type ProofCheck, proofsOf } from './linked-data-proof.js'
import { suiteForProof } from './signature-suites.js'

/** The proofs of a document, each of which stands over the whole of it. */
export function documentProofs(document: JsonObject, purpose: ProofPurpose): Proof[] {
  const { proof: _, ...unsigned } = document
  const hash = oncePerDocument((tools) => tools.hashWith(contextsIn(document)))
  return proofsOf(document).map((proof) => ({
    shown: proof,
    created: proof.created ?? null,
    expires: asArray(proof.expires),
    challenge: proof.challenge,
    domain: proof.domain,
    checking: checkingOf(unsigned, proof, purpose, hash),
  }))
}

type HashFor = (tools: FormatTools) => HashOf

function checkingOf(unsigned: JsonObject, proof: JsonObject, purpose: ProofPurpose, hash: HashFor): Checking {
  const suite = suiteForProof(textOf(proof.type) ?? '')
  if (!suite) return nobody(failed('unsupported_proof', `proofs of type ${quoted(proof.type)} cannot be checked`))
  if (proof.proofPurpose !== purpose) return nobody(failed('wrong_purpose', `proofPurpose is not ${purpose}`))
  const id = idOf(proof.verificationMethod)
  if (id === undefined) return nobody(failed('malformed', 'the proof names no verificationMethod'))
  const key: NeededKey = { id, purpose, kind: suite.algorithm.keyKind, half: 'public' }
  return {
    by: 'keys',
    keys: [key],
    check: ([{ publicKey }], tools) => signatureFinding({ unsigned, proof, suite, publicKey, hash: hash(tools) }),
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
    return { proof: verified ? passed() : failed('invalid_signature', reason) }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    const { code, message } = error
    if (code === 'unknown_context' || code === 'unavailable') return { proof: unavailable(message) }
    const isOfForm = code === 'malformed' || code === 'invalid_context'
    return { proof: failed(code, message), ...(isOfForm && { structure: failed('malformed', message) }) }
  }
}
