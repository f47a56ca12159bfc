import { afterAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.js'
import { openBbsThreads } from './bbs-threads.js'
import { deterministic, SCHEMA_VERSION } from './signed-form.js'
import { PARSING, signedSchemaOf } from './signed-schema.js'

const threads = openBbsThreads()
afterAll(() => threads.close())

function signedForm(subject: JsonObject): JsonObject {
  const members = { credentialSubject: subject, proof: { type: 'x' } }
  const details = deterministic({ parsingOptions: { ...PARSING }, jsonSchema: signedSchemaOf(members, undefined) })
  const credentialSchema = { id: 'urn:x', type: 'JsonSchemaValidator2018', version: SCHEMA_VERSION, details }
  return { ...members, cryptoVersion: '0.6.0', credentialSchema }
}

describe('the field elements of a credential', () => {
  it('are those of its members in the order of their names, whatever the order in which they stand', async () => {
    const work = threads.of('a caller')
    const [one, other] = await Promise.all([
      work.messages(signedForm({ b: 1, a: { d: 'x', c: true } })),
      work.messages(signedForm({ a: { c: true, d: 'x' }, b: 1 })),
    ])
    expect(one).toHaveLength(9)
    expect(one.every((message) => message.length === 32)).toBe(true)
    expect(other).toEqual(one)
    const changed = await work.messages(signedForm({ b: 2, a: { d: 'x', c: true } }))
    expect(
      changed.filter((message, place) => Buffer.compare(message, one[place] ?? Buffer.alloc(0)) !== 0),
    ).toHaveLength(1)
  })

  it('cannot be had of what has no signed schema', async () => {
    const work = threads.of('a caller')
    await expect(work.messages({ credentialSubject: {} })).rejects.toMatchObject({ code: 'malformed' })
    expect(await work.isSignature('bbs', { credentialSubject: {} }, new Uint8Array(80), new Uint8Array(96))).toBe(false)
    expect(await work.keyedProofs({ spec: 'x' }, [], [])).toBeUndefined()
  })
})

it('too much of one caller is refused at once, and others have their turn', async () => {
  const form = signedForm({ a: 1 })
  const asked = Promise.allSettled(Array.from({ length: 300 }, () => threads.of('one caller').messages(form)))
  expect(await threads.of('another caller').messages(form)).toHaveLength(7)
  const refused = (await asked).filter((one) => one.status === 'rejected')
  expect(refused.length).toBeGreaterThan(100)
  for (const { reason } of refused) expect(reason).toMatchObject({ type: 'rate_limited' })
})
