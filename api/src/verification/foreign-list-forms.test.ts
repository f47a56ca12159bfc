import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync, gzipSync } from 'node:zlib'
import { DataIntegrityProof } from '@digitalbazaar/data-integrity'
import { cryptosuite } from '@digitalbazaar/eddsa-rdfc-2022-cryptosuite'
import * as vc from '@digitalbazaar/vc'
import * as bitstring from '@digitalbazaar/vc-bitstring-status-list'
import { createHeaderAndPayload, StatusList } from '@sd-jwt/jwt-status-list'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../formats/json.js'
import { documentLoader, NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { eddsaRdfc2022 } from '../formats/json-ld/suites/eddsa-rdfc-2022.js'
import { signedOf, testKey } from '../formats/json-ld/testing.js'
import { signedToken } from '../formats/jwt/testing.js'
import { encodeBitstring } from '../status/bitstring-list/encoded-bitstring.js'
import { statusMessages } from '../status/bitstring-list/read-bitstring-entry.js'
import { encodeStatuses } from '../status/token-list/packed-statuses.js'
import { checkOf, TestVerifier, type ToldCheck, timeOf } from './testing.js'

type Body = string | Json

let verifier: TestVerifier
let host: Server
let url: string
let lists = 0
let answer: () => Promise<Body>
/** The address that the host sends every reader to; undefined: none. */
let elsewhere: string | undefined
let accepted: (string | undefined)[] = []
const keeper = testKey()

beforeAll(async () => {
  verifier = await TestVerifier.open()
  host = createServer((request, response) => {
    accepted.push(request.headers.accept)
    if (elsewhere !== undefined) return response.writeHead(302, { location: elsewhere }).end()
    void answer().then((body) => response.end(typeof body === 'string' ? body : JSON.stringify(body)))
    return undefined
  })
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  host.close()
  await verifier.close()
})
beforeEach(() => {
  // Each test has a list of its own: what one kept is not another's.
  lists += 1
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/lists/${lists}`
  verifier.later.seconds = 0
  elsewhere = undefined
  accepted = []
})

/** The status check of a document, and the sentence of a refusal. */
async function looked(data: Json): Promise<Partial<ToldCheck> & { error?: string; explanation?: string }> {
  const { status, body } = await verifier.verify({ data })
  expect(status).toBe(200)
  const { check: _, ...found } = checkOf({ status, body, ignored: undefined }, 'status')
  return { ...found, verified: body.verified, error: body.error } as typeof found
}

const GOOD = { verified: true, passed: true }
const unavailable = (error: RegExp) => ({
  verified: false,
  passed: false,
  reason: 'unavailable',
  error: expect.stringMatching(error),
})

/** Bits with a 1 at these places. */
function bitsWith(places: readonly number[], bytes = 16_384): Uint8Array {
  const bits = new Uint8Array(bytes)
  for (const place of places) bits[place >> 3] = (bits[place >> 3] ?? 0) | (0x80 >> (place & 7))
  return bits
}

describe('a Bitstring list that stands elsewhere', () => {
  async function list(more: JsonObject = {}, subject: JsonObject = {}, key = keeper) {
    const credentialSubject = {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: await encodeBitstring(bitsWith([5])),
      ...subject,
    }
    const type = ['VerifiableCredential', 'BitstringStatusListCredential']
    return signedOf(key, eddsaRdfc2022, { more: { id: url, type, credentialSubject, ...more } })
  }
  const entry = (index: Json, more: JsonObject = {}): JsonObject => ({
    id: `${url}#${index}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: index,
    statusListCredential: url,
    ...more,
  })
  const status = async (index: Json, more: JsonObject = {}, key = keeper) =>
    looked(await signedOf(key, eddsaRdfc2022, { more: { credentialStatus: entry(index, more) } }))
  beforeEach(() => {
    answer = () => list()
  })

  it('is asked for by its media type, checked and looked into', async () => {
    expect(await status('4')).toMatchObject(GOOD)
    expect(await status('5')).toMatchObject({ verified: false, passed: false, reason: 'revoked' })
    expect(accepted).toEqual(['application/vc, application/json, application/ld+json'])
  })

  it('may serve several purposes', async () => {
    answer = () => list({}, { statusPurpose: ['revocation', 'suspension'] })
    expect(await status('5')).toMatchObject({ reason: 'revoked' })
    expect(await status('5', { statusPurpose: 'suspension' })).toMatchObject({ passed: false, reason: 'suspended' })
    expect(await status('4', { statusPurpose: 'suspension' })).toMatchObject(GOOD)
    expect(await status('4', { statusPurpose: 'message' })).toMatchObject({ reason: 'unavailable' })
  })

  it('tells messages of several bits, which take nothing from a credential', async () => {
    answer = async () =>
      list({}, { statusPurpose: 'message', encodedList: await encodeBitstring(bitsWith([8, 11, 12], 32_768)) })
    const texts = ['pending', 'accepted', 'rejected', 'lost']
    const more = { statusPurpose: 'message', statusSize: 2, statusMessage: statusMessages(texts) }
    for (const [index, value] of [
      ['3', 0],
      ['4', 2],
      ['5', 1],
      ['6', 2],
    ] as const)
      expect(await status(index, more)).toMatchObject({
        ...GOOD,
        reason: 'message',
        explanation: `its issuer says: ${texts[value]}`,
      })
    answer = async () => list({}, { encodedList: await encodeBitstring(bitsWith([9], 32_768)) })
    url += '/more'
    expect(await status('4', { ...more, statusPurpose: 'revocation' })).toMatchObject({ reason: 'revoked' })
  })

  it('says that a newer credential can be had', async () => {
    answer = () => list({}, { statusPurpose: 'refresh' })
    expect(await status('5', { statusPurpose: 'refresh' })).toMatchObject({ ...GOOD, reason: 'refresh' })
  })

  it.each<[string, Json, JsonObject, string]>([
    ['one past its end', '131072', {}, 'index_out_of_range'],
    ['the largest that can be written', '9999999999', {}, 'index_out_of_range'],
    ['more digits than that', '9'.repeat(40), {}, 'malformed'],
    ['a negative one', '-1', {}, 'malformed'],
    ['a word', 'five', {}, 'malformed'],
    ['a number', 4, {}, 'malformed'],
    ['half of one', '4.5', {}, 'malformed'],
    ['none', '', {}, 'malformed'],
    [
      'one of entries that are larger than the list has room for',
      '70000',
      { statusSize: 2, statusMessage: statusMessages(['a', 'b', 'c', 'd']) },
      'unavailable',
    ],
  ])('has no place %s: never verified', async (_, index, more, reason) => {
    expect(await status(index, more)).toMatchObject({ verified: false, passed: false, reason })
  })

  it.each<[string, () => Promise<Body>, RegExp]>([
    ['no list', () => signedOf(keeper, eddsaRdfc2022), /it is no status list/],
    ['of the older kind', () => list({ type: ['VerifiableCredential', 'StatusList2021Credential'] }), /no status list/],
    ['of another subject', () => list({}, { type: 'StatusList2021' }), /of another kind or purpose/],
    ['of another purpose', () => list({}, { statusPurpose: 'suspension' }), /of another kind or purpose/],
    ['another’s', () => list({}, {}, testKey()), /not of the issuer of the credential/],
    [
      'said to be the issuer’s and signed by another',
      () => list({ issuer: keeper.did }, {}, testKey()),
      /does not belong/,
    ],
    ['changed', async () => ({ ...(await list()), validUntil: '2099-01-01T00:00:00Z' }), /The proof check failed/],
    ['the list of another address', () => list({ id: `${url}0` }), /it has another id/],
    ['over', () => list({ validUntil: timeOf(60).toISOString() }), /it expired/],
    ['not yet begun', () => list({ validFrom: timeOf(160).toISOString() }), /validity check failed/],
    [
      'without the sign of its encoding',
      async () => list({}, { encodedList: (await encodeBitstring(bitsWith([]))).slice(1) }),
      /cannot be unpacked/,
    ],
    [
      'in another encoding',
      async () => list({}, { encodedList: `z${(await encodeBitstring(bitsWith([]))).slice(1)}` }),
      /cannot be unpacked/,
    ],
    [
      'a bomb',
      () => list({}, { encodedList: `u${gzipSync(Buffer.alloc(200_000_000)).toString('base64url')}` }),
      /cannot be unpacked/,
    ],
    [
      'too short',
      async () => list({}, { encodedList: await encodeBitstring(bitsWith([], 16_383)) }),
      /has 131064 entries/,
    ],
    ['huge', async () => 'x'.repeat(600_000), /cannot be had/],
    ['one whose own status is in itself', () => list({ credentialStatus: entry('1') }), /a status of its own/],
  ])('that is %s says why it is unavailable', async (_, body, told) => {
    // It is made before somebody waits for it.
    const made = await body()
    answer = async () => made
    expect(await status('4')).toMatchObject(unavailable(told))
  })

  it('that leads round in a circle is unavailable, and so is one of a host in plain text', async () => {
    elsewhere = url
    expect(await status('4')).toMatchObject(unavailable(/cannot be had/))
    expect(accepted.length).toBeLessThan(10)
    expect(await status('4', { statusListCredential: 'http://93.184.216.34/list', id: 'urn:x:1' })).toMatchObject(
      unavailable(/cannot be had/),
    )
  })

  it('made by another library is taken, and what it says is believed', async () => {
    const made = await bitstring.createList({ length: 131_072 })
    made.setStatus(77, true)
    const credential = await bitstring.createCredential({ id: url, list: made, statusPurpose: 'revocation' })
    const load = documentLoader(NO_EXTRA_CONTEXTS)
    const signer = {
      id: keeper.keyId,
      algorithm: 'Ed25519',
      sign: ({ data }: { data: Uint8Array }) => keeper.sign(data),
    }
    const signed: unknown = await vc.issue({
      credential: { ...credential, issuer: keeper.did },
      suite: new DataIntegrityProof({ cryptosuite, signer, date: timeOf(50).toISOString() }),
      documentLoader: load,
    })
    if (!isObject(signed)) throw new Error('no document')
    answer = async () => signed
    expect(await status('76')).toMatchObject(GOOD)
    expect(await status('77')).toMatchObject({ passed: false, reason: 'revoked' })
  })
})

