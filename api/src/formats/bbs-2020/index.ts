import { found } from '../bbs/proof-findings.js'
import { type Finding, failed, unavailable } from '../check.js'
import type { Checking, CredentialFormat, FormatTools, Proof, Recognised } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, idOf, isObject, type Json, type JsonObject, quoted, textOf } from '../json.js'
import { wrongInCredential } from '../json-ld/canonical/credential-form.js'
import { claimsOf } from '../json-ld/document-claims.js'
import { checkLimits } from '../json-ld/limits.js'

const SIGNATURE = 'BbsBlsSignature2020'
const DERIVED = 'BbsBlsSignatureProof2020'

/**
 * Credentials of other issuers with BbsBlsSignature2020, whose statements are signed one by one. They are verified, and
 * not issued. https://w3c-ccg.github.io/ldp-bbs2020/
 */
export const bbs2020: CredentialFormat = {
  name: 'jsonld',
  algorithms: [],
  registryTypeFor: () => 'StatusList2021Entry',
  build() {
    throw new Error('credentials with BbsBlsSignature2020 are not issued here')
  },
  recognise: (given) => (typeof given === 'string' ? undefined : recognise(given)),
}

function recognise(document: JsonObject): Recognised | undefined {
  const { proof, ...unsigned } = document
  if (!isObject(proof) || (proof.type !== SIGNATURE && proof.type !== DERIVED)) return undefined
  if (asArray(document.type).includes('VerifiablePresentation')) return undefined
  const wrong = wrongIn(document)
  if (wrong !== undefined) return { kind: 'credential', wrong }
  return { kind: 'credential', claims: claimsOf(document), proofs: [proofOver(unsigned, proof)] }
}

function wrongIn(document: JsonObject): Finding | undefined {
  const wrong = wrongInCredential(document)
  if (wrong !== undefined) return failed('malformed', wrong)
  try {
    checkLimits(document)
    return undefined
  } catch (error) {
    if (error instanceof FormatError) return failed(error.code, error.message)
    throw error
  }
}

const proofOver = (unsigned: JsonObject, proof: JsonObject): Proof => ({
  shown: proof,
  created: proof.created,
  expires: asArray(proof.expires),
  challenge: proof.challenge,
  domain: proof.domain,
  checking: checkingOf(unsigned, proof),
})

/**
 * The members of a proof. Its statements and those of the document are signed as one list, in which nobody sees where the
 * proof ends: a claim could be moved out of the document into a proof that may say anything.
 */
const MEMBERS = [
  'type',
  'created',
  'verificationMethod',
  'proofPurpose',
  'proofValue',
  'expires',
  'domain',
  'challenge',
  'nonce',
]

function checkingOf(unsigned: JsonObject, proof: JsonObject): Checking {
  const nobody = (finding: Finding): Checking => ({ by: 'nobody', finding })
  if (proof.type === DERIVED) return nobody(unavailable(`proofs of type ${DERIVED} cannot be checked here`))
  if (proof.proofPurpose !== 'assertionMethod')
    return nobody(failed('wrong_purpose', 'proofPurpose is not assertionMethod'))
  const other = Object.keys(proof).find((name) => !MEMBERS.includes(name))
  if (other !== undefined) return nobody(failed('malformed', `the proof has a member of its own, ${quoted(other)}`))
  const id = idOf(proof.verificationMethod)
  if (id === undefined) return nobody(failed('malformed', 'the proof names no verificationMethod'))
  const signature = signatureIn(proof.proofValue)
  if (signature === undefined) return nobody(failed('invalid_signature', 'proofValue is not a signature of 112 bytes'))
  return {
    by: 'keys',
    keys: [{ id, purpose: 'assertionMethod', kind: 'Bls12381G2', half: 'public' }],
    check: ([{ publicKey }], tools) =>
      found(async () => tools.bbs.isSignature2020(await statementsOf(unsigned, proof, tools), signature, publicKey)),
  }
}

/** The statements about the proof, then those of the document, as they are signed: a line of N-Quads each. */
async function statementsOf(unsigned: JsonObject, proof: JsonObject, tools: FormatTools): Promise<string[]> {
  const { proofValue: _, ...options } = proof
  const context = unsigned['@context'] ?? []
  const canonical = await tools.canonicalWith([context])
  const texts = [await canonical({ ...options, '@context': context }), await canonical(unsigned)]
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''))
}

const LENGTH = 112

/** The bytes of a text in base64, which has one form. */
function signatureIn(value: Json | undefined): Uint8Array | undefined {
  const text = textOf(value) ?? ''
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === LENGTH && bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined
}
