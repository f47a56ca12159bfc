import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { base64UrlOf } from '../../formats/compact/base64url.js'
import type { JsonObject } from '../../formats/json.js'
import { CREDENTIALS_V2 } from '../../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { signedToken } from '../../formats/jwt/testing.js'
import { disclosure, encodedDisclosure } from '../../formats/sd-jwt/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { checkOf, expectFailure, TestVerifier, timeOf } from '../testing.js'

const verifier = forAllTests(() => TestVerifier.open())
const [key, holder] = [testKey(), testKey()]
const seconds = (block: number): number => Math.floor(timeOf(block).getTime() / 1000)

const header: JsonObject = { alg: 'EdDSA', typ: 'dc+sd-jwt', kid: key.keyId }
const [degree, year, born] = [
  disclosure('salt-1', 'degree', 'M.Sc. Physics'),
  disclosure('salt-2', 'year', 2026),
  disclosure('salt-3', 'born', '2000-01-01'),
]
const payload: JsonObject = {
  iss: key.did,
  iat: seconds(50),
  vct: 'https://issuer.example/types/degree',
  _sd_alg: 'sha-256',
  _sd: [degree.digest, year.digest, born.digest],
}

/** A token with other members of its payload; undefined leaves one out. */
const jws = (more: Record<string, unknown> = {}, head: Record<string, unknown> = {}, by = key) =>
  signedToken(
    JSON.parse(JSON.stringify({ ...header, ...head })),
    JSON.parse(JSON.stringify({ ...payload, ...more })),
    by,
  )

const showing = (token: string, ...disclosures: { text: string }[]): string =>
  [token, ...disclosures.map(({ text }) => text), ''].join('~')

const verify = (data: string, more: JsonObject = {}) => verifier().verify({ data, ...more })
const refused = async (data: string) => expectFailure(await verify(data), 'structure', 'malformed')

it('a token verifies with all of its disclosures, some or none', async () => {
  for (const shown of [[degree, year, born], [year], []])
    expect((await verify(showing(await jws(), ...shown))).body).toMatchObject({
      verified: true,
      results: [{ proof: { type: 'SdJwt', typ: 'dc+sd-jwt' } }],
    })
  expect((await verify(showing(await jws({}, { typ: 'vc+sd-jwt' })))).body.verified).toBe(true)
})

it('hidden things inside hidden things, items of lists and decoys verify', async () => {
  const street = disclosure('s', 'street', 'Main Street 1')
  const address = disclosure('s', 'address', { _sd: [street.digest, decoy(1)], country: 'PL' })
  const french = disclosure('s', 'FR')
  const inner = disclosure('s', { name: 'x', _sd: [decoy(2)] })
  const token = await jws({
    _sd: [address.digest, decoy(3)],
    nationalities: ['DE', { '...': french.digest }, { '...': decoy(4) }, { '...': inner.digest }],
  })
  for (const shown of [[], [address], [address, street], [french], [inner], [address, street, french, inner]])
    expect((await verify(showing(token, ...shown))).body).toMatchObject({ verified: true })
  await refused(showing(token, street))
})

const decoy = (n: number): string => createHash('sha256').update(`decoy ${n}`).digest('base64url')

it.each(['sha-384', 'sha-512'])('digests made with %s are understood', async (name) => {
  const shown = encodedDisclosure('["salt","degree","x"]', name.replace('-', ''))
  const token = await jws({ _sd_alg: name, _sd: [shown.digest] })
  expect((await verify(showing(token, shown))).body.verified).toBe(true)
  await refused(showing(token, degree))
})

it.each(['md5', 'SHA-256', 'sha256', 'sha-1', '', null, 1, ['sha-256']])(
  'a token whose digests are made with %j is refused',
  async (name) => refused(showing(await jws({ _sd_alg: name }), degree)),
)