describe('a Token Status List that stands elsewhere', () => {
  const seconds = (block: number): number => Math.floor(timeOf(block).getTime() / 1000)
  /** 2 bits each: the statuses of the first places are 0, 1, 2 and 3. */
  const BYTES = Uint8Array.from([0b1110_0100, ...new Uint8Array(999)])
  async function list(claims: JsonObject = {}, header: JsonObject = {}, key = keeper) {
    const status_list = { bits: 2, lst: await encodeStatuses(BYTES) }
    const payload = { iss: keeper.did, sub: url, iat: seconds(50), ttl: 5, status_list, ...claims }
    return signedToken({ alg: 'EdDSA', typ: 'statuslist+jwt', kid: keeper.keyId, ...header }, payload, key)
  }
  const withList = async (more: JsonObject) =>
    list({ status_list: { bits: 2, lst: await encodeStatuses(BYTES), ...more } })
  async function statusBy(value: Json, key = keeper) {
    const header = { alg: 'EdDSA', typ: 'dc+sd-jwt', kid: key.keyId }
    const claims = { iss: key.did, iat: seconds(50), vct: 'Degree', degree: 'M.Sc.', status: value }
    return looked(`${await signedToken(header, claims, key)}~`)
  }
  const status = (idx: Json, more: JsonObject = {}) => statusBy({ status_list: { idx, uri: url, ...more } })
  beforeEach(() => {
    answer = () => list()
  })

  it('is asked for by its media type, checked and looked into', async () => {
    expect(await status(0)).toMatchObject(GOOD)
    expect(await status(1)).toMatchObject({ verified: false, passed: false, reason: 'revoked' })
    expect(await status(2)).toMatchObject({ verified: false, passed: false, reason: 'suspended' })
    expect(await status(3)).toMatchObject({ verified: false, passed: false, reason: 'unknown_status' })
    expect(await status(3999)).toMatchObject(GOOD)
    expect(accepted).toEqual(['application/statuslist+jwt'])
  })

  it.each([1, 2, 4, 8] as const)('of %i bits, made by another library, is taken', async (bits) => {
    const made = new StatusList(
      Array.from({ length: 16 }, (_, index) => Number(index === 9)),
      bits,
    )
    const { header, payload } = createHeaderAndPayload(
      made,
      { iss: keeper.did, sub: url, iat: seconds(50) },
      { alg: 'EdDSA', typ: 'statuslist+jwt', kid: keeper.keyId },
    )
    answer = () => signedToken(JSON.stringify(header), JSON.stringify(payload), keeper)
    expect(await status(8)).toMatchObject(GOOD)
    expect(await status(9)).toMatchObject({ passed: false, reason: 'revoked' })
  })

  it('may say when it was made by its key alone', async () => {
    answer = async () => {
      const status_list = { bits: 2, lst: await encodeStatuses(BYTES) }
      const header = { alg: 'EdDSA', typ: 'application/statuslist+jwt', kid: keeper.keyId }
      return signedToken(header, { sub: url, iat: seconds(50), status_list }, keeper)
    }
    expect(await status(0)).toMatchObject(GOOD)
  })

  it('is fetched again after its ttl', async () => {
    await status(0)
    verifier.later.seconds = 4.9
    await status(0)
    expect(accepted).toHaveLength(1)
    verifier.later.seconds = 5
    await status(0)
    expect(accepted).toHaveLength(2)
  })

  it.each<[string, Json, string]>([
    ['past its end', 4000, 'index_out_of_range'],
    ['far past its end', 2 ** 32 - 1, 'index_out_of_range'],
    ['beyond what is counted', 2 ** 32, 'malformed'],
    ['below zero', -1, 'malformed'],
    ['in words', '0', 'malformed'],
    ['between two', 0.5, 'malformed'],
    ['that is none', null, 'malformed'],
  ])('has no place %s: never verified', async (_, idx, reason) => {
    expect(await status(idx)).toMatchObject({ verified: false, passed: false, reason })
  })

  it.each<[string, () => Promise<Body>, RegExp]>([
    ['no token', async () => 'hello', /its header cannot be read/],
    ['a document', async () => ({ a: 1 }), /its header cannot be read/],
    ['of another type', () => list({}, { typ: 'jwt' }), /its type is not statuslist\+jwt/],
    ['a credential', () => list({}, { typ: 'dc+sd-jwt' }), /its type is not statuslist\+jwt/],
    ['that of another address', () => list({ sub: `${url}0` }), /another address/],
    ['without a time', async () => list({ iat: null }), /iat is not a number/],
    ['over', () => list({ exp: seconds(60) }), /it expired/],
    [
      'another’s',
      () => {
        const other = testKey()
        return list({ iss: other.did }, { kid: other.keyId }, other)
      },
      /not of the issuer/,
    ],
    ['signed by another', () => list({}, {}, testKey()), /signed other bytes/],
    [
      'said to be the issuer’s and signed by the key of another',
      () => {
        const other = testKey()
        return list({}, { kid: other.keyId }, other)
      },
      /does not belong/,
    ],
    ['signed by nobody', () => list({}, { alg: 'none' }), /cannot be checked/],
    ['one that asks for more', () => list({}, { crit: ['exp'] }), /crit/],
    ['of three bits', () => withList({ bits: 3 }), /cannot be unpacked/],
    ['of bits in words', () => withList({ bits: '2' }), /cannot be unpacked/],
    ['empty', () => list({ status_list: {} }), /cannot be unpacked/],
    ['no list', () => list({ status_list: 'x' }), /cannot be unpacked/],
    ['not packed', () => withList({ lst: randomBytes(50).toString('base64url') }), /cannot be unpacked/],
    [
      'a bomb',
      () => withList({ lst: deflateSync(Buffer.alloc(200_000_000)).toString('base64url') }),
      /cannot be unpacked/,
    ],
    ['huge', async () => 'x'.repeat(600_000), /cannot be had/],
  ])('that is %s says why it is unavailable', async (_, body, told) => {
    answer = body
    expect(await status(0)).toMatchObject(unavailable(told))
  })

  it('is not looked at beside a kind of status that nobody knows, nor under an address that is none', async () => {
    expect(await statusBy({ status_list: { idx: 0, uri: url }, other: {} })).toMatchObject(unavailable(/kind other/))
    expect(await statusBy({ other: {} })).toMatchObject({ verified: false, passed: false })
    for (const uri of [7, ''])
      expect(await statusBy({ status_list: { idx: 0, uri } })).toMatchObject({ verified: false, passed: false })
  })
})
