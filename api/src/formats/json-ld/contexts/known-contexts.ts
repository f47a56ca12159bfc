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
export const BITSTRING_STATUS_LIST = 'https://www.w3.org/ns/credentials/status/v1'
export const DATA_INTEGRITY_V2 = 'https://w3id.org/security/data-integrity/v2'
export const SECURITY_V2 = 'https://w3id.org/security/v2'
export const ED25519_2018 = 'https://w3id.org/security/suites/ed25519-2018/v1'
export const ED25519_2020 = 'https://w3id.org/security/suites/ed25519-2020/v1'
/** A context of our own that nobody else has built in; the service hosts it as bjj-2021.jsonld. */
export const BJJ_2021 = 'urn:accredit:context:bjj-2021'

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

/** The contexts that no package has; contexts/README.md says where each comes from. */
const contextFile = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../../contexts/${name}.jsonld`, import.meta.url), 'utf8'))

const SCHEMA_ORG = contextFile('schema-org')
const NAMES_OF_SCHEMA_ORG = ['https://schema.org', 'https://schema.org/', 'http://schema.org', 'http://schema.org/']

/** That of W3C's examples of data model 2.0, which gives every name a meaning; no package has it. */
const EXAMPLES_V2: JsonObject = { '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' } }
const BBS_2020 = contextFile('bbs-2020')
const BJJ = contextFile('bjj-2021')
const SUITES = ['bbs', 'bbs23', 'bbdt16'].map((suite) => [suite, contextFile(suite)] as const)
/** The contexts of the suites of the BBS family, by the two names that verifiers have built in. */
const NAMED_SUITES = ['truvera', 'dock'].flatMap((host) =>
  SUITES.map(([suite, document]): [string, JsonObject] => [`https://ld.${host}.io/security/${suite}/v1`, document]),
)

/** Contexts of ours that are no schema's, by the names of their files. */
export const OWN_CONTEXTS: ReadonlyMap<string, JsonObject> = new Map(
  [...SUITES, ['bbs-2020', BBS_2020] as const, ['bjj-2021', BJJ] as const].map(([name, document]) => [
    `${name}.jsonld`,
    document,
  ]),
)

/** Contexts that come with the program and never change: URL → document. Nothing here is ever fetched. */
export const KNOWN_CONTEXTS: ReadonlyMap<string, JsonObject> = new Map([
  ...PACKAGES.flatMap(({ contexts }) =>
    [...contexts].map(([url, document]): [string, JsonObject] => [url, parse(document)]),
  ),
  ['https://www.w3.org/ns/credentials/examples/v2', EXAMPLES_V2],
  ...NAMES_OF_SCHEMA_ORG.map((url): [string, JsonObject] => [url, SCHEMA_ORG]),
  ['https://w3id.org/security/bbs/v1', BBS_2020],
  ...NAMED_SUITES,
  [BJJ_2021, BJJ],
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
