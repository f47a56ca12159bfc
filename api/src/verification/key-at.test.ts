import { didKey, encodeBase58, verificationMethodId } from '@accredit/chain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { testKey } from '../formats/json-ld/testing.js'
import { type At, resolveAt } from '../ledger/read/at.js'
import { json } from '../platform/database/tables.js'
import type { Answered } from '../platform/testing/answered.js'
import { keyAt } from './key-at.js'
import type { KeyQuestion } from './key-question.js'
import { credential, presentation, START, TestVerifier, timeOf } from './testing.js'

let verifier: TestVerifier
beforeAll(async () => {
  verifier = await TestVerifier.open()
})
afterAll(() => verifier.close())

const keyOf = ({ body }: Answered) => body.checks.find(({ check }: { check: string }) => check === 'issuerKey')
const ask = async (data: Json, more: JsonObject = {}) => verifier.verify({ data, ...more })
const moment = (block: number, ms: number): string => new Date(timeOf(block).getTime() + ms).toISOString()

it.each(['retired', 'deactivated'] as const)(
  'a %s key is good for a proof of one millisecond before its end, and for none of that moment or later',
  async (endReason) => {
    const { key } = await verifier.did({ to: 70, endReason })
    for (const [ms, passed, reason] of [
      [-1, true, `key_${endReason}`],
      [0, false, 'key_retired'],
      [1, false, 'key_retired'],
    ] as const) {
      const document = await credential(key, { created: moment(70, ms) })
      expect(keyOf(await ask(document))).toMatchObject({ passed, reason })
      expect(keyOf(await ask(document, { at: 70 }))).toMatchObject({ passed, reason })
    }
  },
)

it('the end of a key counts from its block: one earlier it was in use', async () => {
  const { key } = await verifier.did({ to: 70, endReason: 'retired' })
  const document = await credential(key)
  for (const [at, reason] of [
    [69, undefined],
    [70, 'key_retired'],
    [71, 'key_retired'],
  ] as const)
    expect([at, keyOf(await ask(document, { at }))]).toEqual([
      at,
      { check: 'issuerKey', passed: true, required: true, block: at, ...(reason && { reason }) },
    ])
})

it('two proofs by two keys must both hold, whichever stands first', async () => {
  const issuer = testKey()
  const { did, key } = await verifier.did({ to: 70, endReason: 'revoked' })
  const [good, second] = [await credential(issuer), await credential(issuer, { created: moment(40, 0) })]
  expect((await ask({ ...good, proof: [good.proof, second.proof] })).body).toMatchObject({ verified: true })
  const strange = await credential({ ...key, did: issuer.did })
  for (const proof of [
    [good.proof, strange.proof],
    [strange.proof, good.proof],
  ]) {
    const answer = await ask({ ...good, proof })
    expect(answer.body.verified).toBe(false)
    expect(answer.body.results.map(({ verified }: { verified: boolean }) => verified)).toContain(true)
    expect(keyOf(answer)).toMatchObject({ passed: false, reason: 'not_the_issuer' })
    expect(did).toBeDefined()
  }
})

it('two proofs of a presentation must both answer the challenge', async () => {
  const holder = testKey()
  const inside = [await credential(testKey())]
  const [with_, without] = [await presentation(holder, inside, { challenge: 'c' }), await presentation(holder, inside)]
  for (const proof of [
    [with_.proof, without.proof],
    [without.proof, with_.proof],
  ]) {
    const { body } = await ask({ ...with_, proof }, { challenge: 'c' })
    expect([body.verified, body.error]).toEqual([false, expect.stringContaining('challenge')])
  }
})

it('a chain of delegated credentials is refused, in whatever form it names the one before', async () => {
  const forms: [Json, string][] = [
    ['urn:x:1', 'delegation'],
    [['urn:x:1'], 'structure'],
    [{ id: 'urn:x:1' }, 'structure'],
  ]
  for (const [previousCredentialId, failing] of forms) {
    const good = await credential(testKey())
    const { body } = await ask({ ...good, previousCredentialId })
    expect(body.verified).toBe(false)
    expect(body.checks.find(({ check }: { check: string }) => check === failing)).toMatchObject({ passed: false })
  }
})

