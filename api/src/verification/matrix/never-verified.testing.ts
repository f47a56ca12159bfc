import type { CheckName } from '../../formats/check.js'
import type { Credential } from '../../formats/credential-format.js'
import { asArray, isObject, type Json, type JsonObject } from '../../formats/json.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { endless } from '../../schemas/check/hostile-schemas.testing.js'
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
}

const day = (block: number): string => timeOf(block).toISOString()
const data = (value: Credential): Sent => ({ data: value })

/** A case about a credential that is signed as it is sent. */
const signed = (
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
const changed = (
  name: string,
  change: (document: JsonObject, scene: Scene) => Json | Promise<Json>,
  expected: Expected,
): Never => ({
  name,
  of: 'documents',
  send: async (scene) => ({ data: await change(await goodDocument(scene), scene) }),
  expected,
})

async function goodDocument({ forge }: Pick<Scene, 'forge'>): Promise<JsonObject> {
  const document = await forge.good()
  if (!isObject(document)) throw new Error('it is no document')
  return document
}

/** A case about the text of a good document. */
const text = (name: string, change: (json: string) => string, expected: Expected): Never => ({
  name,
  of: 'documents',
  send: async (scene) => ({ text: change(JSON.stringify({ data: await goodDocument(scene) })) }),
  expected,
})

const withContext = (document: JsonObject, more: Json): JsonObject => ({
  ...document,
  '@context': [...asArray(document['@context']), more],
})
const withClaims = (document: JsonObject, more: JsonObject): JsonObject => ({
  ...document,
  credentialSubject: { ...Object(document.credentialSubject), ...more },
})
const proofOf = (document: JsonObject): JsonObject => Object(document.proof)

/** Whoever has a key says that it is another DID's. */
const asIfOf = ({ did, key }: Signer): Signer => {
  const stranger = testKey()
  return { did, key: { ...stranger, did, keyId: key.keyId } }
}

/** A good credential that names a schema. */
const underSchema = async ({ forge, host }: Scene, document: JsonObject, subject: JsonObject): Promise<Credential> => {
  const id = host.put(`/schemas/${JSON.stringify(document).length}-${Object.keys(subject).join('-')}`, document)
  return forge.good({ subject, schema: { id, name: undefined, contextUrl: undefined, document } })
}

const DRAFT = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }

const KEYS: Never[] = [
  signed(
    'a signature of another key than the issuer’s',
    async ({ forge }) => forge.signed(asIfOf(await forge.did())),
    'proof',
    'invalid_signature',
  ),
  signed(
    'a key that somebody else controls',
    async ({ forge }) => forge.signed(await forge.did(), { issuer: (await forge.did()).did }),
    'issuerKey',
    'not_the_issuer',
  ),
  signed(
    'a key of another kind with the same bytes',
    async ({ forge }) => forge.signed(await forge.did({ kind: 'X25519' })),
    'issuerKey',
    'key_type_not_supported',
  ),
  signed(
    'a key that is not for assertions',
    async ({ forge }) => forge.signed(await forge.did({ relationships: 5 })),
    'issuerKey',
    'wrong_relationship',
  ),
  signed(
    'a key that was revoked after it signed',
    async ({ forge }) => forge.signed(await forge.did({ to: 70, endReason: 'revoked' })),
    'issuerKey',
    'key_revoked',
  ),
  signed(
    'a key that was retired before it signed',
    async ({ forge }) => forge.signed(await forge.did({ to: 40, endReason: 'retired' })),
    'issuerKey',
    'key_retired',
  ),
  signed(
    'a key of a DID that was deactivated before it signed',
    async ({ forge }) => forge.signed(await forge.did({ to: 40, endReason: 'deactivated' })),
    'issuerKey',
    'key_retired',
  ),
  signed(
    'a key that its DID never had',
    async ({ forge }) => {
      const { did, key } = await forge.did()
      return forge.signed({ did, key: { ...key, keyId: `${did}#keys-9` } })
    },
    'issuerKey',
    'key_not_found',
  ),
  {
    name: 'a key before its block',
    of: 'all',
    send: async ({ forge }) => ({ data: await forge.signed(await forge.did({ from: 60 })), at: 59 }),
    expected: ['issuerKey', 'key_not_yet'],
  },
]

