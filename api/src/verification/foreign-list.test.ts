import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { STATUS_LIST_2021 } from '../formats/json-ld/contexts/known-contexts.js'
import { testKey } from '../formats/json-ld/testing.js'
import { encodeStatusList } from '../status/status-list/encoded-list.js'
import { checkOf, credential, TestVerifier, timeOf } from './testing.js'

let verifier: TestVerifier
let elsewhere: Server
let url: string
let [lists, fetches] = [0, 0]
let answer: () => Promise<Json | string>
const keeper = testKey()

beforeAll(async () => {
  verifier = await TestVerifier.open()
  elsewhere = createServer((_, response) => {
    fetches += 1
    void answer().then((body) => response.end(typeof body === 'string' ? body : JSON.stringify(body)))
  })
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  elsewhere.close()
  await verifier.close()
})

/** A signed list with bit 5 set. */
async function list(more: JsonObject = {}, subject: JsonObject = {}) {
  const bits = new Uint8Array(16_384)
  bits[0] = 0b0000_0100
  const credentialSubject = {
    id: `${url}#list`,
    type: 'StatusList2021',
    statusPurpose: 'revocation',
    encodedList: await encodeStatusList(bits),
    ...subject,
  }
  const type = ['VerifiableCredential', 'StatusList2021Credential']
  return credential(keeper, { more: { id: url, type, credentialSubject, ...more }, contexts: [STATUS_LIST_2021] })
}

const status = async (index: number, more: JsonObject = {}, issuer = keeper) => {
  const document = await credential(issuer, { more: { credentialStatus: verifier.statusEntry(url, index) } })
  const { body } = await verifier.verify({ data: document, ...more })
  return body.checks.find(({ check }: { check: string }) => check === 'status')
}

