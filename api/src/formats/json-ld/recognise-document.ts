import { type Finding, failed } from '../check.js'
import type { Recognised } from '../credential-format.js'
import { FormatError } from '../format-error.js'
import { asArray, idOf, type JsonObject } from '../json.js'
import { wrongInCredential, wrongInPresentation } from './canonical/credential-form.js'
import { claimsOf, datesOf } from './document-claims.js'
import { documentProofs } from './document-proofs.js'
import { checkLimits, checkPresentationLimits, LIMITS } from './limits.js'
import { proofsOf } from './linked-data-proof.js'

const MAX_PROOFS = 8

/** Reads a document in the form of a signed credential or presentation. Its claims are not judged. */
export const recogniseDocument = (document: JsonObject): Recognised =>
  isPresentation(document) ? presentation(document) : credential(document)

const isPresentation = (document: JsonObject): boolean => asArray(document.type).includes('VerifiablePresentation')

function credential(document: JsonObject): Recognised {
  const wrong =
    malformed(wrongInCredential(document) ?? proofsWrong(document)) ?? beyondLimits(() => checkLimits(document))
  if (wrong !== undefined) return { kind: 'credential', wrong }
  return { kind: 'credential', claims: claimsOf(document), proofs: documentProofs(document, 'assertionMethod') }
}

function presentation(document: JsonObject): Recognised {
  const wrong = malformed(proofsWrong(document)) ?? wrongInPresentationDocument(document)
  if (wrong !== undefined) return { kind: 'presentation', wrong }
  return {
    kind: 'presentation',
    holder: idOf(document.holder),
    dates: datesOf(document),
    credentials: asArray(document.verifiableCredential).map((one) => ({ kind: 'document', document: one })),
    proofs: documentProofs(document, 'authentication'),
  }
}

/** Returns the fault of a presentation beside its proofs. */
export const wrongInPresentationDocument = (document: JsonObject): Finding | undefined =>
  malformed(wrongInPresentation(document) ?? belongsElsewhere(document) ?? credentialsWrong(document)) ??
  tooMany(document) ??
  beyondLimits(() => checkPresentationLimits(document))

const malformed = (why: string | undefined): Finding | undefined =>
  why === undefined ? undefined : failed('malformed', why)

function beyondLimits(check: () => void): Finding | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof FormatError) return failed(error.code, error.message)
    throw error
  }
}

function proofsWrong(document: JsonObject): string | undefined {
  const proofs = proofsOf(document)
  if (proofs.length === 0 || proofs.length !== asArray(document.proof).length) return 'it is not signed'
  return proofs.length > MAX_PROOFS ? `it has more than ${MAX_PROOFS} proofs` : undefined
}

/** Returns the fault of a member that no check of a presentation reads: it must not look as if it had been checked. */
function belongsElsewhere(presentation: JsonObject): string | undefined {
  const name = ['credentialStatus', 'credentialSchema', 'credentialSubject'].find((one) => one in presentation)
  return name === undefined ? undefined : `${name} belongs to a credential, and this is a presentation`
}

const credentialsWrong = ({ verifiableCredential }: JsonObject): string | undefined =>
  asArray(verifiableCredential).length === 0 ? 'it holds no credential' : undefined

const tooMany = ({ verifiableCredential }: JsonObject): Finding | undefined =>
  asArray(verifiableCredential).length > LIMITS.credentialsOfPresentation
    ? failed('too_large', `it holds more than ${LIMITS.credentialsOfPresentation} credentials`)
    : undefined
