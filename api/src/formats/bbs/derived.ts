import { type Finding, failed } from '../check.js'
import type { ReadCredential } from '../credential-format.js'
import type { Json, JsonObject } from '../json.js'
import { checkLimits } from '../json-ld/limits.js'
import { readPresentation } from './presentation.js'
import type { Scheme } from './schemes.js'
import { deterministic } from './signed-form.js'

/** The id that wallets give to a credential whose own id they hide. */
const HIDDEN_ID = 'dock:anonymous:credential'

/** The members of the proof that a holder derived; what stands beside them would look as if it were proven. */
const PROOF_MEMBERS = [
  'type',
  'proofPurpose',
  'created',
  'verificationMethod',
  'proofValue',
  'nonce',
  'context',
  'version',
  'presVersion',
  'sigType',
  'attributeEqualities',
  'boundedPseudonyms',
  'unboundedPseudonyms',
  'attributeCiphertexts',
  'bounds',
]

/**
 * Reads a credential that a holder derived, in the form of a credential: it is a presentation of one. Its time and its
 * issuanceDate, where this is the same, are the holder's own, since the data model wants one.
 */
export function readDerived(document: JsonObject, proof: JsonObject, scheme: Scheme): ReadCredential | Finding {
  checkLimits(document)
  const other = Object.keys(proof).find((name) => !PROOF_MEMBERS.includes(name))
  if (other !== undefined)
    return failed('unsigned_member', `the member ${other.slice(0, 64)} of its proof is not signed`)
  if (proof.proofPurpose !== 'assertionMethod') return failed('wrong_purpose', 'proofPurpose is not assertionMethod')
  if (proof.sigType !== scheme.proofType) return failed('unsupported_proof', 'sigType is not that of its proof')
  const read = readPresentation(presentationOf(document, proof, scheme))
  if ('passed' in read) return read
  const [{ claims }] = read.credentials
  return {
    kind: 'credential',
    claims,
    proofs: [{ ...read.proof, shown: proof, created: proof.created }],
  }
}

function presentationOf(document: JsonObject, proof: JsonObject, { proofType }: Scheme): JsonObject {
  const {
    '@context': context,
    type,
    credentialSchema,
    credentialStatus,
    id,
    issuanceDate,
    proof: _,
    ...shown
  } = document
  const isOwnDate = issuanceDate === proof.created
  const revealedAttributes = {
    ...shown,
    ...(id !== undefined && id !== HIDDEN_ID && { id }),
    ...(issuanceDate !== undefined && !isOwnDate && { issuanceDate }),
    '@context': deterministic(context ?? null),
    type: deterministic(type ?? null),
    proof: { type: proofType, verificationMethod: proof.verificationMethod ?? null },
  }
  const credential = {
    version: proof.version ?? null,
    schema: credentialSchema ?? null,
    revealedAttributes,
    sigType: proofType,
    ...given({ status: credentialStatus, bounds: proof.bounds }),
  }
  const { attributeEqualities, boundedPseudonyms, unboundedPseudonyms } = proof
  return {
    ...given({
      version: proof.presVersion,
      nonce: proof.nonce,
      context: proof.context,
      attributeCiphertexts: proof.attributeCiphertexts,
      proof: proof.proofValue,
    }),
    spec: { credentials: [credential], ...given({ attributeEqualities, boundedPseudonyms, unboundedPseudonyms }) },
  }
}

/** The members that have a value. */
const given = (members: { [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, value]])),
  )
