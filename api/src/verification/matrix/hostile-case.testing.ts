import type { CheckName } from '../../formats/check.js'
import type { Credential } from '../../formats/credential-format.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { testKey } from '../../formats/json-ld/testing.js'
import type { RemoteHost } from '../../schemas/remote/remote-host.testing.js'
import { timeOf } from '../testing.js'
import type { Forge, Signer } from './forge.testing.js'

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
  /** The same where a document is signed as it stands, and no context is read. */
  expectedAsItStands?: Expected
}

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
  expectedAsItStands: Expected = expected,
): Never => ({
  name,
  of: 'documents',
  send: async (scene) => ({ data: await change(await goodDocument(scene), scene) }),
  expected,
  expectedAsItStands,
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

/** Returns a signer with a key of its own that it says is another DID's. */
export const asIfOf = ({ did, key }: Signer): Signer => {
  const stranger = testKey()
  return { did, key: { ...stranger, did, keyId: key.keyId } }
}

/** A good credential that names a schema. */
export const underSchema = async (
  { forge, host }: Scene,
  document: JsonObject,
  subject: JsonObject,
): Promise<Credential> => {
  const id = host.put(`/schemas/${JSON.stringify(document).length}-${Object.keys(subject).join('-')}`, document)
  return forge.good({ subject, schema: { id, name: undefined, contextUrl: undefined, document } })
}

export const DRAFT = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }

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
