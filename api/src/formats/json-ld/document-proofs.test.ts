import { expect, it } from 'vitest'
import { FormatError, type FormatErrorCode } from '../format-error.js'
import type { Json, JsonObject } from '../json.js'
import { documentProofs } from './document-proofs.js'
import { ed25519Of2020 } from './suites/ed25519-2020.js'
import { signedCredential, testKey, toolsHere } from './testing.js'

const key = testKey()

async function foundWith(code: FormatErrorCode) {
  const [proof] = documentProofs(await signedCredential(key, ed25519Of2020), 'assertionMethod')
  if (proof?.checking.by !== 'keys') throw new Error('a key checks it')
  const ask = () => Promise.reject(new Error('nobody needs the private half'))
  return proof.checking.check([{ publicKey: key.publicKey, ask }], {
    ...toolsHere,
    hashWith: async () => () => Promise.reject(new FormatError(code, 'a reason')),
  })
}

it('a fault while a proof is checked is no finding', async () => {
  const [proof] = documentProofs(await signedCredential(key, ed25519Of2020), 'assertionMethod')
  if (proof?.checking.by !== 'keys') throw new Error('a key checks it')
  const ask = () => Promise.reject(new Error('nobody needs the private half'))
  const hashWith = async () => () => Promise.reject(new TypeError('a fault'))
  const checked = proof.checking.check([{ publicKey: key.publicKey, ask }], { ...toolsHere, hashWith })
  await expect(checked).rejects.toThrow(TypeError)
})

/** A proof as a key would check it. */
const shown = (more: JsonObject = {}): JsonObject => ({
  type: 'Ed25519Signature2020',
  created: '2026-01-01T00:00:00Z',
  verificationMethod: key.keyId,
  proofPurpose: 'assertionMethod',
  ...more,
})
const checkingOf = (...proofs: JsonObject[]) => documentProofs({ proof: proofs }, 'assertionMethod').at(-1)?.checking

it.each<[string, JsonObject, string]>([
  ['another purpose', { proofPurpose: 'authentication' }, 'wrong_purpose'],
  ['no key', { verificationMethod: null }, 'malformed'],
  ['the suite of nobody', { type: 'X' }, 'unsupported_proof'],
  ['an earlier proof that is not there', { previousProof: 'urn:a' }, 'malformed'],
  ['the same, of another suite', { type: 'BJJSignature2021', previousProof: 'urn:a' }, 'malformed'],
])('a proof of %s is checked by nobody', (_, more, reason) => {
  expect(checkingOf(shown(more))).toMatchObject({ by: 'nobody', finding: { passed: false, reason } })
})

it.each<[Json, string[], 'keys' | 'nobody']>([
  ['urn:a', ['urn:a'], 'keys'],
  [['urn:b', 'urn:a'], ['urn:a', 'urn:b', 'urn:c'], 'keys'],
  [[], ['urn:a'], 'nobody'],
  ['urn:c', ['urn:a'], 'nobody'],
  [['urn:a', 'urn:c'], ['urn:a'], 'nobody'],
  [['urn:a', 'urn:a'], ['urn:a'], 'nobody'],
  [['urn:a', 'urn:a'], ['urn:a', 'urn:a'], 'nobody'],
  ['urn:a', ['urn:a', 'urn:a'], 'nobody'],
  [['urn:a', 'urn:b'], ['urn:a', 'urn:a'], 'nobody'],
])('a proof after %j, beside proofs %j, is checked by %s', (previousProof, ids, by) => {
  expect(checkingOf(...ids.map((id) => shown({ id })), shown(), shown({ previousProof }))?.by).toBe(by)
})

it('a proof tells its time, or that it has none where a proof of its kind needs it', () => {
  const integrity = { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' }
  const { created: _, ...timeless } = shown()
  const proof = [shown(), timeless, { ...timeless, ...integrity }, shown(integrity)]
  const times = documentProofs({ proof }, 'assertionMethod').map(({ created }) => created)
  expect(times).toEqual(['2026-01-01T00:00:00Z', null, undefined, '2026-01-01T00:00:00Z'])
})

it.each<[string, Json | undefined, unknown[]]>([
  ['a credential', undefined, ['urn:own', undefined]],
  ['one credential in it', { '@context': 'urn:1' }, ['urn:own', 'urn:1']],
  ['several', [{ '@context': 'urn:1' }, 'a token', { '@context': 'urn:2' }], ['urn:own', 'urn:1', undefined, 'urn:2']],
])('the contexts of a document and what is in it are looked up: %s', async (_, verifiableCredential, expected) => {
  const document: JsonObject = { '@context': 'urn:own', proof: shown({ proofValue: 'z1' }) }
  const whole = verifiableCredential === undefined ? document : { ...document, verifiableCredential }
  const [proof] = documentProofs(whole, 'assertionMethod')
  if (proof?.checking.by !== 'keys') throw new Error('a key checks it')
  const ask = () => Promise.reject(new Error('nobody needs the private half'))
  let asked: unknown
  const hashWith: typeof toolsHere.hashWith = async (contexts) => {
    asked = contexts
    return async () => new Uint8Array(32)
  }
  await proof.checking.check([{ publicKey: key.publicKey, ask }], { ...toolsHere, hashWith })
  expect(asked).toEqual(expected)
})

const failed = (reason: string) => ({ passed: false, reason, detail: 'a reason' })

it.each<FormatErrorCode>(['unavailable', 'unknown_context'])(
  'a proof over a document that is %s is unavailable',
  async (code) => {
    expect(await foundWith(code)).toEqual({ proof: failed('unavailable') })
  },
)

it.each<FormatErrorCode>(['malformed', 'invalid_context'])(
  'a proof over a document that is %s fails, and so does the structure',
  async (code) => {
    expect(await foundWith(code)).toEqual({ proof: failed(code), structure: failed('malformed') })
  },
)

it.each<FormatErrorCode>(['too_large', 'unmapped_term', 'relative_id'])(
  'a proof over a document that is %s fails for that reason',
  async (code) => {
    expect(await foundWith(code)).toEqual({ proof: failed(code) })
  },
)
