import crypto from '@docknetwork/crypto-wasm-ts'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { afterAll, expect, test } from 'vitest'
import { systemRandomness } from '../randomness.js'
import { openBlsPairs } from './bls-pairs.js'
import { openCurves } from './curves.js'
import { openMessageSigning } from './message-signing.js'

const [G1, G2] = [bls12_381.G1.Point, bls12_381.G2.Point]

const bls = openBlsPairs()
const curves = openCurves(bls, systemRandomness)
const signing = openMessageSigning()
const share = 'of the tests'
await crypto.initializeWasm()
afterAll(() => Promise.all([bls.close(), signing.close()]))

const parameters = crypto.dockAccumulatorParams().bytes
const [first, p2] = [parameters.slice(0, 48), parameters.slice(48)]
const key = await curves.make('VbAccumulator')

const member = (index: number): Uint8Array => crypto.Encoder.defaultEncodeFunc()(String(index))
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

async function updated(accumulated: Uint8Array, change: { additions?: number[]; removals?: number[] }) {
  const work = { accumulated, additions: [], removals: [], ...change }
  const result = await signing.accumulate({ kind: 'VbAccumulator', secret: key.secret, share }, work)
  if (!('accumulated' in result)) throw new Error('no value')
  return result
}

async function witnessOf(accumulated: Uint8Array, index: number, { secret } = key): Promise<Uint8Array> {
  const result = await signing.accumulate({ kind: 'VbAccumulator', secret, share }, { accumulated, members: [index] })
  const [witness] = 'witnesses' in result ? result.witnesses : []
  return witness ?? new Uint8Array()
}

/** e(W, pk + y·P2) = e(V, P2), by another library than the one that made them. */
function isWitness(witness: Uint8Array, index: number, value: Uint8Array): boolean {
  const point = G2.fromHex(hex(p2))
  const left = G2.fromHex(hex(key.publicKey)).add(point.multiply(bytesToNumberLE(member(index))))
  return bls12_381.fields.Fp12.eql(
    bls12_381.pairing(G1.fromHex(hex(witness)), left),
    bls12_381.pairing(G1.fromHex(hex(value)), point),
  )
}

test('a public key is the secret times P2, as the library makes it, and valid', () => {
  const made = new crypto.AccumulatorSecretKey(key.secret).generatePublicKey(crypto.dockAccumulatorParams())
  expect(hex(key.publicKey)).toBe(hex(made.bytes))
  expect(made.isValid()).toBe(true)
})

test('a witness satisfies the equation of its paper, for its member and value alone', async () => {
  const witness = await witnessOf(first, 7)
  expect(isWitness(witness, 7, first)).toBe(true)
  expect(isWitness(witness, 8, first)).toBe(false)
  const { accumulated } = await updated(first, { removals: [9] })
  expect(isWitness(witness, 7, accumulated)).toBe(false)
  expect(isWitness(await witnessOf(accumulated, 7), 7, accumulated)).toBe(true)
  const other = await curves.make('VbAccumulator')
  expect(isWitness(await witnessOf(first, 7, other), 7, first)).toBe(false)
})

test('the value without a member is its witness in the value before: anybody can check a revocation', async () => {
  const { accumulated } = await updated(first, { removals: [41] })
  expect(isWitness(accumulated, 41, first)).toBe(true)
  expect(isWitness(accumulated, 42, first)).toBe(false)
})

test('an addition takes a removal back, and many changes at once are the same as one after the other', async () => {
  const without = await updated(first, { removals: [1, 2, 3] })
  expect(hex((await updated(without.accumulated, { additions: [3, 1, 2] })).accumulated)).toBe(hex(first))
  const singly = await updated((await updated(without.accumulated, { additions: [2] })).accumulated, { removals: [4] })
  const both = await updated(without.accumulated, { additions: [2], removals: [4] })
  expect(hex(both.accumulated)).toBe(hex(singly.accumulated))
})

test('a holder updates a witness with what an update tells, and a removed one cannot', async () => {
  const before = await updated(first, { removals: [5] })
  const { accumulated, witnessUpdateInfo } = await updated(before.accumulated, { removals: [6, 7], additions: [5] })
  const [added, removed] = [[member(5)], [member(6), member(7)]]
  const bring = async (index: number) =>
    new crypto.VBMembershipWitness(await witnessOf(before.accumulated, index)).updateUsingPublicInfoPostBatchUpdate(
      member(index),
      added,
      removed,
      new crypto.VBWitnessUpdateInfo(witnessUpdateInfo),
    )
  const witness = new crypto.VBMembershipWitness(await witnessOf(before.accumulated, 8))
  witness.updateUsingPublicInfoPostBatchUpdate(
    member(8),
    added,
    removed,
    new crypto.VBWitnessUpdateInfo(witnessUpdateInfo),
  )
  expect(hex(witness.value)).toBe(hex(await witnessOf(accumulated, 8)))
  await expect(bring(6)).rejects.toThrow()
})

test('update information has 8 bytes and 48 for each change: that of the most changes fits the ledger', async () => {
  const many = Array.from({ length: 1000 }, (_, index) => index)
  expect((await updated(first, { removals: [1] })).witnessUpdateInfo).toHaveLength(56)
  expect((await updated(first, { removals: many })).witnessUpdateInfo).toHaveLength(48_008)
})

test('the point at infinity and bytes that are no point are no value, and keys of other kinds work with none', async () => {
  const infinity = new Uint8Array(48)
  infinity[0] = 0xc0
  for (const accumulated of [infinity, new Uint8Array(48), new Uint8Array(48).fill(255), first.slice(1)])
    for (const work of [{ members: [1] }, { additions: [], removals: [1] }])
      await expect(
        signing.accumulate({ kind: 'VbAccumulator', secret: key.secret, share }, { accumulated, ...work }),
      ).rejects.toMatchObject({
        status: 422,
        type: 'malformed_value',
      })
  for (const kind of ['Ed25519', 'Bls12381G2', 'BBDT16'] as const)
    await expect(
      signing.accumulate({ kind, secret: key.secret, share }, { accumulated: first, members: [1] }),
    ).rejects.toMatchObject({
      type: 'key_cannot_sign',
    })
  for (const [kind, ask] of [
    ['sign messages', () => signing.sign({ kind: 'VbAccumulator', secret: key.secret, share }, [member(1)])],
    [
      'verify',
      () => signing.verify({ kind: 'VbAccumulator', secret: key.secret, share }, { proof: new Uint8Array(96) }),
    ],
  ] as const)
    await expect(ask(), kind).rejects.toMatchObject({ type: 'key_cannot_sign' })
})