const DATES: Never[] = [
  signed('one that is expired', ({ forge }) => forge.good({ expirationDate: day(90) }), 'validity', 'expired'),
  signed(
    'one that ended when it began',
    ({ forge }) => forge.good({ issuanceDate: day(49), expirationDate: day(49) }),
    'validity',
    'expired',
  ),
  signed(
    'one that is not valid yet',
    ({ forge }) => forge.good({ issuanceDate: day(200) }),
    'validity',
    'not_yet_valid',
  ),
  {
    name: 'one before it was signed',
    of: 'all',
    send: async ({ forge }) => ({ data: await forge.good({ issuanceDate: day(20) }), at: day(30) }),
    expected: ['validity', 'signed_later'],
  },
]

const SCHEMAS: Never[] = [
  signed(
    'a subject that its schema refuses',
    (scene) => underSchema(scene, { ...DRAFT, properties: { degree: { type: 'integer' } } }, { degree: 'M.Sc.' }),
    'schema',
    'schema_mismatch',
  ),
  signed(
    'a pattern that backtracks for ever',
    (scene) =>
      underSchema(scene, { ...DRAFT, properties: { code: { pattern: '^(a+)+$' } } }, { code: `${'a'.repeat(50)}!` }),
    'schema',
    'schema_mismatch',
  ),
  signed(
    'a schema whose check has no end',
    (scene) => underSchema(scene, { ...DRAFT, ...endless(1) }, { x: 'one' }),
    'schema',
    'unavailable',
  ),
  signed(
    'a schema of 10 MB',
    (scene) => underSchema(scene, { ...DRAFT, description: 'x'.repeat(10_485_760) }, { long: 'x' }),
    'schema',
    'unavailable',
  ),
  signed(
    'a schema that nobody has',
    ({ forge }) =>
      forge.good({
        schema: { id: 'https://nowhere.invalid/schema', name: undefined, contextUrl: undefined, document: DRAFT },
      }),
    'schema',
    'unavailable',
  ),
]

const CONTEXTS: Never[] = [
  changed('a context that does not resolve', (document) => withContext(document, 'https://nowhere.invalid/context'), [
    'proof',
    'unavailable',
  ]),
  changed(
    'a context that gives a claim the name of another',
    (document) => withContext(document, { degree: 'https://v.example/other' }),
    ['structure', 'malformed'],
  ),
  changed(
    'a context of elsewhere that gives a claim the name of another',
    (document, { host }) =>
      withContext(document, host.put('/renames', { '@context': { degree: 'https://v.example/o' } })),
    ['structure', 'malformed'],
  ),
  changed(
    'a context that gives a protected name another meaning',
    (document) => withContext(document, { VerifiableCredential: 'https://v.example/credential' }),
    ['structure', 'malformed'],
  ),
  changed(
    'a context of 10 MB elsewhere',
    (document, { host }) =>
      withContext(document, host.put('/large', { '@context': { a: `https://v.example/${'x'.repeat(10_485_760)}` } })),
    ['proof', 'unavailable'],
  ),
  changed(
    'a context of 10 MB in the document',
    (document) => withContext(document, { a: `https://v.example/${'x'.repeat(10_485_760)}` }),
    { status: 413, type: 'payload_too_large' },
  ),
  changed(
    'a context of 500 kB in the document',
    (document) => withContext(document, { a: `https://v.example/${'x'.repeat(500_000)}` }),
    ['structure', 'too_large'],
  ),
  changed('no context', ({ '@context': _, ...document }) => document, ['structure', 'malformed']),
]

const SHAPES: Never[] = [
  text(
    'nesting of 3,000',
    (json) => json.replace('"degree":', `"deep":${'['.repeat(3000)}1${']'.repeat(3000)},"degree":`),
    { status: 400, type: 'invalid_request' },
  ),
  changed(
    'nesting of 40',
    (document) => withClaims(document, { deep: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }),
    ['structure', 'too_large'],
  ),
  changed(
    '10,000 claims',
    (document) => withClaims(document, Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, at]))),
    ['structure', 'too_large'],
  ),
  text('a claim that is called __proto__', (json) => json.replace('"degree":', '"__proto__":{"year":1},"degree":'), {
    status: 400,
    type: 'invalid_request',
  }),
  text('a claim twice', (json) => json.replace('"degree":"M', '"degree":"Ph.D.","degree":"M'), {
    status: 400,
    type: 'invalid_request',
    path: '/data/credentialSubject/degree',
  }),
  text('a number that no double keeps', (json) => json.replace('"year":2026', '"year":9007199254740993'), {
    status: 400,
    type: 'invalid_request',
    path: '/data/credentialSubject/year',
  }),
  text('a number beyond all doubles', (json) => json.replace('"year":2026', '"year":1e400'), {
    status: 400,
    type: 'invalid_request',
    path: '/data/credentialSubject/year',
  }),
  changed('a claim that is called constructor', (document) => withClaims(document, { constructor: 'x' }), [
    'proof',
    'unmapped_term',
  ]),
  changed('a text with half a character', (document) => withClaims(document, { degree: '\ud800' }), {
    status: 400,
    type: 'invalid_request',
  }),
  changed('a text with NUL', (document) => withClaims(document, { degree: 'M.Sc.\u0000' }), {
    status: 400,
    type: 'invalid_request',
  }),
]

