import { type Hex32, parseHex32 } from '@accredit/chain'
import { parseStatusIndex } from '../../../status/status-list/encoded-list.js'
import { asArray, idOf, isObject, type Json, type JsonObject, quoted, textOf } from '../../json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../contexts/known-contexts.js'

/** What is looked at as a text wherever it stands: as anything else it would be there, and not be looked at. */
const TEXTS = [
  ...['id', 'issuanceDate', 'expirationDate', 'validFrom', 'validUntil'],
  ...['rootCredentialId', 'previousCredentialId'],
]

/** Why something is not in the form of a credential, beside its proof: the same for issuing and for verifying. */
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
  if (textOf(document.issuanceDate ?? document.validFrom) === undefined) return 'it has no issuanceDate'
  return undefined
}

/** The same of a presentation, beside its credentials. */
export function wrongInPresentation(document: JsonObject): string | undefined {
  const isNobody = document.holder !== undefined && idOf(document.holder) === undefined
  return wrongInCommon(document) ?? (isNobody ? 'its holder has no id' : undefined)
}

function wrongInCommon(document: JsonObject): string | undefined {
  const [first] = asArray(document['@context'])
  if (first !== CREDENTIALS_V1 && first !== CREDENTIALS_V2) return `the first of its @context is not ${CREDENTIALS_V1}`
  const other = TEXTS.find((name) => document[name] !== undefined && typeof document[name] !== 'string')
  return other === undefined ? undefined : `its ${other} is no text`
}

const PURPOSES: ReadonlySet<Json | undefined> = new Set(['revocation', 'suspension'])
const LEGACY_REGISTRY = /^rev-reg:([a-z0-9]+):(0x[0-9a-f]+)$/i

/** Where the status of a credential stands. */
export interface StatusPlace {
  /** What the entry calls itself. */
  id: Json | undefined
  /** The URL or the ledger's name of a status list. */
  list: string
  index: number
  purpose: Json | undefined
}

/** What an entry of 2017 names. */
export interface LegacyRegistry {
  registryId: Hex32
  /** The short name of its ledger. */
  ledger: string
}

export interface WrongStatus {
  /** `unavailable`: it may be good, and cannot be checked here. */
  wrong: 'malformed' | 'unavailable'
  detail: string
}

/** What a status entry names, a place in a list or a registry of 2017, or why nobody here can look at it. */
export function readStatus(entry: Json): StatusPlace | LegacyRegistry | WrongStatus {
  if (!isObject(entry)) return malformed('a status entry is no object')
  const { type, statusListCredential: list, statusListIndex, statusPurpose: purpose } = entry
  if (type === 'CredentialStatusList2017') {
    const [, ledger = '', text = ''] = LEGACY_REGISTRY.exec(idOf(entry) ?? '') ?? []
    const registryId = parseHex32(text)
    if (registryId === undefined) return malformed('the status entry names no registry')
    return { registryId, ledger: ledger.toLowerCase() }
  }
  if (type !== 'StatusList2021Entry')
    return unavailable(`status entries of type ${quoted(type)} cannot be checked here`)
  const index = parseStatusIndex(statusListIndex)
  if (typeof list !== 'string' || index === undefined)
    return malformed('the status entry has no statusListCredential or no valid statusListIndex')
  return PURPOSES.has(purpose)
    ? { id: entry.id, list, index, purpose }
    : unavailable(`a status of purpose ${quoted(purpose)} cannot be checked here`)
}

const malformed = (detail: string): WrongStatus => ({ wrong: 'malformed', detail })
const unavailable = (detail: string): WrongStatus => ({ wrong: 'unavailable', detail })
