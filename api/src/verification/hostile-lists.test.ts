import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { openCanonicalHashes } from '../formats/json-ld/canonical/canonical-hashes.js'
import { hashHere } from '../formats/json-ld/canonical/canonize.js'
import { NO_EXTRA_CONTEXTS } from '../formats/json-ld/contexts/document-loader.js'
import { STATUS_LIST_2021 } from '../formats/json-ld/contexts/known-contexts.js'
import { addProof } from '../formats/json-ld/linked-data-proof.js'
import { ed25519Of2020 } from '../formats/json-ld/suites/ed25519-2020.js'
import { testKey } from '../formats/json-ld/testing.js'
import { AHEAD_MS } from '../ledger/read/instant.js'
import { encodeStatusList } from '../status/status-list/encoded-list.js'
import { checkOf, credential, TestVerifier, type ToldCheck, timeOf } from './testing.js'

const hashes = openCanonicalHashes()
const keeper = testKey()
/** Documents that were brought into their canonical form. */
let canonised = 0
let verifier: TestVerifier
let host: Server
let url: string
let list: Json

beforeAll(async () => {
  const of: typeof hashes.of = (caller, contexts, allowance) => {
    const hash = hashes.of(caller, contexts, allowance)
    return (document) => {
      canonised += 1
      return hash(document)
    }
  }
  verifier = await TestVerifier.open([], { canonicalHashes: { ...hashes, of } })
  host = createServer((_, response) => response.end(JSON.stringify(list)))
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  host.close()
  await verifier.close()
  await hashes.close()
})

let lists = 0
/** A list that nobody has asked for yet. */
function newList(): void {
  lists += 1
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/lists/${lists}`
}
beforeEach(() => {
  newList()
  verifier.later.seconds = 0
})

/** A signed list in which nothing is revoked. */
async function signedList(more: JsonObject = {}, bits: Uint8Array = new Uint8Array(16_384), by = keeper) {
  const encodedList = await encodeStatusList(bits)
  const credentialSubject = { id: `${url}#list`, type: 'StatusList2021', statusPurpose: 'revocation', encodedList }
  const type = ['VerifiableCredential', 'StatusList2021Credential']
  return credential(by, { more: { id: url, type, credentialSubject, ...more }, contexts: [STATUS_LIST_2021] })
}

/** The check of a credential that names the list, at an instant, and how many canonical forms the list took. */
async function looked(at?: Date, issuer = keeper): Promise<ToldCheck & { forms: number; error: string }> {
  const document = await credential(issuer, { more: { credentialStatus: verifier.statusEntry(url, 4) } })
  canonised = 0
  const answer = await verifier.verify({ data: document, ...(at && { at: at.toISOString() }) })
  // The credential takes one itself.
  return { ...checkOf(answer, 'status'), forms: canonised - 1, error: answer.body.error }
}

const unavailable = { passed: false, reason: 'unavailable' }
/** A proof that takes a canonical form of its own. */
const unusual = (proof: JsonObject, n: number): JsonObject => ({ ...proof, nonce: `${n}` })

it('a list of nine proofs is unavailable, and nothing of it is worked out', async () => {
  const good = await signedList()
  list = { ...good, proof: Array.from({ length: 9 }, (_, n) => unusual(good.proof, n)) }
  expect(await looked()).toMatchObject({ ...unavailable, forms: 0, error: expect.stringMatching(/more than 8 proofs/) })
  list = { ...good, proof: [good.proof, 'x'] }
  expect(await looked()).toMatchObject({ ...unavailable, forms: 0, error: expect.stringMatching(/not signed/) })
})

it('the proofs of a list after one that does not hold are not looked at, and a refused list is not asked again', async () => {
  const good = await signedList()
  list = { ...good, proof: Array.from({ length: 8 }, (_, n) => unusual(good.proof, n)) }
  expect(await looked()).toMatchObject({ ...unavailable, forms: 2 })
  expect(await looked()).toMatchObject({ ...unavailable, forms: 0 })
  verifier.later.seconds = 9.999
  expect(await looked()).toMatchObject({ ...unavailable, forms: 0 })
  verifier.later.seconds = 10
  expect(await looked()).toMatchObject({ ...unavailable, forms: 2 })
  list = good
  expect(await looked()).toMatchObject({ passed: true, forms: 1 })
})

it('a list that may be good a moment later is looked at again', async () => {
  list = await signedList({ issuanceDate: new Date(timeOf(101).getTime() + AHEAD_MS).toISOString() })
  expect(await looked()).toMatchObject(unavailable)
  verifier.later.seconds = 1
  expect(await looked()).toMatchObject({ passed: true })
})

it('a list by a key that is out of use may be good a moment later as well', async () => {
  const { key } = await verifier.did({ to: 70, endReason: 'retired' })
  const from = new Date(timeOf(101).getTime() + AHEAD_MS).toISOString()
  list = await signedList({ issuanceDate: from }, undefined, key)
  expect(await looked(undefined, key)).toMatchObject({ ...unavailable, error: expect.stringMatching(/valid from/) })
  verifier.later.seconds = 1
  expect(await looked(undefined, key)).toMatchObject({ passed: true })
})

it('the refusal of a list as of an instant answers for later ones, and for no earlier one', async () => {
  list = await signedList({ expirationDate: timeOf(101).toISOString() })
  verifier.later.seconds = 1.5
  expect(await looked()).toMatchObject({ ...unavailable, error: expect.stringMatching(/expired/) })
  expect(await looked(timeOf(100.9))).toMatchObject({ passed: true, forms: 1 })
  newList()
  list = await signedList({ expirationDate: timeOf(101).toISOString() })
  expect(await looked(timeOf(101.2))).toMatchObject({ ...unavailable, forms: 1 })
  expect(await looked(timeOf(101.2))).toMatchObject({ ...unavailable, forms: 0 })
  expect(await looked(timeOf(101.4))).toMatchObject({ ...unavailable, forms: 0 })
  expect(await looked(timeOf(101.1))).toMatchObject({ ...unavailable, forms: 1 })
})

it.each<[string, number, boolean]>([
  ['as many things without id as a credential', 140, true],
  ['more of them', 15_000, false],
])('a list may hold %s', async (_, count, isTaken) => {
  const evidence = Array.from({ length: count }, () => ({ type: 'DocumentVerification' }))
  list = isTaken ? await signedList({ evidence }) : { ...(await signedList()), evidence }
  expect(await looked()).toMatchObject(isTaken ? { passed: true } : { ...unavailable, forms: 0 })
})

it('a list of a million bits that cannot be packed is taken, and no more than 64 kB beside its bits', async () => {
  const bits = randomBytes(131_072)
  bits[0] = 0
  list = await signedList({}, bits)
  expect(await looked()).toMatchObject({ passed: true })
  newList()
  list = await signedList({ name: 'x'.repeat(64 * 1024) })
  expect(await looked()).toMatchObject({
    ...unavailable,
    forms: 0,
    error: expect.stringMatching(/bytes; at most 65536/),
  })
})

it('a list is taken whose date is called as in the report on StatusList2021', async () => {
  const { proof: _, issuanceDate, ...document } = await signedList()
  list = await addProof({
    document: { ...document, issued: issuanceDate ?? null },
    suite: ed25519Of2020,
    options: { created: timeOf(50).toISOString(), verificationMethod: keeper.keyId, proofPurpose: 'assertionMethod' },
    hash: hashHere(NO_EXTRA_CONTEXTS),
    sign: keeper.sign,
  })
  expect(await looked()).toMatchObject({ passed: true })
})
