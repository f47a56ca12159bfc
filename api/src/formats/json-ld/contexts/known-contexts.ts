import { readFileSync } from 'node:fs'
import * as citizenship from '@digitalbazaar/citizenship-context'
import * as credentials from '@digitalbazaar/credentials-context'
import * as examples from '@digitalbazaar/credentials-examples-context'
import * as dataIntegrity from '@digitalbazaar/data-integrity-context'
import * as odrl from '@digitalbazaar/odrl-context'
import * as security from '@digitalbazaar/security-context'
import * as bitstring from '@digitalbazaar/vc-bitstring-status-list-context'
import * as statusList from '@digitalbazaar/vc-status-list-context'
import * as did from 'did-context'
import * as ed25519of2018 from 'ed25519-signature-2018-context'
import * as ed25519of2020 from 'ed25519-signature-2020-context'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'

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

const PACKAGES = [
  credentials,
  examples,
  odrl,
  citizenship,
  did,
  statusList,
  bitstring,
  security,
  dataIntegrity,
  ed25519of2018,
  ed25519of2020,
]

/** No small package has the context of schema.org; contexts/README.md says where it comes from. */
const SCHEMA_ORG: JsonObject = JSON.parse(
  readFileSync(new URL('../../../../contexts/schema-org.jsonld', import.meta.url), 'utf8'),
)
const NAMES_OF_SCHEMA_ORG = ['https://schema.org', 'https://schema.org/', 'http://schema.org', 'http://schema.org/']

/** Contexts that come with the program and never change: URL → document. Nothing here is ever fetched. */
export const KNOWN_CONTEXTS: ReadonlyMap<string, JsonObject> = new Map([
  ...PACKAGES.flatMap(({ contexts }) =>
    [...contexts].map(([url, document]): [string, JsonObject] => [url, parse(document)]),
  ),
  ...NAMES_OF_SCHEMA_ORG.map((url): [string, JsonObject] => [url, SCHEMA_ORG]),
])

/** Contexts so large that a thread does every document that names them. */
export const LARGE_KNOWN_CONTEXTS: readonly string[] = NAMES_OF_SCHEMA_ORG

/**
 * Returns the top-level definitions of a context document or an inline context: term → definition. Contexts that come
 * with the program are followed where it names them; no others are.
 */
export function termsOf(context: Json): ReadonlyMap<string, Json> {
  const found = isObject(context) ? termsRead.get(context) : undefined
  if (found) return found
  const terms = new Map<string, Json>()
  for (const part of asArray(isObject(context) && '@context' in context ? (context['@context'] ?? null) : context)) {
    const known = typeof part === 'string' ? KNOWN_CONTEXTS.get(part) : undefined
    const defined = known ? termsOf(known) : isObject(part) ? Object.entries(part) : []
    for (const [term, definition] of defined) terms.set(term, definition)
  }
  if (isObject(context)) termsRead.set(context, terms)
  return terms
}

/** The terms of contexts, which do not change while they are there. */
const termsRead = new WeakMap<JsonObject, ReadonlyMap<string, Json>>()

/** The names of all terms that a context document or an inline context defines, also below other terms. */
export function termNames(context: Json): ReadonlySet<string> {
  const found = isObject(context) ? namesRead.get(context) : undefined
  if (found) return found
  const names = new Set(
    [...termsOf(context)].flatMap(([name, definition]) => [
      ...(name.startsWith('@') || name.includes(':') || definition === null ? [] : [name]),
      ...(isObject(definition) && '@context' in definition ? termNames(definition['@context'] ?? null) : []),
    ]),
  )
  if (isObject(context)) namesRead.set(context, names)
  return names
}

/** Their names. */
const namesRead = new WeakMap<JsonObject, ReadonlySet<string>>()
