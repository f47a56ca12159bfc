import { SuiteError } from '../formats/format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../formats/json.js'
import { wrongInCredential, wrongInPresentation } from '../formats/json-ld/canonical/credential-form.js'
import { checkLimits, checkPresentationLimits, LIMITS } from '../formats/json-ld/limits.js'
import { proofsOf } from '../formats/json-ld/linked-data-proof.js'
import { type Finding, failed, passed } from './check.js'

const MAX_PROOFS = 8

export const isPresentation = (document: Json): boolean =>
  isObject(document) && asArray(document.type).includes('VerifiablePresentation')

/** Whether something has the form of a signed JSON-LD credential; what it says is not looked at. */
export function credentialStructure(document: Json): Finding {
  if (typeof document === 'string') return textStructure(document)
  if (!isObject(document)) return failed('malformed', 'it is not an object')
  const wrong = wrongInCredential(document) ?? proofsWrong(document)
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

function proofsWrong(document: JsonObject): string | undefined {
  const proofs = proofsOf(document)
  if (proofs.length === 0 || proofs.length !== asArray(document.proof).length) return 'it is not signed'
  return proofs.length > MAX_PROOFS ? `it has more than ${MAX_PROOFS} proofs` : undefined
}

function textStructure(text: string): Finding {
  const isToken = /^[\w-]+\.[\w-]+\.[\w-]*(~|$)/.test(text)
  return isToken
    ? failed('unsupported_format', 'compact JWT and SD-JWT credentials cannot be verified yet')
    : failed('malformed', 'it is neither JSON nor a compact token')
}

/** What nobody looks at in a presentation must not look as if it had been checked. */
function belongsElsewhere(presentation: JsonObject): string | undefined {
  const name = ['credentialStatus', 'credentialSchema', 'credentialSubject'].find((one) => one in presentation)
  return name === undefined ? undefined : `${name} belongs to a credential, and this is a presentation`
}

/** The same for a presentation; each of its credentials is looked at by itself. */
export function presentationStructure(document: JsonObject): Finding {
  const wrong = wrongInPresentation(document) ?? proofsWrong(document) ?? belongsElsewhere(document)
  if (wrong !== undefined) return failed('malformed', wrong)
  const credentials = asArray(document.verifiableCredential)
  if (credentials.length === 0) return failed('malformed', 'it holds no credential')
  if (credentials.length > LIMITS.credentialsOfPresentation)
    return failed('too_large', `it holds more than ${LIMITS.credentialsOfPresentation} credentials`)
  return limited(() => checkPresentationLimits(document)) ?? passed()
}
