import * as dataIntegrity from '@digitalbazaar/data-integrity'
import { Ed25519Signature2020 } from '@digitalbazaar/ed25519-signature-2020'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import * as bitstring from '@digitalbazaar/vc-bitstring-status-list'
import * as list2021 from '@digitalbazaar/vc-status-list'
import { getListFromStatusListJWT, getStatusListFromJWT } from '@sd-jwt/jwt-status-list'
import { beforeAll, describe, expect, it } from 'vitest'
import { pathOf } from '../credentials/loop.testing.js'
import { isObject, type Json, type JsonObject, textOf } from '../formats/json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { CREDENTIALS_V2, ED25519_2020 } from '../formats/json-ld/contexts/known-contexts.js'
import { revocationWorld } from './revocation.testing.js'

const world = revocationWorld()
const { made } = world

const FORMS = {
  StatusList2021Entry: { path: '', request: { format: 'jsonld' }, credential: {} },
  BitstringStatusListEntry: {
    path: '/bitstring',
    request: { format: 'jsonld', algorithm: 'eddsa-rdfc-2022' },
    credential: { context: [CREDENTIALS_V2] },
  },
  TokenStatusList: { path: '/token', request: { format: 'sdjwt' }, credential: {} },
} satisfies Record<string, { path: string; request: JsonObject; credential: JsonObject }>
type Form = keyof typeof FORMS
const ALL: readonly Form[] = ['StatusList2021Entry', 'BitstringStatusListEntry', 'TokenStatusList']
const subject = { id: 'did:example:graduate', degree: 'M.Sc.' }

async function issue(form: Form, more: JsonObject = {}, request: Record<string, Json> = {}) {
  const { credential, request: own } = FORMS[form]
  return world.service.issue({ issuer: world.did, subject, ...credential, ...more }, { ...own, ...request })
}

async function issued(form: Form, more: JsonObject = {}, request: Record<string, Json> = {}) {
  const { status, body } = await issue(form, more, request)
  expect({ status, body }).toMatchObject({ status: 200 })
  const claims = typeof body === 'string' ? payloadOf(body) : body
  return { credential: body, id: String(claims.jti ?? claims.id), entry: claims.credentialStatus ?? claims.status }
}

function payloadOf(token: string): JsonObject {
  const payload: Json = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (!isObject(payload)) throw new Error('no payload')
  return payload
}

const uriOf = (entry: JsonObject): string =>
  textOf(entry.statusListCredential) ?? textOf(isObject(entry.status_list) ? entry.status_list.uri : undefined) ?? ''
const indexOf = (entry: JsonObject): number =>
  Number(entry.statusListIndex ?? (isObject(entry.status_list) ? entry.status_list.idx : undefined))

const get = (url: string, headers: Record<string, string> = {}) =>
  world.service.call('GET', url.replace(/^https?:\/\/[^/]+/, ''), undefined, '', headers)

async function statusOf(data: Json, more: JsonObject = {}) {
  const { body } = await world.service.call('POST', '/verify', { data, ...more })
  const found = body.checks.find(({ check }: { check: string }) => check === 'status')
  return { verified: body.verified, passed: found.passed, reason: found.reason, explanation: found.explanation }
}

