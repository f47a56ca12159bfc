import { createRequire } from 'node:module'
import crypto from '@docknetwork/crypto-wasm-ts'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { afterAll, describe, expect, test } from 'vitest'
import { systemRandomness } from '../randomness.js'
import { openBlsPairs } from './bls-pairs.js'
import { openCurves } from './curves.js'
import { openMessageSigning } from './message-signing.js'

const { G1, G2 } = { G1: bls12_381.G1.Point, G2: bls12_381.G2.Point }

const bls = openBlsPairs()
const curves = openCurves(bls, systemRandomness)
const signing = openMessageSigning()
const share = 'of the tests'
await crypto.initializeWasm()
afterAll(() => Promise.all([bls.close(), signing.close()]))

const messagesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, place) =>
    crypto.MessageEncoder.encodeMessageForSigningConstantTime(Buffer.from(`message ${place}`)),
  )
const scalar = (bytes: Uint8Array): bigint => bytesToNumberLE(bytes)
const pointOf = (bytes: Uint8Array) => G1.fromHex(Buffer.from(bytes).toString('hex'))
const secondPointOf = (bytes: Uint8Array) => G2.fromHex(Buffer.from(bytes).toString('hex'))

/** Returns what tells g1 + Σ h_i·m_i for some messages. */
function commitmentTo(start: Uint8Array, generators: readonly Uint8Array[]) {
  const points = generators.map(pointOf)
  return (messages: readonly Uint8Array[]) => pointOf(start).add(G1.msm(points, messages.map(scalar)))
}

describe.each([1, 65])('a signature over %i messages satisfies the equations of its paper', (count) => {
  const messages = messagesOf(count)

  test('BBS: e(A, pk + e·g2) = e(g1 + Σ h_i·m_i, g2)', async () => {
    const { secret, publicKey } = await curves.make('Bls12381G2')
    const signature = await signing.sign({ kind: 'Bls12381G2', secret, share }, messages)
    expect(signature).toHaveLength(80)
    const { g1, g2, h } = crypto.BBSSignatureParams.generate(count, crypto.BBS_SIGNATURE_PARAMS_LABEL_BYTES).value
    const [a, e] = [pointOf(signature.subarray(0, 48)), scalar(signature.subarray(48))]
    const key = secondPointOf(publicKey).add(secondPointOf(g2).multiply(e))
    const committed = commitmentTo(g1, h)
    const holds = (signed: readonly Uint8Array[]) =>
      bls12_381.fields.Fp12.eql(bls12_381.pairing(a, key), bls12_381.pairing(committed(signed), secondPointOf(g2)))
    expect(holds(messages)).toBe(true)
    expect(holds([...messages.slice(1), ...messagesOf(count + 1).slice(-1)])).toBe(false)
  })

  test('BBS+: e(A, pk + e·g2) = e(g1 + s·h_0 + Σ h_i·m_i, g2)', async () => {
    const { secret, publicKey } = await curves.make('Bls12381G2Plus2022')
    const signature = await signing.sign({ kind: 'Bls12381G2Plus2022', secret, share }, messages)
    expect(signature).toHaveLength(112)
    const label = crypto.BBS_PLUS_SIGNATURE_PARAMS_LABEL_BYTES
    const { g1, g2, h_0, h } = crypto.BBSPlusSignatureParamsG1.generate(count, label).value
    const [a, e] = [pointOf(signature.subarray(0, 48)), scalar(signature.subarray(48, 80))]
    const key = secondPointOf(publicKey).add(secondPointOf(g2).multiply(e))
    const blinded = pointOf(h_0).multiply(scalar(signature.subarray(80)))
    const right = bls12_381.pairing(commitmentTo(g1, h)(messages).add(blinded), secondPointOf(g2))
    expect(bls12_381.fields.Fp12.eql(bls12_381.pairing(a, key), right)).toBe(true)
  })

  test('BBDT16: (e + sk)·A = h + s·g + Σ g_i·m_i, and pk = sk·g_0', async () => {
    const { secret, publicKey } = await curves.make('BBDT16')
    const mac = await signing.sign({ kind: 'BBDT16', secret, share }, messages)
    expect(mac).toHaveLength(112)
    const { g_0, g, h, g_vec } = crypto.BBDT16MacParams.generate(count, crypto.BBDT16_MAC_PARAMS_LABEL_BYTES).value
    expect(pointOf(publicKey).equals(pointOf(g_0).multiply(scalar(secret)))).toBe(true)
    const { ORDER } = bls12_381.fields.Fr
    const [a, e, s] = [pointOf(mac.subarray(0, 48)), scalar(mac.subarray(48, 80)), scalar(mac.subarray(80))]
    const right = commitmentTo(h, g_vec)(messages).add(pointOf(g).multiply(s))
    expect(a.multiply((e + scalar(secret)) % ORDER).equals(right)).toBe(true)
  })
})

