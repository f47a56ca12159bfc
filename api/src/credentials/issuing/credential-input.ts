import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../../formats/json.js'
import { CREDENTIALS_V1, CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { type DataModel, dataModelOf } from '../../formats/json-ld/data-model.js'
import { bytesOf, LIMITS } from '../../formats/json-ld/limits.js'
import { OF_CREDENTIAL, OF_SUBJECT } from '../../formats/schema-types.js'
import { invalid } from '../../platform/errors.js'
import { parseCredentialId } from '../../platform/http/identifiers.js'
import type { MemberRule, RuleServices } from '../../platform/http/input/member-rules.js'
import { type Place, pointerTo } from '../../platform/http/input/pointer.js'
import { isBlank, oneOfTwo } from '../../platform/http/input/spellings.js'
import { dateStamp, parseDate, refuseEndBeforeBegin } from './dates.js'
import { withoutNulls } from './nulls.js'
import { readStatus, type StatusInput, statusRules } from './status-input.js'

/** A credential to issue, read from either of the two spellings. */
export interface CredentialInput {
  /** A URI; undefined: generate one. */
  id: string | undefined
  types: string[]
  subject: Json
  /** The spelling that the subject has in the request. */
  subjectName: 'subject' | 'credentialSubject'
  /**
   * JSON pointers to what is left out of the request: nulls in the subject, blank texts, and another credential's proof.
   */
  ignored: string[]
  issuer: { did: string; members: JsonObject | undefined } | undefined
  contexts: Json[]
  /** URI of the schema. */
  schema: string | undefined
  /**
   * The JSON pointer to its type, where the request says that it is about the whole credential; data model 2.0 has such.
   */
  wholeSchema: string | undefined
  status: StatusInput
  issuanceDate: string | undefined
  expirationDate: string | undefined
  /** All other members: name, description, evidence, members of delegation chains, and what the caller adds. */
  others: JsonObject
}

/** The status entries that the caller wrote. */
export const ownStatuses = ({ status }: CredentialInput): readonly JsonObject[] =>
  typeof status === 'object' ? status : []

/** The members that are read by name, in either spelling. */
const READ = new Set([
  'id',
  'type',
  'types',
  'subject',
  'credentialSubject',
  'issuer',
  'context',
  '@context',
  'schema',
  'credentialSchema',
  'status',
  'credentialStatus',
  'issuanceDate',
  'expirationDate',
  'proof',
])

/**
 * Reads `credential` of an issue request, in native names (`subject`) or W3C's (`credentialSubject`); in both only
 * where they say the same.
 */
export function readCredential(given: JsonObject): CredentialInput {
  const others = Object.fromEntries(Object.entries(given).filter(([name]) => !READ.has(name)))
  const contexts = readContexts(oneOfTwo(given, '@context', 'context'))
  const dates = readDates(given, dataModelOf(contexts))
  const ignored = given.proof === undefined ? [] : ['/credential/proof']
  const subjectName = subjectNameIn(given)
  const both = oneOfTwo(given, 'credentialSubject', 'subject') ?? null
  const subject = withoutNulls(both, ['credential', subjectName], ignored)
  const wholeSchema = dataModelOf(contexts) === '2.0' ? wholeSchemaIn(given) : undefined
  ignored.push(...unusedIn(given, others).filter((pointer) => pointer !== wholeSchema))
  return {
    id: readId(given.id),
    types: readTypes(oneOfTwo(given, 'type', 'types')),
    subject: readSubject(subject),
    subjectName,
    ignored,
    issuer: readIssuer(given.issuer),
    contexts,
    schema: readSchema(oneOfTwo(given, 'credentialSchema', 'schema')),
    wholeSchema,
    status: readStatus(oneOfTwo(given, 'credentialStatus', 'status')),
    issuanceDate: dates.issuanceDate,
    expirationDate: dates.expirationDate,
    others: { ...withoutBlanks(withoutDates(others)), ...dates.others },
  }
}

const subjectNameIn = (given: JsonObject) => (isBlank(given.credentialSubject) ? 'subject' : 'credentialSubject')

/** The rules about members of `credential` that are not in the schema of the request. */
export function credentialRules(
  { credential, revocable }: Readonly<Record<string, unknown>>,
  { statusMethods }: Pick<RuleServices, 'statusMethods'>,
): MemberRule[] {
  if (!isObject(credential)) return []
  // A credential that is too large is refused for that alone: nothing looks through it.
  if (bytesOf(credential) > LIMITS.bytes) return []
  const subjectName = subjectNameIn(credential)
  const subject = credential[subjectName] ?? null
  const rulesOf = (read: (value: Json, name: string) => unknown, ...names: string[]) =>
    names.flatMap((name): MemberRule[] => {
      const value = credential[name]
      if (isBlank(value)) return []
      return [{ place: ['credential', name], value, check: () => read(value, name) }]
    })
  return [
    ...rulesOf(readId, 'id'),
    ...rulesOf(readTypes, 'type', 'types'),
    {
      place: ['credential', subjectName],
      value: subject,
      check: () => readSubject(withoutNulls(subject, [], [])),
    },
    ...rulesOf(readIssuer, 'issuer'),
    ...rulesOf(readContexts, '@context', 'context'),
    ...rulesOf(readSchema, 'credentialSchema', 'schema'),
    ...['credentialStatus', 'status'].flatMap((name) => statusRules(name, credential[name], revocable, statusMethods)),
    ...rulesOf((value, name) => readDate(name, value), ...BEGINS, ...ENDS),
    ...orderRules(credential),
  ]
}

const BEGINS = ['issuanceDate', 'validFrom']
const ENDS = ['expirationDate', 'validUntil']

/** The rules that nothing ends before it begins. A date that is none has a problem already. */
function orderRules(credential: JsonObject): MemberRule[] {
  const sound = (names: string[]) =>
    names.flatMap((name): [string, string][] => {
      const value = credential[name]
      const stamp = typeof value === 'string' ? dateStamp(value) : undefined
      return stamp === undefined ? [] : [[name, stamp]]
    })
  const begins = Object.fromEntries(sound(BEGINS))
  return sound(ENDS).map(([name, stamp]) => ({
    place: ['credential', name],
    value: credential[name],
    check: () => refuseEndBeforeBegin(begins, { [name]: stamp }),
  }))
}

/**
 * Pointers to members that are neither used nor kept; members that are documented as optionally blank are not named.
 */
function unusedIn(given: JsonObject, others: JsonObject): string[] {
  const contexts = ['@context', 'context'].filter((name) => Array.isArray(given[name]))
  return [
    ...blanksIn(others, ['credential']),
    ...contexts.flatMap((name) => blanksIn(given[name], ['credential', name])),
    ...blanksIn(given.issuer, ['credential', 'issuer']),
    ...['credentialSchema', 'schema'].flatMap((name) => unreadOfSchema(given[name], ['credential', name])),
  ]
}

function blanksIn(value: Json | undefined, place: Place): string[] {
  if (typeof value !== 'object' || value === null) return []
  // A null member counts as absent, a null in a list as an item.
  const isNamed = (part: Json): boolean => isBlank(part) && (part !== null || Array.isArray(value))
  return Object.entries(value).flatMap(([step, part]) => (isNamed(part) ? [pointerTo([...place, step])] : []))
}

/** Returns the members of a schema object beside its name: the credential states them in its own way. */
function unreadOfSchema(value: Json | undefined, place: Place): string[] {
  const [schema] = asArray(value)
  if (!isObject(schema)) return []
  const uri = textOf(schema.id) ?? schema.uri
  const unread = Object.entries(schema).filter(([, member]) => member !== uri && member !== OF_SUBJECT)
  return unread.map(([name]) => pointerIn(value, place, name))
}

/** Returns a pointer to a member of the one schema, which may stand in a list. */
const pointerIn = (value: Json | undefined, place: Place, member: string): string =>
  pointerTo([...place, ...(Array.isArray(value) ? [0] : []), member])

function wholeSchemaIn(given: JsonObject): string | undefined {
  const name = isBlank(given.credentialSchema) ? 'schema' : 'credentialSchema'
  const [schema] = asArray(given[name])
  const isOfWhole = isObject(schema) && schema.type === OF_CREDENTIAL
  return isOfWhole ? pointerIn(given[name], ['credential', name], 'type') : undefined
}

function readDates(
  given: JsonObject,
  model: DataModel,
): Pick<CredentialInput, 'issuanceDate' | 'expirationDate' | 'others'> {
  const read = (name: string) => readDate(name, given[name])
  const [issuanceDate, validFrom] = [read('issuanceDate'), read('validFrom')]
  const [expirationDate, validUntil] = [read('expirationDate'), read('validUntil')]
  refuseEndBeforeBegin({ issuanceDate, validFrom }, { expirationDate, validUntil })
  if (model === '2.0')
    return {
      issuanceDate: oneDate(validFrom, issuanceDate),
      expirationDate: oneDate(validUntil, expirationDate),
      others: {},
    }
  const others = { ...(validFrom !== undefined && { validFrom }), ...(validUntil !== undefined && { validUntil }) }
  return { issuanceDate, expirationDate, others }
}

const withoutDates = ({ validFrom: _from, validUntil: _until, ...others }: JsonObject): JsonObject => others

/** Data model 2.0 has one name for a date: a request may have either, or both where they say the same. */
function oneDate(date: string | undefined, older: string | undefined): string | undefined {
  if (date !== undefined && older !== undefined && date !== older)
    throw invalid(`credential names ${date} and ${older}, which are one date in data model 2.0: send one of them`)
  return date ?? older
}

/** The members that are not blank. */
const withoutBlanks = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isBlank(value)))

