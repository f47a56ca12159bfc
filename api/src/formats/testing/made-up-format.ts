import { createHash } from 'node:crypto'
import { parseJson } from '../../platform/http/input/json.js'
import { failed, passed } from '../check.js'
import type { Claims, CredentialFormat, CredentialParts, Draft, Recognised, SignedParts } from '../credential-format.js'
import { asArray, idOf, isObject, type Json, type JsonObject, textOf } from '../json.js'

const NAME = 'made-up'

/** Other keys than those of the formats that are here. */
const KEY_KIND = 'Secp256k1'

/**
 * A format of no standard, for tests: a compact token of several messages, each signed by itself. It shows hashes of
 * the signatures only, so that nobody but who holds the issuer's key can tell whether they are right. It takes a name
 * that requests may use and no format here has yet.
 */
export const madeUpFormat: CredentialFormat = {
  name: 'jwt',
  algorithms: [{ name: NAME, keyKind: KEY_KIND, primitive: 'sign' }],
  registryTypeFor: () => 'DockVBAccumulator2022',
  build,
  recognise: (given) => (typeof given === 'string' && given.startsWith(`${NAME}.`) ? recognise(given) : undefined),
}

function build(parts: SignedParts): Draft {
  const { verificationMethod, created } = parts
  const payload = { ...membersOf(parts), verificationMethod, created }
  return {
    claims: claimsOf(payload),
    leftOut: [],
    toSign: async () => messagesOf(payload),
    finish: async (signatures) => [NAME, encoded(payload), encoded(signatures.map(tagOf))].join('.'),
  }
}

function membersOf(parts: CredentialParts): JsonObject {
  const { id, types, subject, issuer, schema, status, issuanceDate, expirationDate } = parts
  return {
    ...{ id, types: [...types], subject, issuanceDate },
    ...(issuer && { issuer: issuer.did }),
    ...(expirationDate !== undefined && { expirationDate }),
    ...(schema && { schema: schema.id }),
    ...(status && { status }),
  }
}

const encoded = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const tagOf = (signature: Uint8Array): string => createHash('sha256').update(signature).digest('hex')

/** A message for each member, in the order of their names. */
const messagesOf = (payload: JsonObject): Uint8Array[] =>
  Object.entries(payload)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((member) => Buffer.from(JSON.stringify(member)))

function decoded(text: string): Json {
  try {
    return parseJson(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

function recognise(token: string): Recognised {
  const [, ...parts] = token.split('.')
  const [payload, tags] = parts.map(decoded)
  const id = isObject(payload) ? textOf(payload.verificationMethod) : undefined
  if (!isObject(payload) || !Array.isArray(tags) || id === undefined)
    return { kind: 'credential', wrong: failed('malformed', 'it is no made-up token') }
  return {
    kind: 'credential',
    claims: claimsOf(payload),
    proofs: [
      {
        shown: { type: NAME, verificationMethod: id },
        created: payload.created,
        expires: [],
        challenge: undefined,
        domain: undefined,
        checking: {
          by: 'issuer',
          key: { id, purpose: 'assertionMethod', kind: KEY_KIND },
          async check(issuerKey) {
            const expected = (await issuerKey('sign', messagesOf(payload))).map(tagOf)
            const isRight = expected.length === tags.length && expected.every((tag, place) => tag === tags[place])
            return { proof: isRight ? passed() : failed('invalid_signature', 'a member was changed') }
          },
        },
      },
    ],
  }
}

const claimsOf = (payload: JsonObject): Claims => ({
  id: payload.id,
  issuer: idOf(payload.issuer),
  types: asArray(payload.types),
  subject: payload.subject,
  dates: { begins: asArray(payload.issuanceDate), ends: asArray(payload.expirationDate) },
  schemas: asArray(payload.schema),
  statuses: asArray(payload.status),
  previous: undefined,
})
