import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../suites/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../suites/known-contexts.js'
import { checkLimits, checkPresentationLimits, LIMITS } from '../suites/limits.js'
import { proofsOf } from '../suites/linked-data-proof.js'
import { SuiteError } from '../suites/suite-error.js'
import { type Finding, failed, passed } from './check.js'

const MAX_PROOFS = 8

export const isPresentation = (document: Json): boolean =>
  isObject(document) && asArray(document.type).includes('VerifiablePresentation')

/** Whether something has the form of a signed JSON-LD credential; what it says is not looked at. */
export function credentialStructure(document: Json): Finding {
  if (typeof document === 'string') return textStructure(document)
  if (!isObject(document)) return failed('malformed', 'it is not an object')
  if ('byteSize' in document && 'createdAt' in document)
    return failed('malformed', 'it is the metadata of a credential; send its member credential instead')
  const wrong = firstWrong(document)
  if (wrong !== undefined) return failed('malformed', wrong)
  return limited(() => checkLimits(document)) ?? passed()
}

/** What is past a limit, if anything is. */
function limited(check: () => void): Finding | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof SuiteError) return failed(error.code, error.message)
    throw error
  }
}

function firstWrong(document: JsonObject): string | undefined {
  const common = commonWrong(document)
  if (common !== undefined) return common
  if (!asArray(document.type).includes('VerifiableCredential')) return 'its type lacks VerifiableCredential'
  if (idOf(document.issuer) === undefined) return 'it has no issuer'
  const subjects = asArray(document.credentialSubject)
  if (subjects.length === 0 || !subjects.every(isObject)) return 'it has no credentialSubject'
  if (textOf(document.issuanceDate ?? document.validFrom) === undefined) return 'it has no issuanceDate'
  return undefined
}

function commonWrong(document: JsonObject): string | undefined {
  const context = asArray(document['@context'])
  if (context[0] !== CREDENTIALS_V1 && context[0] !== CREDENTIALS_V2)
    return `the first of its @context is not ${CREDENTIALS_V1}`
  const proofs = proofsOf(document)
  if (proofs.length === 0 || proofs.length !== asArray(document.proof).length) return 'it is not signed'
  if (proofs.length > MAX_PROOFS) return `it has more than ${MAX_PROOFS} proofs`
  return undefined
}

function textStructure(text: string): Finding {
  const isToken = /^[\w-]+\.[\w-]+\.[\w-]*(~|$)/.test(text)
  return isToken
    ? failed('unsupported_format', 'compact JWT and SD-JWT credentials cannot be verified yet')
    : failed('malformed', 'it is neither JSON nor a compact token')
}

/** The same for a presentation; each of its credentials is looked at by itself. */
export function presentationStructure(document: JsonObject): Finding {
  const wrong = commonWrong(document)
  if (wrong !== undefined) return failed('malformed', wrong)
  if (document.holder !== undefined && idOf(document.holder) === undefined)
    return failed('malformed', 'its holder has no id')
  const credentials = asArray(document.verifiableCredential)
  if (credentials.length === 0) return failed('malformed', 'it holds no credential')
  if (credentials.length > LIMITS.credentialsOfPresentation)
    return failed('too_large', `it holds more than ${LIMITS.credentialsOfPresentation} credentials`)
  return limited(() => checkPresentationLimits(document)) ?? passed()
}
