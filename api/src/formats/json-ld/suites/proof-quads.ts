import { isObject, type Json, type JsonObject } from '../../json.js'
import {
  CREDENTIALS_V1,
  CREDENTIALS_V2,
  DATA_INTEGRITY_V2,
  ED25519_2020,
  KNOWN_CONTEXTS,
} from '../contexts/known-contexts.js'
import { isOwnTerm } from '../contexts/terms.js'

const PURPOSES = new Map<Json | undefined, string>([
  ['assertionMethod', 'https://w3id.org/security#assertionMethod'],
  ['authentication', 'https://w3id.org/security#authenticationMethod'],
])
const MEMBERS = new Set(['type', 'cryptosuite', 'created', 'verificationMethod', 'proofPurpose'])
// Nothing in these needs escaping, and no term of ours can be a prefix of them.
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/
const PLAIN_IRI = /^did:[a-z0-9]+:[A-Za-z0-9._:%-]+#[A-Za-z0-9._-]+$/

/**
 * The canonical form of the usual proof, without running JSON-LD: under contexts that are all known not to touch the
 * proof's terms, its members can only mean these quads. Saves a third of the time of issuing and verifying;
 * proof-quads.test.ts compares with the general way.
 * @param proof without its signature
 * @returns undefined when anything is unusual, and JSON-LD has to be run
 */
export function quadsOfUsualProof(proof: JsonObject, context: Json | undefined): string | undefined {
  const { type, cryptosuite, created, verificationMethod, proofPurpose } = proof
  if (!Object.keys(proof).every((name) => MEMBERS.has(name))) return undefined
  if (typeof created !== 'string' || !DATE_TIME.test(created)) return undefined
  if (typeof verificationMethod !== 'string' || !PLAIN_IRI.test(verificationMethod)) return undefined
  const purpose = PURPOSES.get(proofPurpose)
  if (purpose === undefined || !isDefined(type, context)) return undefined
  const suite = type === 'DataIntegrityProof' ? suiteQuad(cryptosuite) : cryptosuite === undefined ? [] : undefined
  if (suite === undefined) return undefined
  return [
    `_:c14n0 <http://purl.org/dc/terms/created> "${created}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`,
    `_:c14n0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/security#${type}> .`,
    ...suite,
    `_:c14n0 <https://w3id.org/security#proofPurpose> <${purpose}> .`,
    `_:c14n0 <https://w3id.org/security#verificationMethod> <${verificationMethod}> .`,
    '',
  ].join('\n')
}

const suiteQuad = (name: Json | undefined): string[] | undefined =>
  typeof name === 'string' && /^[\w-]+$/.test(name)
    ? [`_:c14n0 <https://w3id.org/security#cryptosuite> "${name}"^^<https://w3id.org/security#cryptosuiteString> .`]
    : undefined

/** The contexts that define the types of proofs, by the context that stands first. */
const DEFINING = [
  { type: 'Ed25519Signature2018', first: CREDENTIALS_V1, by: CREDENTIALS_V1 },
  { type: 'Ed25519Signature2020', first: CREDENTIALS_V1, by: ED25519_2020 },
  { type: 'Ed25519Signature2020', first: CREDENTIALS_V2, by: ED25519_2020 },
  { type: 'DataIntegrityProof', first: CREDENTIALS_V1, by: DATA_INTEGRITY_V2 },
  { type: 'DataIntegrityProof', first: CREDENTIALS_V2, by: CREDENTIALS_V2 },
] as const

/** Tells whether the contexts define a type of proofs, and none of them anything that a proof could be meant by. */
function isDefined(type: Json | undefined, context: Json | undefined): type is string {
  if (!Array.isArray(context)) return false
  const found = DEFINING.find((one) => one.type === type && one.first === context[0])
  if (found === undefined || !context.includes(found.by)) return false
  return context.every((part) =>
    typeof part === 'string' ? KNOWN_CONTEXTS.has(part) : isObject(part) && Object.entries(part).every(isGeneratedTerm),
  )
}

// `@base` moves relative ids only, and a proof of this shape has none.
const isGeneratedTerm = ([name, definition]: [string, Json]): boolean =>
  name === '@base' ? typeof definition === 'string' : isOwnTerm(name, definition)