describe('a MAC is checked by its key alone', () => {
  const messages = messagesOf(5)
  const pair = async () => (await curves.make('BBDT16')).secret

  test('and by no other, over no other messages, with no other bytes', async () => {
    const [secret, other] = [await pair(), await pair()]
    const mac = await signing.sign({ kind: 'BBDT16', secret, share }, messages)
    const verify = (keyed: { messages?: Uint8Array[]; mac?: Uint8Array }, by = secret) =>
      signing.verify({ kind: 'BBDT16', secret: by, share }, { messages, mac, ...keyed })
    expect(await verify({})).toBe(true)
    expect(await verify({}, other)).toBe(false)
    expect(await verify({ messages: messages.toReversed() })).toBe(false)
    expect(await verify({ messages: messages.slice(1) })).toBe(false)
    for (const bytes of [mac.subarray(1), Buffer.concat([mac, Buffer.alloc(1)]), Buffer.alloc(112)])
      expect(await verify({ mac: bytes })).toBe(false)
    for (const place of [0, 47, 48, 80, 111]) expect(await verify({ mac: flipped(mac, place) })).toBe(false)
  })

  test('a proof of points at infinity proves nothing, though the library takes it', async () => {
    const secret = await pair()
    const infinity = Buffer.alloc(48)
    infinity.writeUInt8(0xc0)
    const proof = new Uint8Array(Buffer.concat([infinity, infinity]))
    const key = new crypto.BBDT16MacSecretKey(secret)
    expect(new crypto.BBDT16KeyedProof(proof).verify(key).verified).toBe(true)
    expect(await signing.verify({ kind: 'BBDT16', secret, share }, { proof })).toBe(false)
    const generator = G1.BASE.toBytes()
    for (const points of [
      [infinity, generator],
      [generator, infinity],
    ])
      expect(
        await signing.verify({ kind: 'BBDT16', secret, share }, { proof: new Uint8Array(Buffer.concat(points)) }),
      ).toBe(false)
  })

  test('a proof is that of its key: a point and its product', async () => {
    const [secret, other] = [await pair(), await pair()]
    const proof = new Uint8Array(Buffer.concat([G1.BASE.toBytes(), G1.BASE.multiply(scalar(secret)).toBytes()]))
    expect(await signing.verify({ kind: 'BBDT16', secret, share }, { proof })).toBe(true)
    expect(await signing.verify({ kind: 'BBDT16', secret: other, share }, { proof })).toBe(false)
    expect(await signing.verify({ kind: 'BBDT16', secret, share }, { proof: proof.subarray(0, 48) })).toBe(false)
    expect(await signing.verify({ kind: 'BBDT16', secret, share }, { proof: new Uint8Array(96).fill(255) })).toBe(false)
  })
})