const pointAt = (block?: number) => resolveAt(verifier.ledger.index, block, { now: () => timeOf(100) })
const lookUp = async (id: string, more: Partial<KeyQuestion> = {}) =>
  keyAt(
    { ...verifier.environment, didDocuments: verifier.didDocuments() },
    {
      id,
      kind: 'Ed25519',
      purpose: 'assertionMethod',
      created: timeOf(50),
      at: await pointAt(),
      ...more,
    },
  )

it.each([
  ['did:svc:x', 'malformed', /<did>#<key>/],
  ['did:svc:x#keys-1#', 'malformed', /<did>#<key>/],
  ['#keys-1', 'did_method_not_supported', /the method {2}cannot/],
  ['did:ebsi:v#keys-1', 'did_method_not_supported', /the method did:ebsi cannot/],
  [`did:${'x'.repeat(64)}:y#keys-1`, 'did_method_not_supported', /the method did:x{36} cannot/],
  ['did:svc:x#keys-1', 'did_not_found', /malformed/],
  ['did:key:x#x', 'did_not_found', /malformed/],
] as const)('a method of the name %s is no key: %s', async (name, reason, detail) => {
  expect(await lookUp(name)).toEqual({ finding: { passed: false, reason, detail: expect.stringMatching(detail) } })
})

it('a key is found by its number alone', async () => {
  const { did, key } = await verifier.did()
  for (const name of ['keys-1', 'key-1'])
    expect(await lookUp(`${did}#${name}`)).toEqual({
      finding: { passed: true, block: 100 },
      publicKey: key.publicKey,
      method: {
        id: `${did}#${name}`,
        type: 'Ed25519VerificationKey2020',
        controller: did,
        publicKeyMultibase: key.multibase,
      },
    })
  for (const [name, detail] of [
    ['', `${did} has no key `],
    ...['keys-0', 'keys-01', 'keys-', 'xkeys-1', 'keys-1x', 'keys1', 'keyss-1', 'keys-1234567890'].map((name) => [
      name,
      `${did} has no key ${name}`,
    ]),
    ['keys-12', `the ledger knows no key 12 of ${did}`],
    ['keys-123456789', `the ledger knows no key 123456789 of ${did}`],
  ])
    expect(await lookUp(`${did}#${name}`)).toEqual({ finding: { passed: false, reason: 'key_not_found', detail } })
})

it('a did:key has its own key only, good for every purpose, of one kind', async () => {
  const { did, keyId, publicKey } = testKey()
  for (const purpose of ['authentication', 'assertionMethod'] as const)
    expect(await lookUp(keyId, { purpose, created: undefined })).toMatchObject({ finding: { passed: true }, publicKey })
  expect((await lookUp(`${did}#keys-1`)).finding).toMatchObject({ passed: false, reason: 'key_not_found' })
  const other = didKey({ kind: 'Secp256k1', publicKey: `0x02${'11'.repeat(32)}` })
  if (other === undefined) throw new Error('the ledger takes such keys')
  const { finding, publicKey: key } = await lookUp(verificationMethodId(other, 0))
  expect([finding, key]).toEqual([
    { passed: false, reason: 'key_type_not_supported', detail: expect.stringContaining('Secp256k1') },
    undefined,
  ])
})

it('a did:key of BLS12-381 has its own key only, of one kind', async () => {
  const publicKey = new Uint8Array(96).fill(7)
  const multibase = `z${encodeBase58(Uint8Array.from([0xeb, 0x01, ...publicKey]))}`
  const did = `did:key:${multibase}`
  const found = (fragment: string, kind: KeyQuestion['kind']) => lookUp(`${did}#${fragment}`, { kind })
  expect(await found(multibase, 'Bls12381G2')).toEqual({ finding: { passed: true }, publicKey })
  for (const [fragment, kind, reason] of [
    ['keys-1', 'Bls12381G2', 'key_not_found'],
    [multibase, 'Ed25519', 'key_type_not_supported'],
  ] as const)
    expect(await found(fragment, kind)).toEqual({ finding: { passed: false, reason, detail: expect.any(String) } })
})

it('a key is good for its purposes on the ledger, and a revocation is told before a wrong purpose', async () => {
  const [signs, speaks] = [await verifier.did({ relationships: 2 }), await verifier.did({ relationships: 1 })]
  const revoked = await verifier.did({ relationships: 1, to: 70, endReason: 'revoked' })
  const reasonOf = async ({ did }: { did: string }, purpose: KeyQuestion['purpose']) =>
    (await lookUp(`${did}#keys-1`, { purpose })).finding.reason
  expect([await reasonOf(signs, 'assertionMethod'), await reasonOf(signs, 'authentication')]).toEqual([
    undefined,
    'wrong_relationship',
  ])
  expect([await reasonOf(speaks, 'assertionMethod'), await reasonOf(speaks, 'authentication')]).toEqual([
    'wrong_relationship',
    undefined,
  ])
  expect(await reasonOf(revoked, 'assertionMethod')).toBe('key_revoked')
})

it('a retired key is good for older proofs, however it ended, and never for one without a readable time', async () => {
  const { did } = await verifier.did({ to: 70, endReason: null })
  expect((await lookUp(`${did}#keys-1`)).finding).toEqual({ passed: true, reason: 'key_retired', block: 100 })
  expect((await lookUp(`${did}#keys-1`, { created: undefined })).finding).toMatchObject({
    passed: false,
    reason: 'key_retired',
    block: 100,
  })
})

it('a key is expected to come only while our own store has it under way', async () => {
  const [pending, changing, settled] = [
    await verifier.did({ from: 60 }),
    await verifier.did(),
    await verifier.did({ from: 60 }),
  ]
  const team = { team_id: verifier.team.team, type: 'ledgerA' as const, controllers: [], services: json([]) }
  const rest = { ...team, job_id: null, created: START, updated: START }
  await verifier.scratch.db.transaction('system', (tx) =>
    tx
      .insertInto('dids')
      .values([
        { ...rest, did: pending.did, status: 'pending', open_jobs: [] },
        { ...rest, did: changing.did, status: 'active', open_jobs: ['00000000-0000-4000-8000-000000000001'] },
        { ...rest, did: settled.did, status: 'active', open_jobs: [] },
      ])
      .execute(),
  )
  // The index may come by a block between the question for its newest one and that for a key.
  const head = { ...(await pointAt(59)), requested: undefined }
  const findingOf = async ({ did }: { did: string }, number: number, at: At = head) =>
    (await lookUp(`${did}#keys-${number}`, { at })).finding
  expect(await findingOf(pending, 1)).toMatchObject({ reason: 'unavailable', isPending: true })
  const then = { ...(await pointAt(60)), requested: undefined }
  expect(await findingOf(pending, 1, then)).toEqual({ passed: true, block: 60 })
  expect(await findingOf(changing, 2)).toMatchObject({ reason: 'unavailable', isPending: true })
  expect(await findingOf(changing, 1)).toEqual({ passed: true, block: 59 })
  for (const [found, reason] of [
    [await findingOf(settled, 1), 'key_not_yet'],
    [await findingOf(settled, 2), 'key_not_found'],
    [await findingOf(pending, 1, await pointAt(59)), 'key_not_yet'],
  ] as const) {
    expect(found).toMatchObject({ passed: false, reason })
    expect(found.isPending).toBeUndefined()
  }
})

it('a key that our own store has and the index lacks is waited for, now and not in the past', async () => {
  const { did, key } = await verifier.did({ from: 101 })
  const document = await credential(key)
  const row = { did, team_id: verifier.team.team, type: 'ledgerA' as const, status: 'pending' as const }
  const rest = { controllers: [], services: json([]), job_id: null, open_jobs: [], created: START, updated: START }
  await verifier.scratch.db.transaction('system', (tx) =>
    tx
      .insertInto('dids')
      .values({ ...row, ...rest })
      .execute(),
  )
  expect(keyOf(await ask(document, { at: 100 }))).toMatchObject({ passed: false, reason: 'key_not_found' })
  let isAnswered = false
  const answer = ask(document).finally(() => {
    isAnswered = true
  })
  expect(keyOf(await ask(await credential(testKey())))).toMatchObject({ passed: true })
  expect(isAnswered).toBe(false)
  await verifier.ledger.block(101, timeOf(101))
  expect((await answer).body.verified).toBe(true)
})