beforeEach(() => {
  // Each test has a list of its own: what one kept is not another's.
  lists += 1
  url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/lists/${lists}`
  fetches = 0
  verifier.later.seconds = 0
  answer = () => list()
})

it('a list that stands elsewhere is fetched, checked and looked into', async () => {
  expect(await status(4)).toMatchObject({ passed: true })
  expect(await status(5)).toMatchObject({ passed: false, reason: 'revoked' })
  expect(await status(131_072)).toMatchObject({ passed: false, reason: 'index_out_of_range' })
})

it('a list of suspensions that stands elsewhere suspends', async () => {
  answer = () => list({}, { statusPurpose: 'suspension' })
  const entry = (index: number) => ({ ...verifier.statusEntry(url, index), statusPurpose: 'suspension' })
  const statusBy = async (credentialStatus: JsonObject) =>
    checkOf(await verifier.verify(await credential(keeper, { more: { credentialStatus } })), 'status')
  expect(await statusBy(entry(4))).toMatchObject({ passed: true })
  expect(await statusBy(entry(5))).toMatchObject({ passed: false, reason: 'suspended' })
})

it('nobody there says what it was: about the past it is unavailable', async () => {
  // Block 99 ends a millisecond before now.
  for (const at of [60, timeOf(60).toISOString(), 99])
    expect(await status(4, { at })).toMatchObject({ passed: false, reason: 'unavailable' })
  verifier.later.seconds = 60
  // No block was made since then: the ledger is the same, the list need not be.
  expect(await status(4, { at: timeOf(150).toISOString() })).toMatchObject({ passed: false, reason: 'unavailable' })
  for (const at of [100, timeOf(160).toISOString()]) expect(await status(4, { at })).toMatchObject({ passed: true })
})

it('a list counts only when the issuer of the credential made it, or a controller of its DID, now', async () => {
  const stranger = testKey()
  expect(await status(4, {}, stranger)).toMatchObject({ passed: false, reason: 'unavailable' })
  expect(await status(5, {}, stranger)).toMatchObject({ passed: false, reason: 'unavailable' })
  const life = { controlled: [20, null], left: [20, 90], never: [101, null] } as const
  const found: Record<string, unknown> = {}
  for (const [name, [from_block, to_block]] of Object.entries(life)) {
    const { did, key } = await verifier.did()
    await verifier.ledger.row('did_controller', { did, controller: keeper.did, from_block, to_block })
    found[name] = [(await status(4, {}, key)).passed, (await status(5, {}, key)).reason]
  }
  expect(found).toEqual({
    controlled: [true, 'revoked'],
    left: [false, 'unavailable'],
    never: [false, 'unavailable'],
  })
})

it('a list of another than the issuer stays refused while it is kept for its own', async () => {
  expect([await status(4), await status(4, {}, testKey())]).toMatchObject([{ passed: true }, { reason: 'unavailable' }])
  expect(await status(4)).toMatchObject({ passed: true })
})

it('a list that is kept for longer than asked for is fetched again', async () => {
  await status(4)
  verifier.later.seconds = 5
  expect([await status(4, { maxStatusAgeSeconds: 5 }), fetches]).toMatchObject([{ passed: true }, 1])
  expect([await status(4, { maxStatusAgeSeconds: 4 }), fetches]).toMatchObject([{ passed: true }, 2])
  verifier.later.seconds = 5.001
  expect([await status(4, { maxStatusAgeSeconds: 0 }), fetches]).toMatchObject([{ passed: true }, 3])
  answer = async () => 'gone'
  verifier.later.seconds = 7
  expect(await status(4, { maxStatusAgeSeconds: 1 })).toMatchObject({ passed: false, reason: 'unavailable' })
  expect(await status(4)).toMatchObject({ passed: true })
})

it('a list is fetched once in ten seconds, also by many at once, and what is revoked there is seen no later', async () => {
  const many = await Promise.all([4, 4, 4].map((index) => status(index)))
  expect(many.map(({ passed }) => passed)).toEqual([true, true, true])
  expect([await status(5), fetches]).toMatchObject([{ reason: 'revoked' }, 1])
  const bits = new Uint8Array(16_384).fill(255)
  const encodedList = await encodeStatusList(bits)
  answer = () => list({}, { encodedList })
  verifier.later.seconds = 9.999
  expect([await status(4), fetches]).toMatchObject([{ passed: true }, 1])
  verifier.later.seconds = 10
  expect([await status(4), fetches]).toMatchObject([{ reason: 'revoked' }, 2])
})

it.each<[string, () => ReturnType<typeof list>]>([
  ['its ttl', () => list({}, { ttl: 2000 })],
  ['its expirationDate', () => list({ expirationDate: timeOf(102).toISOString() })],
])('a list is fetched again after %s', async (_, body) => {
  answer = body
  await status(4)
  verifier.later.seconds = 1.999
  expect([await status(4), fetches]).toMatchObject([{ passed: true }, 1])
  verifier.later.seconds = 2
  await status(4)
  expect(fetches).toBe(2)
})

it('a list that was not had, or not trusted, is asked for again; a kept one answers for its own purpose only', async () => {
  for (const body of ['hello', JSON.stringify(await list({ issuer: testKey().did }))]) {
    answer = async () => body
    expect(await status(4)).toMatchObject({ reason: 'unavailable' })
  }
  answer = () => list()
  expect([await status(4), await status(4), fetches]).toMatchObject([{ passed: true }, { passed: true }, 3])
  const entry = { ...verifier.statusEntry(url, 4), statusPurpose: 'suspension' }
  const { body } = await verifier.verify(await credential(keeper, { more: { credentialStatus: entry } }))
  expect(body.checks.find(({ check }: { check: string }) => check === 'status')).toMatchObject({
    reason: 'unavailable',
  })
})

it('is of the present as long as clocks may differ, to the millisecond', async () => {
  verifier.later.seconds = 60
  const at = (ms: number): string => new Date(timeOf(158).getTime() + ms).toISOString()
  expect(await status(4, { at: at(0) })).toMatchObject({ passed: true })
  expect(await status(4, { at: at(-1) })).toMatchObject({ passed: false, reason: 'unavailable' })
})

it.each<[string, Json, number]>([
  ['nothing', 0, 2],
  ['less than nothing', -1, 2],
  ['something that is no number', '2000', 2],
  ['a millisecond', 1, 1],
])('a list with %s is fetched no more often than that allows', async (_, ttl, times) => {
  answer = () => list({}, { ttl })
  expect([await status(4), await status(4), fetches]).toMatchObject([{ passed: true }, { passed: true }, times])
})

it.each<[string, () => Promise<Json | string>, RegExp]>([
  ['no JSON', async () => 'hello', /cannot be had: it is not JSON/],
  ['no object', async () => [], /cannot be had: it is no object/],
  ['a name twice', async () => `{"a":1,"a":2}`, /cannot be had: .*a/],
  ['a NUL', async () => ({ a: 'x\0' }), /cannot be had: a text holds a NUL/],
  ['no status list', () => credential(keeper), /cannot be trusted: it is no status list/],
  ['several subjects', () => list({ credentialSubject: [{ a: 1 }, { b: 2 }] }), /it is no status list/],
  ['a subject of another type', () => list({}, { type: 'X' }), /it is of another kind or purpose/],
  ['another purpose', () => list({}, { statusPurpose: 'suspension' }), /it is of another kind or purpose/],
  ['another id', () => list({ id: `${url}2` }), /it has another id/],
  ['an id in other letters', () => list({ id: url.replace('http', 'HTTP') }), /it has another id/],
  ['an id with a fragment', () => list({ id: `${url}#x` }), /it has another id/],
  ['an id that is no text', async () => ({ ...(await list()), id: [url] }), /it has another id/],
  ['no proof', async () => ({ ...(await list()), proof: [] }), /it is not signed/],
  ['no issuer', async () => ({ ...(await list()), issuer: null }), /it names no issuer/],
  ['another issuer', () => list({ issuer: testKey().did }), /it is not of the issuer of the credential/],
  ['another content', async () => ({ ...(await list()), name: 'x' }), /cannot be trusted: The proof check failed/],
  ['an end', () => list({ expirationDate: timeOf(60).toISOString() }), /The validity check failed: it expired/],
  ['bits that are none', () => list({}, { encodedList: 'H4sI' }), /cannot be unpacked/],
  ['no bits', () => list({}, { encodedList: ['H4sI'] }), /cannot be unpacked/],
  ['more than half a megabyte', async () => 'x'.repeat(600_000), /cannot be had: /],
])('a list of %s says why it is unavailable', async (_, body, told) => {
  answer = body
  const document = await credential(keeper, { more: { credentialStatus: verifier.statusEntry(url, 4) } })
  const { body: said } = await verifier.verify(document)
  expect(said.error).toMatch(told)
  expect(said.error).toContain(`the status list ${url} `)
  expect(said.checks).toContainEqual(expect.objectContaining({ check: 'status', reason: 'unavailable' }))
})

it('a long address is told in part', async () => {
  url = `${url}/${'x'.repeat(200)}`
  answer = async () => 'hello'
  const document = await credential(keeper, { more: { credentialStatus: verifier.statusEntry(url, 4) } })
  expect((await verifier.verify(document)).body.error).toContain(`the status list ${url.slice(0, 200)} cannot be had`)
})

it('an entry may name its list with a fragment, which is no part of the address', async () => {
  const entry = { ...verifier.statusEntry(url, 4), statusListCredential: `${url}#list` }
  const { body } = await verifier.verify(await credential(keeper, { more: { credentialStatus: entry } }))
  expect(body.checks.find(({ check }: { check: string }) => check === 'status')).toMatchObject({ passed: true })
})
