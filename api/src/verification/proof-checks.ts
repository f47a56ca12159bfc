import { contextsOf, type Documents } from '../credentials/hosted.js'
import { SuiteError } from '../formats/format-error.js'
import { idOf, isObject, type Json, type JsonObject, quoted, textOf } from '../formats/json.js'
import type { HashOf } from '../formats/json-ld/canonical/canonize.js'
import type { ExtraContexts } from '../formats/json-ld/contexts/document-loader.js'
import { suiteForProof } from '../formats/json-ld/index.js'
import { checkProof, proofsOf } from '../formats/json-ld/linked-data-proof.js'
import type { ProofPurpose } from '../formats/json-ld/suite.js'
import type { At } from '../ledger/read/at.js'
import type { Environment } from '../platform/http/context.js'
import { type Finding, type Findings, failed, passed, unavailable } from './check.js'
import { keyAt, type VerificationMethod } from './key-at.js'
import { instantOf } from './validity.js'

/** Whoever asks brings its own way to canonical forms, which counts as its work. */
export interface ProofDoor extends Pick<Environment, 'index' | 'db'>, Pick<Documents, 'remoteDocuments'> {
  hashWith(contexts: ExtraContexts): HashOf
}

/** What was found out about one proof. */
export interface ProofOutcome {
  proof: JsonObject
  method: VerificationMethod | undefined
  findings: Findings
}

export interface ProofQuestion {
  purpose: ProofPurpose
  /** Whose key it must be; undefined: whoever the proof names. */
  by: string | undefined
  at: At
}

/** Every proof of a document must hold: `structure`, `proof` and `issuerKey` of each. */
export async function checkProofs(
  door: ProofDoor,
  document: JsonObject,
  question: ProofQuestion,
): Promise<ProofOutcome[]> {
  const { proof: _, ...unsigned } = document
  const hash = oncePerDocument(await hashWithContexts(door, document))
  return Promise.all(proofsOf(document).map((proof) => checkOneProof(door, unsigned, proof, { ...question, hash })))
}

/** What cannot be loaded for a document makes its canonical form fail. */
const hashWithContexts = async (door: ProofDoor, document: JsonObject): Promise<HashOf> => {
  try {
    const { contexts, missing } = await contextsOf(door, ...contextsIn(document))
    const [first] = missing
    if (first === undefined) return door.hashWith(contexts)
    const [url, reason] = first
    throw new SuiteError('unknown_context', `the context ${url.slice(0, 200)} is not available: ${reason}`)
  } catch (error) {
    if (error instanceof SuiteError) return () => Promise.reject(error)
    throw error
  }
}

/** However many proofs a document has, it is brought into its canonical form once. */
function oncePerDocument(hash: HashOf): HashOf {
  const known = new WeakMap<JsonObject, Promise<Uint8Array>>()
  return (document) => {
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

type OneProof = ProofQuestion & { hash: HashOf }

async function checkOneProof(
  door: ProofDoor,
  unsigned: JsonObject,
  proof: JsonObject,
  question: OneProof,
): Promise<ProofOutcome> {
  const refused = (finding: Finding): ProofOutcome => ({ proof, method: undefined, findings: { proof: finding } })
  const suite = suiteForProof(textOf(proof.type) ?? '')
  if (!suite) return refused(failed('unsupported_proof', `proofs of type ${quoted(proof.type)} cannot be checked`))
  if (proof.proofPurpose !== question.purpose)
    return refused(failed('wrong_purpose', `proofPurpose is not ${question.purpose}`))
  const verificationMethod = idOf(proof.verificationMethod)
  if (verificationMethod === undefined) return refused(failed('malformed', 'the proof names no verificationMethod'))
  const { purpose, at, hash } = question
  const key = await keyAt(door, { verificationMethod, purpose, created: instantOf(proof.created), at })
  const owner = ownerFinding(verificationMethod, question)
  const signed = key.publicKey
    ? await signatureFinding({ unsigned, proof, suite, publicKey: key.publicKey, hash })
    : { proof: failed('no_key', key.finding.detail) }
  return { proof, method: key.method, findings: { ...signed, issuerKey: worseOf(owner, key.finding) } }
}

const worseOf = (owner: Finding, key: Finding): Finding => (owner.passed === false ? owner : key)

function ownerFinding(verificationMethod: string, { by }: ProofQuestion): Finding {
  const [owner] = verificationMethod.split('#')
  return by === undefined || owner === by
    ? passed()
    : failed('not_the_issuer', 'the key that signed does not belong to who is named in the document')
}

async function signatureFinding(check: Parameters<typeof checkProof>[0]): Promise<Findings> {
  try {
    const { verified, reason } = await checkProof(check)
    return { proof: verified ? passed() : failed('invalid_signature', reason) }
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    const { code, message } = error
    if (code === 'unknown_context') return { proof: unavailable(message) }
    const isOfForm = code === 'malformed' || code === 'invalid_context'
    return { proof: failed(code, message), ...(isOfForm && { structure: failed('malformed', message) }) }
  }
}
