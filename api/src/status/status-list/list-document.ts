import { FormatError } from '../../formats/format-error.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../../formats/json.js'
import { checkTexts } from '../../formats/json-ld/limits.js'
import { parseJson, UnsafeJson } from '../../platform/http/input/json.js'
import { untrusted } from './foreign-list.js'
import type { ForeignList, ListEntry } from './list-form.js'

/** The marks of a kind of lists that are JSON-LD credentials. */
interface ListKind {
  type: string
  subjectType: string
  /** Whether the `statusPurpose` of a list is that of an entry. */
  isFor(listed: Json | undefined, purpose: string | undefined): boolean
  unpack(subject: JsonObject, entry: ListEntry): ReturnType<ForeignList['unpack']>
}

/** Reads a list that is a JSON-LD credential, as far as it is the one that an entry names; a text says why it is not. */
export function readListDocument(kind: ListKind, bytes: Buffer, entry: ListEntry): ForeignList | string {
  const document = parsed(bytes)
  if (typeof document === 'string') return `cannot be had: ${document}`
  const { credentialSubject: subject } = document
  if (!asArray(document.type).includes(kind.type) || !isObject(subject)) return untrusted('it is no status list')
  if (subject.type !== kind.subjectType || !kind.isFor(subject.statusPurpose, entry.purpose))
    return untrusted('it is of another kind or purpose')
  if (textOf(document.id) !== entry.list.split('#')[0]) return untrusted('it has another id')
  // Looking its status up might lead round in a circle.
  if (document.credentialStatus !== undefined) return untrusted('it has a status of its own, which nobody looks up')
  return {
    issuer: idOf(document.issuer),
    document,
    ttlMs: ttlOf(subject),
    unpack: () => kind.unpack(subject, entry),
  }
}

/** Milliseconds, as in Bitstring Status List; an unreadable ttl allows no keeping. */
function ttlOf({ ttl }: JsonObject): number | undefined {
  if (ttl === undefined) return undefined
  return typeof ttl === 'number' ? ttl : 0
}

/** The document, or why it is none. */
function parsed(bytes: Buffer): JsonObject | string {
  try {
    const document = parseJson(bytes.toString('utf8'))
    if (!isObject(document)) return 'it is no object'
    checkTexts(document)
    return document
  } catch (error) {
    if (error instanceof FormatError) return error.message
    if (error instanceof UnsafeJson) return error.message
    if (error instanceof SyntaxError) return 'it is not JSON'
    throw error
  }
}