it.each<[string, () => Promise<string>]>([
  ['a disclosure that nobody signed', async () => showing(await jws(), disclosure('salt', 'degree', 'PhD'))],
  ['the same disclosure twice', async () => showing(await jws(), degree, degree)],
  ['the same digest twice', async () => showing(await jws({ _sd: [degree.digest, degree.digest] }), degree)],
  ['the same digest in two places', async () => showing(await jws({ more: { _sd: [degree.digest] } }))],
  ['the same digest in a list too', async () => showing(await jws({ list: [{ '...': year.digest }] }))],
  ['a disclosed name that stands openly', async () => showing(await jws({ degree: 'B.Sc.' }), degree)],
  ['two disclosures of one name', twoOfOneName],
  ['a disclosure named _sd', () => shown('["s","_sd",["x"]]')],
  ['a disclosure named ...', () => shown('["s","...","x"]')],
  ['a disclosure named _sd_alg', () => shown('["s","_sd_alg","md5"]')],
  ['a disclosure without a salt', () => shown('["degree","x"]')],
  ['a disclosure whose salt is no text', () => shown('[1,"degree","x"]')],
  ['a disclosure whose name is no text', () => shown('["s",1,"x"]')],
  ['a disclosure of four parts', () => shown('["s","degree","x","y"]')],
  ['a disclosure of one part', () => shown('["s"]')],
  ['a disclosure that is no list', () => shown('{"0":"s"}')],
  ['a disclosure that is no JSON', () => shown('["s","degree",')],
  ['a disclosure with a repeated member', () => shown('["s","degree",{"a":1,"a":2}]')],
  ['a disclosure that changes prototypes', () => shown('["s","__proto__",{"admin":true}]')],
  ['an empty disclosure', async () => `${showing(await jws())}~`],
  ['a disclosure with padding', async () => showing(await jws(), { text: `${degree.text}=` })],
  ['a disclosure with a space', async () => showing(await jws(), { text: ` ${degree.text}` })],
  [
    'a member’s disclosure in a list',
    async () => showing(await jws({ _sd: [], l: [{ '...': degree.digest }] }), degree),
  ],
  ['an item’s disclosure for a member', () => shown('["s","FR"]')],
  ['a digest in a list with a member beside it', async () => showing(await jws({ l: [{ '...': decoy(1), a: 1 }] }))],
  ['a digest in a list that is no text', async () => showing(await jws({ l: [{ '...': 1 }] }))],
  ['a member named ...', async () => showing(await jws({ '...': decoy(1) }))],
  ['an inner member named ...', async () => showing(await jws({ a: { '...': decoy(1) } }))],
  ['an inner _sd_alg', async () => showing(await jws({ a: { _sd_alg: 'sha-256' } }))],
  ['an _sd that is no list', async () => showing(await jws({ _sd: degree.digest }))],
  ['an _sd that is null', async () => showing(await jws({ _sd: null }))],
  ['digests that are no texts', async () => showing(await jws({ _sd: [1] }))],
])('a token with %s is refused', async (_, make) => refused(await make()))

async function twoOfOneName(): Promise<string> {
  const other = disclosure('salt-9', 'degree', 'PhD')
  return showing(await jws({ _sd: [degree.digest, other.digest] }), degree, other)
}

/** A token that signs any disclosure. */
async function shown(json: string): Promise<string> {
  const made = encodedDisclosure(json)
  return showing(await jws({ _sd: [made.digest] }), made)
}

it.each<[string, unknown]>([
  ['iss', key.did],
  ['vct', 'https://issuer.example/types/degree'],
  ['vct#integrity', 'sha256-x'],
  ['exp', seconds(500)],
  ['nbf', seconds(10)],
  ['cnf', { kid: holder.keyId }],
  ['status', { status_list: {} }],
  ['aud', 'somebody'],
  ['credentialStatus', {}],
  ['credentialSchema', {}],
  ['previousCredentialId', 'urn:a'],
])('a token whose %s stands in a disclosure is refused, also where it stands openly too', async (name, value) => {
  const hidden = disclosure('salt', name, JSON.parse(JSON.stringify(value)))
  const without = await jws({ _sd: [hidden.digest], [name]: undefined })
  await refused(showing(without, hidden))
  await refused(showing(await jws({ _sd: [hidden.digest], [name]: value }), hidden))
})

it.each<[string, JsonObject, (digest: string) => Record<string, unknown>]>([
  ['its status', { id: 'x', type: 'StatusList2021Entry' }, (digest) => ({ credentialStatus: [{ '...': digest }] })],
  ['its schema', { id: 'https://issuer.example/schema' }, (digest) => ({ credentialSchema: [{ '...': digest }] })],
])('a holder cannot leave out %s, though its issuer let it', async (_, value, more) => {
  const item = disclosure('s', value)
  const token = await jws(more(item.digest))
  await refused(showing(token))
  await refused(showing(token, item))
})