async function change(id: string, action: 'revoke' | 'unrevoke'): Promise<void> {
  const { status, body } = await world.service.call('POST', `${pathOf(id)}/${action}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  expect(await world.service.finished(body.id)).toBe('finalized')
}

/** The status at an index of a published list, as the libraries of others read it. */
async function readBy(form: Form, url: string, index: number): Promise<unknown> {
  const { status, body } = await get(url)
  expect(status).toBe(200)
  if (form === 'TokenStatusList') return getListFromStatusListJWT(body).getStatus(index)
  const { encodedList } = body.credentialSubject
  const list =
    form === 'StatusList2021Entry'
      ? await list2021.decodeList({ encodedList })
      : await bitstring.decodeList({ encodedList })
  return Number(list.getStatus(index))
}

/** Loads our lists, and the keys of DIDs here, for libraries of others. */
const loader = async (url: string) => {
  const load = documentLoader(NO_EXTRA_CONTEXTS)
  const [did = '', fragment] = url.split('#')
  if (url.includes('/status-lists/')) return { contextUrl: null, documentUrl: url, document: (await get(url)).body }
  if (!did.startsWith('did:')) return load(url)
  const { body } = await world.service.call('GET', `/dids/${did}`)
  const keyId = `${did}#keys-1`
  const { publicKeyMultibase } = body.verificationMethod.find(({ id }: { id: string }) => id === keyId)
  const key = { id: keyId, controller: did, publicKeyMultibase, ...KEYS[loading] }
  const controller = { '@context': 'https://www.w3.org/ns/did/v1', id: did, assertionMethod: [keyId] }
  return { contextUrl: null, documentUrl: url, document: fragment === undefined ? controller : key }
}

/** The libraries want the key in the form of their suite. */
const KEYS = {
  StatusList2021Entry: { '@context': ED25519_2020, type: 'Ed25519VerificationKey2020' },
  BitstringStatusListEntry: { '@context': 'https://w3id.org/security/multikey/v1', type: 'Multikey' },
}
let loading: keyof typeof KEYS = 'StatusList2021Entry'

describe.each(ALL)('a revocable credential with a %s', (form) => {
  it('gets a place in a list of its form, and is verified, revoked and taken back', async () => {
    const { credential, id, entry } = await issued(form, {}, { revocable: true })
    const url = uriOf(entry)
    expect(url).toMatch(new RegExp(`/status-lists/[0-9a-f]{64}${FORMS[form].path}$`))
    const registry = url.split('/').at(FORMS[form].path === '' ? -1 : -2)
    const record = await world.service.call('GET', `/registries/${registry}`)
    expect(record.body).toMatchObject({ registry_type: form, purpose: 'revocation', ttlSeconds: 300 })
    expect(await statusOf(credential)).toMatchObject({ verified: true, passed: true })
    expect(await readBy(form, url, indexOf(entry))).toBe(0)
    await change(id, 'revoke')
    expect(await statusOf(credential)).toMatchObject({ verified: false, passed: false, reason: 'revoked' })
    expect(await readBy(form, url, indexOf(entry))).toBe(1)
    await change(id, 'unrevoke')
    expect(await statusOf(credential)).toMatchObject({ verified: true, passed: true })
    expect(await readBy(form, url, indexOf(entry))).toBe(0)
  })

  it('may be in any registry that has a list, beside those of other forms, and all forms of the list say the same', async () => {
    const id = (await made({ policy: [world.did], type: 'CredentialStatusList2017' })).body.data.id
    const { credential, id: credentialId, entry } = await issued(form, { status: id })
    const other = await issued(form, { status: id })
    await change(credentialId, 'revoke')
    expect(await statusOf(credential)).toMatchObject({ passed: false, reason: 'revoked' })
    expect(await statusOf(other.credential)).toMatchObject({ verified: true })
    for (const one of ALL) {
      const url = `/status-lists/${id}${FORMS[one].path}`
      expect([await readBy(one, url, indexOf(entry)), await readBy(one, url, indexOf(other.entry))]).toEqual([1, 0])
    }
  })

  it('is suspended and not revoked, where the registry is for that', async () => {
    const { data } = (await made({ policy: [world.did], purpose: 'suspension', ttlSeconds: 60 })).body
    expect(data).toMatchObject({ purpose: 'suspension', ttlSeconds: 60 })
    const { credential, id, entry } = await issued(form, { status: data.id })
    if (form !== 'TokenStatusList') expect(entry.statusPurpose).toBe('suspension')
    expect(await statusOf(credential)).toMatchObject({ verified: true })
    await change(id, 'revoke')
    expect(await statusOf(credential)).toMatchObject({ verified: false, passed: false, reason: 'suspended' })
    expect(await readBy(form, uriOf(entry), indexOf(entry))).toBe(form === 'TokenStatusList' ? 2 : 1)
    await change(id, 'unrevoke')
    expect(await statusOf(credential)).toMatchObject({ verified: true })
  })

  it('names a list whose bytes a reader keeps until they change, and those of the past for ever', async () => {
    const id = (await made({ policy: [world.did] })).body.data.id
    const url = `/status-lists/${id}${FORMS[form].path}`
    const first = await get(url)
    const tag = String(first.header('etag'))
    expect(tag).toMatch(/^"[\w-]{43}"$/)
    expect(first.header('cache-control')).toBe('public, no-cache')
    expect(await get(url, { 'if-none-match': tag })).toMatchObject({ status: 304 })
    const block = first.header('accredit-block')
    const change = await world.service.call('POST', `/registries/${id}`, { credentialIds: ['urn:x:1'] })
    await world.service.finished(change.body.id)
    expect(await get(url, { 'if-none-match': tag })).toMatchObject({ status: 200 })
    const [past, again] = [await get(`${url}?at=${block}`), await get(`${url}?at=${block}`)]
    expect(past.header('cache-control')).toBe('public, max-age=31536000, immutable')
    expect([again.body, again.header('etag')]).toEqual([past.body, past.header('etag')])
    expect(await get(`${url}?at=${block}`, { 'if-none-match': String(past.header('etag')) })).toMatchObject({
      status: 304,
    })
  })
})

it('a list of each form ends where it is one of the past, and says how long it may be kept', async () => {
  const id = (await made({ policy: [world.did], ttlSeconds: 77 })).body.data.id
  const block = (await get(`/status-lists/${id}`)).header('accredit-block')
  const { body } = await world.service.call('POST', `/registries/${id}`, { credentialIds: ['urn:x:1'] })
  await world.service.finished(body.id)
  const { body: document } = await get(`/status-lists/${id}/bitstring`)
  expect(document).toMatchObject({
    '@context': [CREDENTIALS_V2],
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: world.did,
    credentialSubject: { type: 'BitstringStatusList', statusPurpose: 'revocation', ttl: 77_000 },
    proof: { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' },
  })
  expect(document).not.toHaveProperty('validUntil')
  expect((await world.service.call('POST', '/verify', document)).body).toMatchObject({ verified: true })
  const past = (await get(`/status-lists/${id}/bitstring?at=${block}`)).body
  expect(past.validUntil.slice(0, 19)).toBe(document.validFrom.slice(0, 19))
  // It claims the first second at which it could be signed.
  const late = Date.parse(past.proof.created) - Date.parse(past.validFrom)
  expect([late >= 0, late <= 1000]).toEqual([true, true])
  expect((await world.service.call('POST', '/verify', past)).body).toMatchObject({ verified: false })
  const token = await get(`/status-lists/${id}/token`)
  expect(token.header('content-type')).toBe('application/statuslist+jwt')
  const [header] = token.body.split('.')
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'EdDSA',
    typ: 'statuslist+jwt',
    kid: expect.stringContaining(`${world.did}#keys-`),
  })
  const payload = payloadOf(token.body)
  expect(payload).toMatchObject({ sub: expect.stringMatching(/\/token$/), ttl: 77, status_list: { bits: 1 } })
  expect(payload).not.toHaveProperty('exp')
  expect(payloadOf((await get(`/status-lists/${id}/token?at=${block}`)).body).exp).toEqual(expect.any(Number))
})

