import { isDeepStrictEqual } from 'node:util'
import jsonld from 'jsonld'
import type { Credential } from '../../formats/credential-format.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from '../../formats/json-ld/contexts/document-loader.js'
import type { Line, Signed } from './lines.testing.js'

type Same = (good: Json, other: Json) => boolean | Promise<boolean>

/**
 * Tells whether two credentials say the same with the same signature. It shares no code with what verifies: the
 * standard library makes the statements of documents, and of tokens the bytes are compared.
 */
export async function meansTheSame({ signed }: Line, good: Credential, other: Json): Promise<boolean> {
  return SAME[signed](good, other)
}

const SAME: Record<Signed, Same> = {
  statements: async (good, other) =>
    isObject(good) &&
    isObject(other) &&
    isDeepStrictEqual(leavesOf(good), leavesOf(other)) &&
    isDeepStrictEqual(await signedOf(good, statementsOf), await signedOf(other, statementsOf)),
  // The order of members means nothing (RFC 8785), that of lists does.
  members: async (good, other) =>
    isObject(good) &&
    isObject(other) &&
    isDeepStrictEqual(await signedOf(good, inOrder), await signedOf(other, inOrder)),
  elements: (good, other) => SAME.members(withInstants(good), withInstants(other)),
  token: (good, other) => typeof good === 'string' && typeof other === 'string' && showsNoMore(good, other),
}

/** A document without its proofs, and the set of its proofs: one that stands twice is one. */
async function signedOf({ proof, ...document }: JsonObject, form: (value: JsonObject) => Promise<string>) {
  const context = document['@context'] ?? null
  const proofs = asArray(proof).filter(isObject)
  const all = [document, ...proofs.map((one): JsonObject => ({ '@context': context, ...one }))]
  const [own, ...others] = await Promise.all(all.map(form))
  return { own, proofs: new Set(others), isEachProof: proofs.length === asArray(proof).length }
}

/** A time to the millisecond, in any zone; one that is finer is left as it is written. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/

function withInstants(value: Json): Json {
  if (Array.isArray(value)) return value.map(withInstants)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withInstants(one)]))
  if (typeof value !== 'string' || !TIME.test(value)) return value
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? value : time.toISOString()
}

async function inOrder(value: Json): Promise<string> {
  return JSON.stringify(sorted(value))
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, sorted(value[name] ?? null)]))
}

/** The statements of a document, as N-Quads; one with members that its contexts do not define makes none. */
async function statementsOf(document: JsonObject): Promise<string> {
  try {
    return await jsonld.canonize(document, {
      base: null,
      documentLoader: documentLoader(NO_EXTRA_CONTEXTS),
      algorithm: 'RDFC-1.0',
      format: 'application/n-quads',
      safe: true,
    })
  } catch (error) {
    return `no statements: ${error}`
  }
}

/** The names and values of a document that a person reads, without order and number: sets have none. */
function leavesOf(value: Json, name = ''): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((item) => [...leavesOf(item, name)]))
  if (!isObject(value)) return new Set([`${name} ${JSON.stringify(value)}`])
  const members = Object.entries(value).filter(([member]) => member !== '@context')
  const [[only, id] = []] = members
  // A reference is the id of an object that says nothing else.
  if (members.length === 1 && (only === 'id' || only === '@id') && name !== '') return leavesOf(id ?? null, name)
  return new Set(members.flatMap(([member, inner]) => [...leavesOf(inner, readAs(member, name))]))
}

const KEYWORDS: Record<string, string> = { '@id': 'id', '@type': 'type' }
const CARRIERS = new Set(['@value', '@list', '@set', '@graph'])

const readAs = (member: string, around: string): string =>
  CARRIERS.has(member) ? around : (KEYWORDS[member] ?? member)

/** Tells whether a token is another one with nothing more behind it, byte by byte. */
function showsNoMore(good: string, other: string): boolean {
  const [token, ...behind] = good.split('~')
  const [sameToken, ...shown] = other.split('~')
  return token === sameToken && new Set(shown).size === shown.length && shown.every((one) => behind.includes(one))
}
