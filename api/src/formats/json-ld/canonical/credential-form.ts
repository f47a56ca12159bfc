import canonicalize from 'canonicalize'
import { asArray, idOf, isObject, type Json, type JsonObject, quoted, textOf } from '../../json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../contexts/known-contexts.js'
import { dataModelOf } from '../data-model.js'
import { isStatusList } from '../status-lists.js'
import { wrongInCredential2, wrongInPresentation2 } from './model-2-form.js'

/** Members that must be texts: with another type they would be shown, and no check would read them. */
const TEXTS = [
  'id',
  'issuanceDate',
  'expirationDate',
  'validFrom',
  'validUntil',
  'rootCredentialId',
  'previousCredentialId',
]

/** Returns the fault in the form of a credential, apart from its proof; issuing and verifying ask the same. */
export function wrongInCredential(document: JsonObject): string | undefined {
  if ('byteSize' in document && 'createdAt' in document)
    return 'it is the metadata of a credential; send its member credential instead'
  const common = wrongInCommon(document)
  if (common !== undefined) return common
  const types = asArray(document.type)
  if (!types.includes('VerifiableCredential')) return 'its type lacks VerifiableCredential'
  if (types.includes('VerifiablePresentation')) return 'it cannot be a presentation as well'
  if (idOf(document.issuer) === undefined) return 'it has no issuer'
  const subjects = asArray(document.credentialSubject)
  if (subjects.length === 0 || !subjects.every(isObject)) return 'it has no credentialSubject'
  if (dataModelOf(document['@context']) === '2.0') return wrongInCredential2(document)
  // The list in the report on StatusList2021 has another member for it.
  if (textOf(document.issuanceDate ?? document.validFrom) === undefined && !isStatusList(document))
    return 'it has no issuanceDate'
  return undefined
}

/** The same of a presentation, beside its credentials. */
export function wrongInPresentation(document: JsonObject): string | undefined {
  const isNobody = document.holder !== undefined && idOf(document.holder) === undefined
  const wrong = wrongInCommon(document) ?? (isNobody ? 'its holder has no id' : undefined)
  return wrong ?? (dataModelOf(document['@context']) === '2.0' ? wrongInPresentation2(document) : undefined)
}

function wrongInCommon(document: JsonObject): string | undefined {
  const contexts = asArray(document['@context'])
  const [first] = contexts
  if (first !== CREDENTIALS_V1 && first !== CREDENTIALS_V2)
    return `the first of its @context is neither ${CREDENTIALS_V1} nor ${CREDENTIALS_V2}`
  const repeated = firstRepeated(contexts)
  if (repeated !== undefined) return `its @context names ${quoted(repeated)} twice`
  const other = TEXTS.find((name) => document[name] !== undefined && typeof document[name] !== 'string')
  return other === undefined ? undefined : `its ${other} is no text`
}

/** Returns the first value that equals one before it. A list may be as long as a body has room. */
function firstRepeated(values: readonly Json[]): Json | undefined {
  const seen = new Set<string | undefined>()
  return values.find((value) => {
    const text = canonicalize(value)
    const isRepeated = seen.has(text)
    seen.add(text)
    return isRepeated
  })
}