describe('the libraries of others', () => {
  const suites = {
    BitstringStatusListEntry: new dataIntegrity.DataIntegrityProof({ cryptosuite }),
    StatusList2021Entry: new Ed25519Signature2020(),
  }
  it.each(['BitstringStatusListEntry', 'StatusList2021Entry'] as const)(
    'check the status of a credential with a %s, and the signature of its list',
    async (form) => {
      loading = form
      const { credential, id } = await issued(form, {}, { revocable: true })
      const suite = suites[form]
      const check = async () => {
        if (form === 'StatusList2021Entry')
          return list2021.checkStatus({ credential, suite, documentLoader: loader, verifyStatusListCredential: true })
        const answer = await bitstring.checkStatus({ credential, suite, documentLoader: loader })
        const statuses = answer.results?.map(({ status }) => Boolean(status))
        return { ...answer, verified: answer.verified && !statuses?.some(Boolean) }
      }
      const first = await check()
      expect(first.error).toBeUndefined()
      expect(first.verified).toBe(true)
      await change(id, 'revoke')
      expect((await check()).verified).toBe(false)
    },
  )

  it('find the place that an SD-JWT names', async () => {
    const { credential, entry } = await issued('TokenStatusList', {}, { revocable: true })
    expect(getStatusListFromJWT(String(credential).split('~')[0] ?? '')).toEqual(entry.status_list)
  })
})

