import { asArray } from '../../formats/json.js'
import { endless } from '../../schemas/check/hostile-schemas.testing.js'
import {
  BY_SIGNATURE,
  badRequest,
  changed,
  data,
  day,
  encoded,
  goodDocument,
  IN_PROOF,
  type Never,
  ONE_ONLY,
  ofDates,
  ofKey,
  ofSchema,
  proofOf,
  signed,
  text,
  twiceSigned,
  UNSIGNED,
  withClaims,
  withContext,
  withProof,
} from './hostile-case.testing.js'

const KEYS: Never[] = [
  signed(
    'a signature of another key than the issuer’s',
    async ({ forge }) => forge.signed(await forge.asIfOf(await forge.did())),
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
    'a key that is of another kind on the ledger',
    async ({ forge }) => forge.signed(await forge.didOfOtherKind()),
    'issuerKey',
    'key_type_not_supported',
  ),
  ofKey('a key that is not for assertions', { relationships: 5 }, 'wrong_relationship'),
  ofKey('a key that was revoked after it signed', { to: 70, endReason: 'revoked' }, 'key_revoked'),
  ofKey('a key that was retired before it signed', { to: 40, endReason: 'retired' }, 'key_retired'),
  ofKey('a key of a DID that ended before it signed', { to: 40, endReason: 'deactivated' }, 'key_retired'),
  signed(
    'a key that its DID never had',
    async ({ forge }) => {
      const issuer = await forge.did()
      return forge.signed({ ...issuer, keyId: `${issuer.did}#keys-9` })
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
  ofDates('one that is expired', { expirationDate: day(90) }, 'expired'),
  ofDates('one that ended when it began', { issuanceDate: day(49), expirationDate: day(49) }, 'expired'),
  { ...ofDates('one that is not valid yet', { issuanceDate: day(200) }, 'not_yet_valid'), notWrittenBy: ['svcbbs'] },
  {
    name: 'one before it was signed',
    of: 'all',
    send: async ({ forge }) => ({ data: await forge.good({ issuanceDate: day(20) }), at: day(30) }),
    expected: ['validity', 'signed_later'],
  },
]

const SCHEMAS: Never[] = [
  ofSchema('a subject that its schema refuses', { properties: { degree: { type: 'integer' } } }, 'schema_mismatch'),
  ofSchema('a pattern that backtracks for ever', { properties: { code: { pattern: '^(a+)+$' } } }, 'schema_mismatch'),
  ofSchema('a schema whose check has no end', endless(1), 'unavailable'),
  ofSchema('a schema of 10 MB', { description: 'x'.repeat(10_485_760) }, 'unavailable'),
  ofSchema('a schema that nobody has', undefined, 'unavailable'),
]

const CONTEXTS: Never[] = [
  changed(
    'a context that does not resolve',
    (document) => withContext(document, 'https://nowhere.invalid/context'),
    ['proof', 'unavailable'],
    { ...IN_PROOF, ...UNSIGNED },
  ),
  changed(
    'a context that gives a claim the name of another',
    (document) => withContext(document, { degree: 'https://v.example/other' }),
    ['structure', 'malformed'],
    UNSIGNED,
  ),
  changed(
    'a context of elsewhere that gives a claim the name of another',
    (document, { host }) =>
      withContext(document, host.put('/renames', { '@context': { degree: 'https://v.example/o' } })),
    ['structure', 'malformed'],
    UNSIGNED,
  ),
  changed(
    'a context that gives a protected name another meaning',
    (document) => withContext(document, { VerifiableCredential: 'https://v.example/credential' }),
    ['structure', 'malformed'],
    UNSIGNED,
  ),
  changed(
    'a context of 10 MB elsewhere',
    (document, { host }) =>
      withContext(document, host.put('/large', { '@context': { a: `https://v.example/${'x'.repeat(10_485_760)}` } })),
    ['proof', 'unavailable'],
    { ...IN_PROOF, ...UNSIGNED },
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
    badRequest(),
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
  text(
    'a claim that is called __proto__',
    (json) => json.replace('"degree":', '"__proto__":{"year":1},"degree":'),
    badRequest(),
  ),
  text(
    'a claim twice',
    (json) => json.replace('"degree":"M', '"degree":"Ph.D.","degree":"M'),
    badRequest('/data/credentialSubject/degree'),
  ),
  text(
    'a number that no double keeps',
    (json) => json.replace('"year":2026', '"year":9007199254740993'),
    badRequest('/data/credentialSubject/year'),
  ),
  text(
    'a number beyond all doubles',
    (json) => json.replace('"year":2026', '"year":1e400'),
    badRequest('/data/credentialSubject/year'),
  ),
  changed(
    'a claim that is called constructor',
    (document) => withClaims(document, { constructor: 'x' }),
    ['proof', 'unmapped_term'],
    { ...BY_SIGNATURE, ...UNSIGNED },
  ),
  changed('a text with half a character', (document) => withClaims(document, { degree: '\ud800' }), badRequest()),
  changed('a text with NUL', (document) => withClaims(document, { degree: 'M.Sc.\u0000' }), badRequest()),
]

const SIGNATURES: Never[] = [
  changed(
    'a second signature, of a stranger',
    (_, scene) => twiceSigned(scene),
    ['issuerKey', 'not_the_issuer'],
    ONE_ONLY,
  ),
  changed(
    'a second signature that does not fit',
    (document) => ({ ...document, proof: [proofOf(document), { ...proofOf(document), created: day(51) }] }),
    ['proof', 'invalid_signature'],
    ONE_ONLY,
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
    unless: IN_PROOF,
  },
]

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
  changed(
    'a document wrapped in another’s subject',
    (document) => ({ ...document, credentialSubject: document }),
    ['structure', 'malformed'],
    { ...BY_SIGNATURE, ...UNSIGNED },
  ),
  {
    name: 'a document as the payload of a token',
    of: 'documents',
    send: async (scene) => data(`${encoded({ alg: 'EdDSA' })}.${encoded(await goodDocument(scene))}.c2lnbmF0dXJl`),
    expected: ['structure', 'malformed'],
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