describe('a key of Baby Jubjub signs one field element', () => {
  const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
  const little = (value: bigint): Uint8Array => Uint8Array.from(numberToBytesLE(value, 32))
  const secret = bytes('0001020304050607080900010203040506070809000102030405060708090001')
  const order = 21888242871839275222246405745257275088548364400416034343698204186575808495617n
  const sign = (...messages: Uint8Array[]) => signing.sign({ kind: 'BabyJubJub', secret, share }, messages)

  test('as the libraries of iden3 do in their tests', async () => {
    const message = bytes('00010203040506070809'.padEnd(64, '0'))
    expect(Buffer.from(await sign(message)).toString('hex')).toBe(
      'dfedb4315d3f2eb4de2d3c510d7a987dcab67089c8ace06308827bf5bcbe02a29d043ece562a8f82bfc0adb640c0107a7d3a27c1c7c1a6179a0da73de5c1b203',
    )
  })

  test('so that S·B = R + 8·h·A, with the Poseidon hash of both points and the message', async () => {
    const { publicKey } = await curves.pairOf('BabyJubJub', secret)
    const { unpackPublicKey, unpackSignature, verifySignature }: typeof import('@zk-kit/eddsa-poseidon') =
      createRequire(import.meta.url)('@zk-kit/eddsa-poseidon')
    const key = unpackPublicKey(bytesToNumberLE(publicKey))
    for (const message of [0n, 1n, order - 1n]) {
      const signature = unpackSignature(Buffer.from(await sign(little(message))))
      expect(verifySignature(message, signature, key)).toBe(true)
      expect(verifySignature(message + 1n, signature, key)).toBe(false)
    }
  })

  test.each([
    ['the order of the field', [little(order)]],
    ['a message of 33 bytes', [new Uint8Array(33)]],
    ['two messages', [little(1n), little(2n)]],
  ])('and nothing else: not %s', async (_, messages) => {
    await expect(sign(...messages)).rejects.toMatchObject({ status: 422, type: 'malformed_messages' })
  })

  test('away from the main thread, which goes on meanwhile', async () => {
    await sign(little(1n))
    const before = performance.eventLoopUtilization()
    const started = performance.now()
    await Promise.all(Array.from({ length: 8 }, () => sign(little(1n))))
    const { active } = performance.eventLoopUtilization(before)
    expect(active).toBeLessThan((performance.now() - started) / 3)
  })
})

test('keys of other kinds sign no messages, and those with a public half verify none', async () => {
  const { secret } = await curves.make('Ed25519')
  await expect(signing.sign({ kind: 'Ed25519', secret, share }, messagesOf(1))).rejects.toMatchObject({
    type: 'key_cannot_sign',
  })
  const keyed = { proof: new Uint8Array(96) }
  for (const kind of ['Ed25519', 'Bls12381G2', 'BabyJubJub'] as const)
    await expect(signing.verify({ kind, secret, share }, keyed)).rejects.toMatchObject({ type: 'key_cannot_sign' })
})

test('messages that are no field elements are refused', async () => {
  const { secret } = await curves.make('Bls12381G2')
  for (const message of [new Uint8Array(32).fill(255), new Uint8Array(31)])
    await expect(signing.sign({ kind: 'Bls12381G2', secret, share }, [message])).rejects.toMatchObject({ status: 422 })
})

test('work that is too much to wait is refused at once, and the rest is done', async () => {
  const small = openMessageSigning({ maxQueue: 2 })
  try {
    const { secret } = await curves.make('Bls12381G2')
    const asked = await Promise.allSettled(
      Array.from({ length: 30 }, () => small.sign({ kind: 'Bls12381G2', secret, share }, messagesOf(2))),
    )
    const refused = asked.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(20)
    for (const one of refused) expect(one).toMatchObject({ reason: { status: 503, type: 'too_busy' } })
    expect(asked.length - refused.length).toBeGreaterThan(1)
  } finally {
    await small.close()
  }
})

test('shares take turns: one with a hundred signatures that wait delays another by the work of a moment', async () => {
  const busy = openMessageSigning({ maxQueue: 128 })
  try {
    const { secret } = await curves.make('Bls12381G2')
    const sign = (name: string) => busy.sign({ kind: 'Bls12381G2', secret, share: name }, messagesOf(2))
    const ended: string[] = []
    const flood = Array.from({ length: 100 }, () => sign('many').finally(() => ended.push('many')))
    const settled = Promise.allSettled(flood)
    for (let n = 0; n < 5; n++) await sign('few').finally(() => ended.push('few'))
    const before = ended.slice(0, ended.lastIndexOf('few'))
    // Each of the five waits for what the threads have begun, and for one turn of the other share.
    expect(before.filter((name) => name === 'many').length).toBeLessThan(50)
    await settled
  } finally {
    await busy.close()
  }
})

test('a full line refuses the share that has the longest one, and takes in another', async () => {
  const full = openMessageSigning({ maxQueue: 8 })
  try {
    const { secret } = await curves.make('Bls12381G2')
    const sign = (name: string) => full.sign({ kind: 'Bls12381G2', secret, share: name }, messagesOf(2))
    const flood = Promise.allSettled(Array.from({ length: 40 }, () => sign('many')))
    await expect(sign('few')).resolves.toHaveLength(80)
    const refused = (await flood).filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(24)
  } finally {
    await full.close()
  }
})

function flipped(bytes: Uint8Array, place: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  copy[place] = (copy[place] ?? 0) ^ 1
  return copy
}
