import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json, JsonObject } from '../formats/json.js'
import { testKey } from '../formats/json-ld/testing.js'
import { json } from '../platform/database/tables.js'
import type { Answered } from '../platform/testing/scratch-database.js'
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

it('of two proofs by two keys each must hold, whichever stands first', async () => {
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

it('of two proofs of a presentation each must answer the challenge', async () => {
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
