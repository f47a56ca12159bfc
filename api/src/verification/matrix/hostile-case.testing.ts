import type { CheckName } from '../../formats/check.js'
import type { Credential } from '../../formats/credential-format.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { OF_SUBJECT } from '../../formats/schema-types.js'
import type { RemoteHost } from '../../schemas/remote/remote-host.testing.js'
import { type Life, timeOf } from '../testing.js'
import type { Forge, Wish } from './forge.testing.js'

/** The world of one case. */
export interface Scene {
  forge: Forge
  /** Somebody else's web server. */
  host: RemoteHost
}

/** A body of POST /verify as it is sent: JSON, or a text that JSON.stringify would not write. */
export type Sent = { data: Json; at?: Json } | { text: string }

/** The check that fails with its reason, or the refusal of the whole body. */
export type Expected = readonly [CheckName, string] | { status: 400 | 413; type: string; path?: string }

/** One thing that must never verify. */
export interface Never {
  name: string
  /** The formats that have the concept: `documents` are objects, `tokens` compact texts. */
  of: 'all' | 'documents' | 'tokens'
  send(scene: Scene): Promise<Sent>
  expected: Expected
  /** Algorithms whose format does not write it at all. */
  notWrittenBy?: readonly string[]
  /** The result of algorithms that notice it in another place. */
  unless?: Unless
}

/** Something else for an algorithm, by its name. */
type Unless = Readonly<Record<string, Expected>>

export const day = (block: number): string => timeOf(block).toISOString()
export const data = (value: Credential): Sent => ({ data: value })

/** A case about a credential that is signed as it is sent. */
export const signed = (
  name: string,
  make: (scene: Scene) => Promise<Credential>,
  ...expected: [CheckName, string]
): Never => ({
  name,
  of: 'all',
  send: async (scene) => data(await make(scene)),
  expected,
})

/** A case about a good document that is changed. */
export const changed = (
  name: string,
  change: (document: JsonObject, scene: Scene) => Json | Promise<Json>,
  expected: Expected,
  unless: Unless = {},
): Never => ({
  name,
  of: 'documents',
  send: async (scene) => ({ data: await change(await goodDocument(scene), scene) }),
  expected,
  unless,
})

export async function goodDocument({ forge }: Pick<Scene, 'forge'>): Promise<JsonObject> {
  const document = await forge.good()
  if (!isObject(document)) throw new Error('it is no document')
  return document
}

/** A case about the text of a good document. */
export const text = (name: string, change: (json: string) => string, expected: Expected): Never => ({
  name,
  of: 'documents',
  send: async (scene) => ({ text: change(JSON.stringify({ data: await goodDocument(scene) })) }),
  expected,
})

export const withContext = (document: JsonObject, more: Json): JsonObject => ({
  ...document,
  '@context': [...asArray(document['@context']), more],
})
export const withClaims = (document: JsonObject, more: JsonObject): JsonObject => ({
  ...document,
  credentialSubject: { ...Object(document.credentialSubject), ...more },
})
export const proofOf = (document: JsonObject): JsonObject => Object(document.proof)

export const withProof = (document: JsonObject, more: JsonObject): JsonObject => ({
  ...document,
  proof: { ...proofOf(document), ...more },
})

export const encoded = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A document with the signature of a stranger, who signed the same, beside the issuer's. */
export async function twiceSigned({ forge }: Scene): Promise<JsonObject> {
  const [issuer, stranger] = [await forge.did(), await forge.did()]
  const [first, second] = [await forge.signed(issuer), await forge.signed(stranger, { issuer: issuer.did })]
  return { ...Object(first), proof: [proofOf(Object(first)), proofOf(Object(second))] }
}

// A proof of the one algorithm names the contexts again; the other signs members by a schema inside, and one by one.
export const IN_PROOF: Unless = { 'eddsa-jcs-2022': ['proof', 'malformed'] }
export const BY_SIGNATURE: Unless = { 'eddsa-jcs-2022': ['proof', 'invalid_signature'] }
export const UNSIGNED: Unless = { svcbbs: ['structure', 'unsigned_member'] }
export const ONE_ONLY: Unless = { svcbbs: ['proof', 'unsupported_proof'] }

/** @param path of what is wrong, where one place is */
export const badRequest = (path = ''): Expected => ({ status: 400, type: 'invalid_request', path })

/** A case about an issuer's own signature, by a key of another life than a good one. */
export const ofKey = (name: string, life: Life, reason: string): Never =>
  signed(name, async ({ forge }) => forge.signed(await forge.did(life)), 'issuerKey', reason)

/** A case about the dates of a credential that is good otherwise. */
export const ofDates = (name: string, dates: Wish, reason: string): Never =>
  signed(name, ({ forge }) => forge.good(dates), 'validity', reason)

const CLAIMS = { degree: 'M.Sc.', code: `${'a'.repeat(50)}!`, x: 'one' }

/** A case about a schema that a good credential names. @param more undefined: nobody has it */
export const ofSchema = (name: string, more: Readonly<Record<string, unknown>> | undefined, reason: string): Never =>
  signed(
    name,
    ({ forge, host }) => {
      const document = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', ...more }
      const path = `/${name.replaceAll(' ', '-')}`
      const id =
        more === undefined ? `https://nowhere.invalid${path}` : host.put(path, Buffer.from(JSON.stringify(document)))
      return forge.good({
        subject: CLAIMS,
        schema: { id, type: OF_SUBJECT, name: undefined, contextUrl: undefined, document },
      })
    },
    'schema',
    reason,
  )
