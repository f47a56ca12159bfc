import { afterAll, expect, it } from 'vitest'
import { openBabyJubJubThreads } from './baby-jubjub-threads.js'
import { babyJubJubKey, littleEndian, numberOf } from './testing.js'

const FIELD = 21888242871839275222246405745257275088548364400416034343698204186575808495617n
const ORDER = 2736030358979909402780800718157159386076813972158567259200215660948447373041n

const threads = openBabyJubJubThreads(60_000)
afterAll(() => threads.close())
const { isSignature } = threads.of('a test')

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts))

// Those of the tests of iden3’s libraries.
const publicKey = bytes('c433f7a696b7aa3a5224efb3993baf0ccd9e92eecee0c29a3f6c8208a9e81d9e')
const message = bytes('00010203040506070809'.padEnd(64, '0'))
const signature = bytes(
  'dfedb4315d3f2eb4de2d3c510d7a987dcab67089c8ace06308827bf5bcbe02a29d043ece562a8f82bfc0adb640c0107a7d3a27c1c7c1a6179a0da73de5c1b203',
)
const [r, s] = [signature.slice(0, 32), signature.slice(32)]

it('the signature of other software is one, and of no other key, message or bytes', async () => {
  expect(await isSignature(publicKey, message, signature)).toBe(true)
  const other = babyJubJubKey(new Uint8Array(32).fill(7))
  expect(await isSignature(other.publicKey, message, signature)).toBe(false)
  expect(await isSignature(publicKey, littleEndian(1n), signature)).toBe(false)
  for (const place of [0, 31, 32, 62]) {
    const changed = Uint8Array.from(signature)
    changed[place] = (changed[place] ?? 0) ^ 1
    expect(await isSignature(publicKey, message, changed)).toBe(false)
  }
})

it('a second form of a number or a point is none, though it would mean the same', async () => {
  expect(await isSignature(publicKey, littleEndian(numberOf(message) + FIELD), signature)).toBe(false)
  expect(await isSignature(publicKey, message, join(r, littleEndian(numberOf(s) + ORDER)))).toBe(false)
  const signOfX = 1n << 255n
  const reduced = numberOf(publicKey) & (signOfX - 1n)
  for (const packed of [reduced + FIELD, reduced, FIELD, signOfX, signOfX + 1n])
    expect(await isSignature(littleEndian(BigInt.asUintN(256, packed)), message, signature)).toBe(false)
})

it('bytes that are no point, or not as many, are no key and no signature', async () => {
  for (const key of [new Uint8Array(), new Uint8Array(31), new Uint8Array(33), new Uint8Array(32).fill(255)])
    expect(await isSignature(key, message, signature)).toBe(false)
  for (const given of [new Uint8Array(), signature.slice(1), join(signature, new Uint8Array(1)), new Uint8Array(64)])
    expect(await isSignature(publicKey, message, given)).toBe(false)
})

it('a key of small order, for which everybody can sign anything, proves nothing', async () => {
  // With the identity as key and R = S·B, here the identity and zero, the equation holds for every message.
  const identity = littleEndian(1n)
  const forged = join(identity, new Uint8Array(32))
  for (const key of [0n, 1n, FIELD - 1n, 1n << 255n])
    expect(await isSignature(littleEndian(key), message, forged)).toBe(false)
  expect(await isSignature(publicKey, message, forged)).toBe(false)
})

it('checks run beside the thread that asks', async () => {
  const before = performance.eventLoopUtilization()
  const started = performance.now()
  await Promise.all(Array.from({ length: 8 }, () => isSignature(publicKey, message, signature)))
  const { active } = performance.eventLoopUtilization(before)
  expect(active).toBeLessThan((performance.now() - started) / 3)
})

it('a caller that asks for too much at once is refused, and the rest is done', async () => {
  const asked = await Promise.allSettled(
    Array.from({ length: 140 }, () => isSignature(new Uint8Array(32), message, signature)),
  )
  const refused = asked.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(0)
  for (const one of refused) expect(one).toMatchObject({ reason: { status: 429 } })
  expect(refused.length).toBeLessThan(20)
})