function requiredText(name: string, value: Json): string {
  if (typeof value !== 'string' || value.length > 512) throw invalid(`credential.${name} must be text`)
  return value
}

const readTypes = (value: Json | undefined): string[] => asArray(value).map((type) => requiredText('type', type))

function readId(value: Json | undefined): string | undefined {
  if (isBlank(value)) return undefined
  const id = parseCredentialId(requiredText('id', value))
  if (id === undefined) throw invalid('credential.id must be a URI or a UUID; leave it blank to get one')
  return id
}

function readSubject(value: Json): Json {
  const subjects = asArray(value)
  if (subjects.length === 0 || !subjects.every(isObject))
    throw invalid('credential.subject must be an object, or an array of objects')
  return value
}

function readIssuer(value: Json | undefined): CredentialInput['issuer'] {
  if (isBlank(value)) return undefined
  const did = idOf(value)
  if (did === undefined || !did.startsWith('did:'))
    throw invalid('credential.issuer must be a DID, or an object with one as id')
  return { did, members: isObject(value) ? withoutBlanks(value) : undefined }
}

function readContexts(value: Json | undefined): Json[] {
  if (isBlank(value)) return []
  const contexts = asArray(value).filter((part) => !isBlank(part))
  if (!contexts.every((part) => typeof part === 'string' || isObject(part)))
    throw invalid('credential.context must hold URLs and objects')
  if (contexts.includes(CREDENTIALS_V2) && (contexts[0] !== CREDENTIALS_V2 || contexts.includes(CREDENTIALS_V1)))
    throw invalid(
      `credential.context means data model 2.0 where ${CREDENTIALS_V2} stands first, and does not name ${CREDENTIALS_V1} then`,
    )
  return contexts
}

function readSchema(value: Json | undefined): string | undefined {
  if (isBlank(value)) return undefined
  const [first, ...more] = asArray(value)
  if (more.length > 0) throw invalid('credential.schema can be one schema only')
  const uri = idOf(first) ?? (isObject(first) ? textOf(first.uri) : undefined)
  if (uri === undefined || uri.length > 2048)
    throw invalid('credential.schema must be the URI of a schema, or an object with it as id')
  return uri === '' ? undefined : uri
}

function readDate(name: string, value: Json | undefined): string | undefined {
  if (isBlank(value)) return undefined
  return parseDate(`credential.${name}`, requiredText(name, value))
}