/** A document with the signature of a stranger, who signed the same, beside the issuer's. */
async function twiceSigned({ forge }: Scene): Promise<JsonObject> {
  const [issuer, stranger] = [await forge.did(), await forge.did()]
  const [first, second] = [await forge.signed(issuer), await forge.signed(stranger, { issuer: issuer.did })]
  return { ...Object(first), proof: [proofOf(Object(first)), proofOf(Object(second))] }
}

const SIGNATURES: Never[] = [
  changed('a second signature, of a stranger', (_, scene) => twiceSigned(scene), ['issuerKey', 'not_the_issuer']),
  changed(
    'a second signature that does not fit',
    (document) => ({ ...document, proof: [proofOf(document), { ...proofOf(document), created: day(51) }] }),
    ['proof', 'invalid_signature'],
  ),
  changed('the purpose of a presentation', (document) => withProof(document, { proofPurpose: 'authentication' }), [
    'proof',
    'wrong_purpose',
  ]),
  changed('a type of proofs that nobody knows', (document) => withProof(document, { type: 'NoSignature2026' }), [
    'proof',
    'unsupported_proof',
  ]),
  changed('no signature', ({ proof: _, ...document }) => document, ['structure', 'malformed']),
  changed('a list of no signatures', (document) => ({ ...document, proof: [] }), ['structure', 'malformed']),
  {
    name: 'the signature of another credential of the same issuer',
    of: 'documents',
    async send({ forge }) {
      const issuer = await forge.did()
      const other = await forge.signed(issuer, { subject: { id: 'did:example:other', degree: 'none' } })
      return data({ ...Object(await forge.signed(issuer)), proof: proofOf(Object(other)) })
    },
    expected: ['proof', 'invalid_signature'],
  },
]

const withProof = (document: JsonObject, more: JsonObject): JsonObject => ({
  ...document,
  proof: { ...proofOf(document), ...more },
})

const encoded = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const DRESSED: Never[] = [
  changed('a document as the text of its JSON', (document) => JSON.stringify(document), ['structure', 'malformed']),
  changed(
    'a document that says it is a presentation',
    (document) => ({ ...document, type: ['VerifiablePresentation'] }),
    ['structure', 'malformed'],
  ),
  changed(
    'a document that says it is a presentation too',
    (document) => ({ ...document, type: [...asArray(document.type), 'VerifiablePresentation'] }),
    ['structure', 'malformed'],
  ),
  changed(
    'a presentation of itself',
    (document) => ({ ...document, type: ['VerifiablePresentation'], verifiableCredential: [document] }),
    ['structure', 'malformed'],
  ),
  changed('a document wrapped in another’s subject', (document) => ({ ...document, credentialSubject: document }), [
    'structure',
    'malformed',
  ]),
  {
    name: 'a document as the payload of a token',
    of: 'documents',
    send: async (scene) => data(`${encoded({ alg: 'EdDSA' })}.${encoded(await goodDocument(scene))}.c2lnbmF0dXJl`),
    expected: ['structure', 'unsupported_format'],
  },
  {
    name: 'a token in a proof of a document',
    of: 'tokens',
    send: async ({ forge }) => ({
      data: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential'],
        issuer: 'did:example:a',
        issuanceDate: day(49),
        credentialSubject: { id: 'did:example:b' },
        proof: { type: 'JwtProof2020', jwt: await forge.good() },
      },
    }),
    expected: ['proof', 'unsupported_proof'],
  },
]

export const NEVER_VERIFIED: readonly Never[] = [
  ...KEYS,
  ...DATES,
  ...SCHEMAS,
  ...CONTEXTS,
  ...SHAPES,
  ...SIGNATURES,
  ...DRESSED,
]