describe('a list of messages', () => {
  const statusMessage = [
    { status: '0x0', message: 'not yet collected' },
    { status: '0x1', message: 'collected' },
  ]
  let registry: string
  beforeAll(async () => {
    const body = { policy: [world.did], type: 'BitstringStatusListEntry', purpose: 'message', statusMessage }
    registry = (await made(body)).body.data.id
  })

  it('tells what its issuer says of a credential, which stays good', async () => {
    const { credential, id, entry } = await issued('BitstringStatusListEntry', { status: registry })
    expect(entry).toMatchObject({ statusPurpose: 'message', statusMessage })
    const told = (message: string) => ({
      verified: true,
      passed: true,
      reason: 'message',
      explanation: `its issuer says: ${message}`,
    })
    expect(await statusOf(credential)).toEqual(told('not yet collected'))
    await change(id, 'revoke')
    expect(await statusOf(credential)).toEqual(told('collected'))
    const listed = await world.service.call('GET', `/credentials?filter=${encodeURIComponent(id)}`)
    expect(listed.body).toMatchObject([{ id, revoked: false }])
  })

  it('has no place for credentials whose forms know no messages, and no list in these forms', async () => {
    for (const form of ['StatusList2021Entry', 'TokenStatusList'] as const) {
      expect(await issue(form, { status: registry })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('cannot be for the purpose message') },
      })
      expect((await get(`/status-lists/${registry}${FORMS[form].path}`)).status).toBe(404)
    }
    expect((await get(`/status-lists/${registry}/bitstring`)).status).toBe(200)
  })

  it('is no default: null chooses what is usual', async () => {
    const answer = await made({ policy: [world.did], purpose: null, ttlSeconds: null, statusMessage: null })
    expect(answer).toMatchObject({ status: 200, body: { data: { purpose: 'revocation', ttlSeconds: 300 } } })
  })

  it.each<[string, JsonObject]>([
    ['messages without that purpose', { statusMessage }],
    ['that purpose without messages', { purpose: 'message' }],
    ['one message', { purpose: 'message', statusMessage: statusMessage.slice(1) }],
    ['messages in another order', { purpose: 'message', statusMessage: statusMessage.toReversed() }],
    ['a type that knows no messages', { purpose: 'message', statusMessage, type: 'StatusList2021Entry' }],
    ['a purpose that nobody knows', { purpose: 'mood' }],
    ['a ttl of nothing', { ttlSeconds: 0 }],
  ])('is not made with %s', async (_, more) => {
    const body = { policy: [world.did], type: 'BitstringStatusListEntry', ...more }
    expect(await made(body)).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  })
})

it('an entry that names its list in another form than its own is not looked at', async () => {
  const { entry, credential } = await issued('BitstringStatusListEntry', {}, { revocable: true })
  const url = uriOf(entry)
  expect(await statusOf(credential)).toMatchObject({ verified: true })
  for (const other of [url.replace('/bitstring', ''), url.replace('/bitstring', '/token')]) {
    const credentialStatus = { ...entry, id: `${other}#${entry.statusListIndex}`, statusListCredential: other }
    const forged = await world.service.issue(
      { issuer: world.did, subject, context: [CREDENTIALS_V2], credentialStatus },
      { algorithm: 'eddsa-rdfc-2022' },
    )
    expect(forged.status).toBe(200)
    expect(await statusOf(forged.body)).toMatchObject({ passed: false, reason: 'unavailable' })
  }
})

it('the past of a registry that was removed is told with its purpose', async () => {
  const id = (await made({ policy: [world.did], purpose: 'suspension' })).body.data.id
  const block = (await get(`/status-lists/${id}`)).header('accredit-block')
  const { body } = await world.service.call('DELETE', `/registries/${id}`)
  expect(await world.service.finished(body.id)).toBe('finalized')
  expect((await get(`/status-lists/${id}/bitstring?at=${block}`)).body).toMatchObject({
    credentialSubject: { statusPurpose: 'suspension' },
  })
})

it('an entry of another purpose than that of its registry is not looked at', async () => {
  const id = (await made({ policy: [world.did], purpose: 'suspension' })).body.data.id
  const { entry } = await issued('BitstringStatusListEntry', { status: id })
  const credentialStatus = { ...entry, statusPurpose: 'revocation' }
  const { body } = await world.service.issue(
    { issuer: world.did, subject, context: [CREDENTIALS_V2], credentialStatus },
    { algorithm: 'eddsa-rdfc-2022' },
  )
  expect(await statusOf(body)).toMatchObject({ passed: false, reason: 'unavailable' })
})
