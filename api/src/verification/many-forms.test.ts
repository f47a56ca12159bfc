import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../formats/json.js'
import { type Allowance, openCanonicalHashes } from '../formats/json-ld/canonical/canonical-hashes.js'
import { testKey } from '../formats/json-ld/testing.js'
import { credential, presentation, TestVerifier } from './testing.js'

const hashes = openCanonicalHashes()
const holder = testKey()
let verifier: TestVerifier
/** Documents that were brought into their canonical form. */
let forms: JsonObject[] = []
let allowances: (Allowance | undefined)[] = []

beforeAll(async () => {
  const of: typeof hashes.of = (caller, contexts, allowance) => {
    const hash = hashes.of(caller, contexts, allowance)
    return (document) => {
      forms.push(document)
      allowances.push(allowance)
      return hash(document)
    }
  }
  verifier = await TestVerifier.open([], { canonicalHashes: { ...hashes, of } })
})
afterAll(async () => {
  await verifier.close()
  await hashes.close()
})
beforeEach(() => {
  forms = []
  allowances = []
})

it('all documents of a request share what may be done at once, and the others are a thread’s', async () => {
  const credentials = await Promise.all(
    [1, 2, 3, 4, 5].map((n) =>
      credential(testKey(), { more: { id: `urn:uuid:00000000-0000-4000-8000-00000000000${n}` } }),
    ),
  )
  const { body } = await verifier.verify(await presentation(holder, credentials))
  expect(body.verified).toBe(true)
  expect(new Set(allowances).size).toBe(1)
  expect(allowances[0]?.left).toBeLessThanOrEqual(0)
})

it('a document that stands in a request several times is worked out once', async () => {
  const one = await credential(testKey())
  const { body } = await verifier.verify(await presentation(holder, [one, one, one]))
  expect(body.results.map(({ checks }: { checks: JsonObject[] }) => checks[1]?.passed)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(forms).toHaveLength(2)
})

it('each of several proofs has its result, though only one holds', async () => {
  const one = await credential(testKey())
  const wrong = { ...one.proof, nonce: 'another' }
  const { body } = await verifier.verify({ ...one, proof: [wrong, one.proof, wrong] })
  expect(body.results.map(({ verified }: { verified: boolean }) => verified)).toEqual([false, true, false])
  expect(forms).toHaveLength(2)
})
