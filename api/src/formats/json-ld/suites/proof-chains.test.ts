import { describe, expect, it } from 'vitest'
import { asArray, type Json, type JsonObject, textOf } from '../../json.js'
import { hashHere } from '../canonical/canonize.js'
import { NO_EXTRA_CONTEXTS } from '../contexts/document-loader.js'
import { proofsOf } from '../linked-data-proof.js'
import { findingsOf, signedOf, testKey } from '../testing.js'
import { eddsaJcs2022 } from './eddsa-jcs-2022.js'
import { eddsaRdfc2022 } from './eddsa-rdfc-2022.js'
import type { IssuingSuite } from './signature-suite.js'
import { keyOfVector, W3C_VECTORS } from './w3c-vectors.testing.js'

const PASSED = { proof: { passed: true } }
const verify = (document: JsonObject) =>
  findingsOf(document, ...proofsOf(document).map((proof) => keyOfVector(textOf(proof.verificationMethod) ?? '')))

describe('the test vectors of the standard', () => {
  it.each(Object.entries(W3C_VECTORS))('verify: %s', async (_, document) => {
    expect(await verify(document)).toEqual(PASSED)
    expect((await verify({ ...document, name: 'Another' })).proof?.passed).toBe(false)
  })
})

const key = testKey()
const [A, B, C] = ['urn:uuid:a', 'urn:uuid:b', 'urn:uuid:c'] as const

/** Adds a proof over the document and those of its proofs that are named. */
async function withProof(
  document: JsonObject,
  suite: IssuingSuite,
  id: string,
  previous: Json | undefined,
  more: JsonObject = {},
) {
  const proofs = proofsOf(document)
  const named = proofs.filter((proof) => asArray(previous).includes(proof.id ?? null))
  const { proof: _, ...unsigned } = document
  const options = {
    id,
    verificationMethod: key.keyId,
    proofPurpose: 'assertionMethod' as const,
    ...(previous !== undefined && { previousProof: previous }),
    ...more,
  }
  const made = suite.proofFor(unsigned, options)
  const signed = previous === undefined ? unsigned : { ...unsigned, proof: named }
  const hash = await suite.hash({ document: signed, proof: made }, hashHere(NO_EXTRA_CONTEXTS))
  return { ...unsigned, proof: [...proofs, suite.withSignature(made, await key.sign(suite.toSign(hash)))] }
}

async function chain(...suites: [IssuingSuite, IssuingSuite, IssuingSuite]): Promise<JsonObject> {
  const { proof: _, ...unsigned } = await signedOf(key, suites[0])
  const one = await withProof(unsigned, suites[0], A, undefined)
  const two = await withProof(one, suites[1], B, A)
  return withProof(two, suites[2], C, [A, B])
}

const suites = [
  [eddsaRdfc2022, eddsaRdfc2022, eddsaRdfc2022],
  [eddsaJcs2022, eddsaJcs2022, eddsaJcs2022],
  [eddsaJcs2022, eddsaRdfc2022, eddsaJcs2022],
  [eddsaRdfc2022, eddsaJcs2022, eddsaRdfc2022],
] as const

const changed = (document: JsonObject, change: (proofs: JsonObject[]) => JsonObject[]): JsonObject => ({
  ...document,
  proof: change(proofsOf(document)),
})

describe.each(suites.map((three) => ({ three, names: three.map(({ cryptosuite }) => cryptosuite).join(', ') })))(
  'a chain of $names',
  ({ three }) => {
    it('verifies, also without its last proof', async () => {
      const document = await chain(...three)
      expect(await findingsOf(document, key)).toEqual(PASSED)
      expect(
        await findingsOf(
          changed(document, (proofs) => proofs.slice(0, 2)),
          key,
        ),
      ).toEqual(PASSED)
    })

    it.each<[string, (proofs: JsonObject[]) => JsonObject[]]>([
      ['without a proof that another one stands over', ([_first, ...others]) => others],
      ['with one that names no other', (all) => all.map(({ previousProof: _, ...proof }) => proof)],
      [
        'with one that names another',
        (all) => all.map((proof) => (proof.id === B ? { ...proof, previousProof: C } : proof)),
      ],
      [
        'with one that names itself',
        (all) => all.map((proof) => (proof.id === B ? { ...proof, previousProof: B } : proof)),
      ],
      [
        'with one that names nobody',
        (all) => all.map((proof) => (proof.id === B ? { ...proof, previousProof: [] } : proof)),
      ],
      [
        'with one that names another twice',
        (all) => all.map((one) => (one.id === B ? { ...one, previousProof: [A, A] } : one)),
      ],
      ['with an id twice', ([first = {}, ...others]) => [first, first, ...others]],
      ['with the id of another', (all) => all.map((proof) => (proof.id === A ? { ...proof, id: B } : proof))],
    ])('fails %s', async (_, change) => {
      expect((await findingsOf(changed(await chain(...three), change), key)).proof?.passed).toBe(false)
    })

    it('fails when the proof before is another good one', async () => {
      const document = await chain(...three)
      const { proof: _, ...unsigned } = document
      const other = await withProof(unsigned, three[0], A, undefined, { created: '2026-01-02T00:00:00Z' })
      expect(await findingsOf(other, key)).toEqual(PASSED)
      const replaced = changed(document, ([, ...rest]) => [...proofsOf(other), ...rest])
      expect((await findingsOf(replaced, key)).proof?.passed).toBe(false)
    })
  },
)