it.each(['cnf', 'status', 'credentialStatus', 'credentialSchema'])(
  'a holder cannot leave out a part of its %s, though its issuer let it',
  async (name) => {
    const id = disclosure('s', 'id', 'urn:x:1')
    const token = await jws({ [name]: { type: 'JsonSchemaValidator2018', _sd: [id.digest] } })
    await refused(showing(token))
    await refused(showing(token, id))
  },
)

it.each<[string, Record<string, unknown>]>([
  ['no vct', { vct: undefined }],
  ['an empty vct', { vct: '' }],
  ['a vct that is no text', { vct: ['a'] }],
  ['an issuer that is no text', { iss: { id: key.did } }],
  ['a subject that is no text', { sub: 1 }],
  ['two names of its subject', { sub: 'did:example:a', id: 'did:example:b' }],
  ['an end with a fraction', { exp: seconds(500) + 0.5 }],
  ['a time of issue that is no number', { iat: '1' }],
  ['an audience', { aud: 'somebody' }],
  ['a confirmation without a key', { cnf: {} }],
  ['a private key', { cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(key.publicKey), d: 'AAAA' } } }],
])('a token with %s is refused', async (_, more) => refused(showing(await jws(more))))

it.each<[string, Record<string, unknown>, string, string]>([
  ['without a type', { typ: undefined }, 'structure', 'malformed'],
  ['of the type JWT', { typ: 'JWT' }, 'structure', 'malformed'],
  ['of the type vc+jwt', { typ: 'vc+jwt' }, 'structure', 'malformed'],
  ['of the type of a key binding', { typ: 'kb+jwt' }, 'structure', 'malformed'],
  ['with an unknown crit', { crit: ['x'] }, 'structure', 'malformed'],
  ['with the algorithm none', { alg: 'none' }, 'proof', 'unsupported_proof'],
  ['with the algorithm HS256', { alg: 'HS256' }, 'proof', 'unsupported_proof'],
  ['of another key', { kid: holder.keyId }, 'issuerKey', 'not_the_issuer'],
])('a token %s is refused', async (_, head, check, reason) => {
  expectFailure(await verify(showing(await jws({}, head))), check, reason)
})

it.each<[string, () => Promise<string>, string, string]>([
  ['signed by another key', async () => showing(await jws({}, {}, holder)), 'proof', 'invalid_signature'],
  ['that ended', async () => showing(await jws({ exp: seconds(90) })), 'validity', 'expired'],
  ['that begins later', async () => showing(await jws({ nbf: seconds(110) })), 'validity', 'not_yet_valid'],
  ['signed later', async () => showing(await jws({ iat: seconds(110) })), 'validity', 'signed_later'],
  ['of no issuer', async () => showing(await jws({ iss: undefined })), 'issuerKey', 'not_the_issuer'],
  [
    'of an issuer without a DID',
    async () => showing(await jws({ iss: 'https://a.example' })),
    'issuerKey',
    'not_the_issuer',
  ],
  ['with a status', async () => showing(await jws({ status: { status_list: {} } })), 'status', 'malformed'],
  ['with a status of another kind', async () => showing(await jws({ status: { other: {} } })), 'status', 'unavailable'],
  ['with a status that is no object', async () => showing(await jws({ status: 1 })), 'status', 'malformed'],
  ['deeper than 32', async () => showing(await jws({ _sd: [], a: nested(40) })), 'structure', 'too_large'],
  [
    'with more digests than anybody has claims',
    async () => showing(await jws({ _sd: Array.from({ length: 2_001 }, (_, n) => decoy(n)) })),
    'structure',
    'too_large',
  ],
  ['hidden deeper than 32', hiddenDeep, 'structure', 'too_large'],
])('a token %s is refused', async (_, make, check, reason) => {
  expectFailure(await verify(await make()), check, reason)
})

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}

async function hiddenDeep(): Promise<string> {
  const disclosures = [disclosure('s', 'a', 1)]
  for (let n = 0; n < 40; n++) disclosures.unshift(disclosure('s', 'a', { _sd: [disclosures[0]?.digest ?? ''] }))
  return showing(await jws({ _sd: [disclosures[0]?.digest] }), ...disclosures)
}

