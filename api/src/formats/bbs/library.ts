/** The library as threads use it: it blocks its own for tens of milliseconds, so that nothing else loads it. */
import crypto from '@docknetwork/crypto-wasm-ts'
import type { Json, JsonObject } from '../json.js'

export const ready = crypto.initializeWasm()

interface Parameters<Self> {
  adapt(count: number): Self
}

/** Parameters for fewer messages are a part of those for more: one set of each size class is made and kept. */
const SIZE_CLASS = 64

/** The library makes its parameters anew for each credential, which takes longer than all the rest. */
function remember<Made extends Parameters<Made>>(owner: { generate(count: number, label: Uint8Array): Made }): void {
  const make = owner.generate.bind(owner)
  const known = new Map<string, Made>()
  owner.generate = (count, label) => {
    const size = Math.ceil(count / SIZE_CLASS) * SIZE_CLASS
    const key = `${size} ${Buffer.from(label).toString('hex')}`
    const found = known.get(key) ?? make(size, label)
    known.set(key, found)
    return found.adapt(count)
  }
}

remember(crypto.BBSSignatureParams)
remember(crypto.BBSPlusSignatureParamsG1)
remember(crypto.BBDT16MacParams)

/** The field elements that a credential in its signed form stands for, in the order in which they are signed. */
export function messagesOf(signed: JsonObject): Uint8Array[] {
  const { encoder } = crypto.CredentialSchema.fromJSON(objectOf(signed.credentialSchema))
  const [, messages] = encoder.encodeMessageObjectConstantTime(signed)
  return messages
}

function objectOf(value: Json | undefined): object {
  if (typeof value === 'object' && value !== null) return value
  throw new TypeError('credentialSchema is no object')
}

export type PublicScheme = 'bbs' | 'bbs+'

export function isSignature(
  scheme: PublicScheme,
  messages: Uint8Array[],
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (scheme === 'bbs+') {
    const key = new crypto.BBSPlusPublicKeyG2(publicKey)
    const label = crypto.BBS_PLUS_SIGNATURE_PARAMS_LABEL_BYTES
    const parameters = crypto.BBSPlusSignatureParamsG1.generate(messages.length, label)
    return key.isValid() && new crypto.BBSPlusSignatureG1(signature).verify(messages, key, parameters, false).verified
  }
  const key = new crypto.BBSPublicKey(publicKey)
  const parameters = crypto.BBSSignatureParams.generate(messages.length, crypto.BBS_SIGNATURE_PARAMS_LABEL_BYTES)
  return key.isValid() && new crypto.BBSSignature(signature).verify(messages, key, parameters, false).verified
}

/**
 * Checks everything of a presentation that needs no private key.
 * @param publicKeys of its credentials; null where only the private one says more
 * @param accumulatorKeys public keys of the accumulators of their statuses; null where one has none
 * @returns the proofs that private keys have to check, by the places of their credentials; undefined: it is not right
 */
export function keyedProofsOf(
  presentation: object,
  publicKeys: readonly (Uint8Array | null)[],
  accumulatorKeys: readonly (Uint8Array | null)[],
): (Uint8Array | null)[] | undefined {
  const read = crypto.Presentation.fromJSON(presentation)
  const keys = new Map<number, InstanceType<typeof crypto.BBSPublicKey | typeof crypto.BBSPlusPublicKeyG2>>()
  for (const [place, bytes] of publicKeys.entries()) {
    if (bytes === null) continue
    const isPlus = read.spec.credentials[place]?.sigType === crypto.SignatureType.BbsPlus
    const key = isPlus ? new crypto.BBSPlusPublicKeyG2(bytes) : new crypto.BBSPublicKey(bytes)
    if (!key.isValid()) return undefined
    keys.set(place, key)
  }
  const accumulators = new Map<number, InstanceType<typeof crypto.AccumulatorPublicKey>>()
  for (const [place, bytes] of accumulatorKeys.entries()) {
    if (bytes === null) continue
    const key = new crypto.AccumulatorPublicKey(bytes)
    if (!key.isValid()) return undefined
    accumulators.set(place, key)
  }
  if (!read.verify(keys, accumulators).verified) return undefined
  if (!publicKeys.includes(null)) return publicKeys.map(() => null)
  if (read.version !== PRESENT_VERSION)
    return publicKeys.map((key, place) => (key ? null : firstKeyedProof(read.proof.bytes, place)))
  const keyed = read.getKeyedProofs()
  return publicKeys.map((_, place) => keyed.get(place)?.credential?.proof.bytes ?? null)
}

/** The version whose proofs the library takes apart; those of earlier ones it checks only. */
const PRESENT_VERSION = crypto.PresentationBuilder.VERSION

/** The number of proofs in eight bytes, the kind of the first one, and its first two points: the proof for a private key. */
const FIRST = { kind: 8, start: 9, end: 105 } as const
const KIND_OF_BBDT16 = 0x1a

function firstKeyedProof(proof: Uint8Array, place: number): Uint8Array | null {
  return place === 0 && proof[FIRST.kind] === KIND_OF_BBDT16 ? proof.slice(FIRST.start, FIRST.end) : null
}
