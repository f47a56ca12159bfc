import * as credentials from '@digitalbazaar/credentials-context'
import * as security from '@digitalbazaar/security-context'
import * as statusList from '@digitalbazaar/vc-status-list-context'
import * as ed25519of2018 from 'ed25519-signature-2018-context'
import * as ed25519of2020 from 'ed25519-signature-2020-context'
import { asArray, isObject, type Json, type JsonObject } from './json.js'

export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'
export const CREDENTIALS_V2 = 'https://www.w3.org/ns/credentials/v2'
export const STATUS_LIST_2021 = 'https://w3id.org/vc/status-list/2021/v1'
export const ED25519_2018 = 'https://w3id.org/security/suites/ed25519-2018/v1'
export const ED25519_2020 = 'https://w3id.org/security/suites/ed25519-2020/v1'

const parse = (document: object): JsonObject => {
  const copy: Json = JSON.parse(JSON.stringify(document))
  if (!isObject(copy)) throw new TypeError('a context document must be an object')
  return copy
}

/** Contexts that come with the program and never change: URL → document. Nothing here is ever fetched. */
export const KNOWN_CONTEXTS: ReadonlyMap<string, JsonObject> = new Map(
  [credentials, statusList, security, ed25519of2018, ed25519of2020].flatMap(({ contexts }) =>
    [...contexts].map(([url, document]): [string, JsonObject] => [url, parse(document)]),
  ),
)

/**
 * What a context document or an inline context defines at its top: term → definition.
 * References inside it are not followed.
 */
export function termsOf(context: Json): ReadonlyMap<string, Json> {
  const found = isObject(context) ? termsRead.get(context) : undefined
  if (found) return found
  const terms = new Map<string, Json>()
  for (const part of asArray(isObject(context) && '@context' in context ? (context['@context'] ?? null) : context)) {
    if (!isObject(part)) continue
    for (const [term, definition] of Object.entries(part)) terms.set(term, definition)
  }
  if (isObject(context)) termsRead.set(context, terms)
  return terms
}

/** The terms of contexts, which do not change while they are there. */
const termsRead = new WeakMap<JsonObject, ReadonlyMap<string, Json>>()