it('a token of a thousand disclosures is refused', async () => {
  const many = Array.from({ length: 1000 }, (_, n) => disclosure('s', `claim${n}`, n))
  await refused(showing(await jws({ _sd: many.map(({ digest }) => digest) }), ...many))
})

it('a token without its tilde is no SD-JWT, and no other credential', async () => {
  await refused(await jws())
})

const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64UrlOf(holder.publicKey) }

interface Binding {
  of?: string
  more?: Record<string, unknown>
  head?: Record<string, unknown>
  by?: Pick<typeof holder, 'sign'>
}

/** A token that its holder shows to a verifier. */
async function bound(token: string, { of = token, more = {}, head = {}, by = holder }: Binding = {}): Promise<string> {
  const claims = {
    iat: seconds(95),
    aud: 'https://verifier.example',
    nonce: 'n-1',
    sd_hash: createHash('sha256').update(of).digest('base64url'),
    ...more,
  }
  const [kbHeader, kbClaims] = [{ alg: 'EdDSA', typ: 'kb+jwt', ...head }, claims].map((part) =>
    JSON.parse(JSON.stringify(part)),
  )
  return `${token}${await signedToken(kbHeader, kbClaims, by)}`
}

const question = {
  challenge: 'n-1',
  domain: 'https://verifier.example',
  require: ['holder', 'holderBinding', 'challenge'],
}
const toHolder = async () => showing(await jws({ cnf: { jwk } }), degree)

it('a token for the key of a holder is presented with that key, for one question', async () => {
  for (const cnf of [{ jwk }, { jwk: { ...jwk, kid: 'a', alg: 'EdDSA', use: 'sig' } }, { kid: holder.keyId }]) {
    const given = await bound(showing(await jws({ cnf }), degree))
    expect((await verify(given, question)).body).toMatchObject({ verified: true })
    expectFailure(await verify(given, { challenge: 'n-2' }), 'challenge', 'wrong_challenge')
    expectFailure(await verify(given, { domain: 'https://other.example' }), 'challenge', 'wrong_domain')
  }
  expectFailure(await verify(await toHolder(), question), 'challenge', 'no_presentation')
})

it.each<[string, (token: string) => Promise<string>, string, string]>([
  ['of another key', (token) => bound(token, { by: testKey() }), 'holder', 'invalid_signature'],
  ['by its issuer', (token) => bound(token, { by: key }), 'holder', 'invalid_signature'],
  [
    'about other disclosures',
    async (token) => bound(token, { of: showing(await jws({ cnf: { jwk } })) }),
    'structure',
    'malformed',
  ],
  ['without a digest', (token) => bound(token, { more: { sd_hash: undefined } }), 'structure', 'malformed'],
  ['without a nonce', (token) => bound(token, { more: { nonce: undefined } }), 'structure', 'malformed'],
  ['without an audience', (token) => bound(token, { more: { aud: undefined } }), 'structure', 'malformed'],
  ['for several', (token) => bound(token, { more: { aud: ['https://verifier.example'] } }), 'structure', 'malformed'],
  ['without a time', (token) => bound(token, { more: { iat: undefined } }), 'structure', 'malformed'],
  ['of 1970', (token) => bound(token, { more: { iat: 0 } }), 'validity', 'expired'],
  ['of two hours ago', (token) => bound(token, { more: { iat: seconds(100) - 7200 } }), 'validity', 'expired'],
  ['of the future', (token) => bound(token, { more: { iat: seconds(110) } }), 'validity', 'signed_later'],
  ['that ended', (token) => bound(token, { more: { exp: seconds(99) } }), 'validity', 'expired'],
  ['of another type', (token) => bound(token, { head: { typ: 'JWT' } }), 'structure', 'malformed'],
  ['with the algorithm none', (token) => bound(token, { head: { alg: 'none' } }), 'holder', 'unsupported_proof'],
  ['with crit', (token) => bound(token, { head: { crit: ['x'] } }), 'structure', 'malformed'],
  ['that is no token', async (token) => `${token}abc`, 'structure', 'malformed'],
  [
    'twice',
    async (token) => `${await bound(token)}~${(await bound(token)).slice(token.length)}`,
    'structure',
    'malformed',
  ],
])('a binding %s is refused', async (_, make, check, reason) => {
  expectFailure(await verify(await make(await toHolder())), check, reason)
})

it('a token that names no key is not bound to one, and another key of its holder does not help', async () => {
  await refused(await bound(showing(await jws(), degree)))
})

it('a binding takes no disclosure more or less than it is about', async () => {
  const token = await jws({ cnf: { jwk } })
  const [few, many] = [showing(token, degree), showing(token, degree, year)]
  const binding = (await bound(few)).slice(few.length)
  await refused(`${many}${binding}`)
  await refused(`${showing(token)}${binding}`)
})

it('a P-256 key of a holder binds a token', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const by = {
    sign: async (bytes: Uint8Array) =>
      new Uint8Array(sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
  }
  const token = showing(await jws({ cnf: { jwk: JSON.parse(JSON.stringify(publicKey.export({ format: 'jwk' }))) } }))
  expect((await verify(await bound(token, { head: { alg: 'ES256' }, by }), question)).body.verified).toBe(true)
  expectFailure(await verify(await bound(token, { by }), question), 'holder', 'no_key')
})

it('a key of a holder that is made to encrypt binds nothing', async () => {
  const use = base64UrlOf(JSON.stringify({ ...jwk, use: 'enc' }))
  const token = showing(await jws({ cnf: { kid: `did:jwk:${use}#0` } }))
  expectFailure(await verify(await bound(token), question), 'holder', 'wrong_relationship')
})

it('its checks are those of any credential', async () => {
  const answer = await verify(showing(await jws({ previousCredentialId: 'urn:a' })))
  expectFailure(answer, 'delegation', 'unavailable')
  expect(checkOf(answer, 'schema')).toMatchObject({ passed: null })
})

it('a presentation holds a token that its holder bound to the same question', async () => {
  const { nonce, aud } = { nonce: question.challenge, aud: question.domain }
  const enveloped = (token: string) => ({
    '@context': [CREDENTIALS_V2],
    type: 'EnvelopedVerifiableCredential',
    id: `data:application/dc+sd-jwt,${token}`,
  })
  const presented = async (token: string, by = holder) => {
    const vp = { '@context': [CREDENTIALS_V2], type: 'VerifiablePresentation', holder: by.did }
    const head = { alg: 'EdDSA', typ: 'vp+jwt', kid: by.keyId }
    return signedToken(head, { ...vp, verifiableCredential: [enveloped(token)], nonce, aud }, by)
  }
  const good = await bound(await toHolder())
  const asked = { challenge: question.challenge, domain: question.domain }
  expect((await verify(await presented(good), asked)).body).toMatchObject({
    verified: true,
    results: [{ proof: { type: 'SdJwt' } }, {}],
  })
  for (const more of [{ nonce: 'n-2' }, { aud: 'https://other.example' }]) {
    const answer = await verify(await presented(await bound(await toHolder(), { more })), asked)
    expectFailure(answer, 'challenge', 'nonce' in more ? 'wrong_challenge' : 'wrong_domain')
  }
  const forged = await presented(await bound(await toHolder(), { by: testKey() }))
  expectFailure(await verify(forged, asked), 'holder', 'invalid_signature')
  const old = await presented(await bound(await toHolder(), { more: { iat: seconds(100) - 7200 } }))
  expectFailure(await verify(old, asked), 'validity', 'expired')
  // Another party that shows the token of somebody is not whom the credential is bound to.
  const stranger = testKey()
  const required = { ...asked, require: ['holderBinding'] }
  expectFailure(await verify(await presented(good, stranger), required), 'holderBinding', 'other_holder')
})

it('a bound token in the envelope of a credential is a presentation by itself', async () => {
  const token = await bound(await toHolder())
  const data = {
    '@context': [CREDENTIALS_V2],
    type: 'EnvelopedVerifiableCredential',
    id: `data:application/dc+sd-jwt,${token}`,
  }
  expect((await verifier().verify({ data, ...question })).body).toMatchObject({ verified: true })
  expectFailure(await verifier().verify({ data, challenge: 'n-2' }), 'challenge', 'wrong_challenge')
})
