/**
 * Signatures over field elements, by kind of key: BBS, BBS+ of 2022, and BBDT16, a MAC that nobody but the key's holder
 * can check, over many; BabyJubJub over one.
 * Every call takes its thread tens of milliseconds. https://eprint.iacr.org/2023/275, https://eprint.iacr.org/2016/663
 */
import crypto from '@docknetwork/crypto-wasm-ts'
import { signBabyJubJub } from './baby-jubjub.js'
import type { MessageKind } from './bls-public-keys.js'

/** The kinds of key that sign field elements. */
export type ElementKind = MessageKind | 'BabyJubJub'

/** Messages are field elements of 32 bytes. */
export type Messages = readonly Uint8Array[]

export type Keyed = { messages: Messages; mac: Uint8Array } | { proof: Uint8Array }

export interface MessageScheme {
  sign(secret: Uint8Array, messages: Messages): Uint8Array
  /** Absent where the public key checks signatures. */
  verify?(secret: Uint8Array, keyed: Keyed): boolean
}

interface Adaptable<Parameters> {
  adapt(count: number): Parameters
}

/** Parameters for fewer messages are a part of those for more, so that one set of each size class is made and kept. */
function memoised<Parameters extends Adaptable<Parameters>>(make: (count: number) => Parameters) {
  const known = new Map<number, Parameters>()
  return (count: number): Parameters => {
    const size = Math.ceil(count / sizeClass) * sizeClass
    const found = known.get(size) ?? make(size)
    known.set(size, found)
    return found.adapt(count)
  }
}

const sizeClass = 64

const bbsParameters = memoised((count) =>
  crypto.BBSSignatureParams.generate(count, crypto.BBS_SIGNATURE_PARAMS_LABEL_BYTES),
)
const bbsPlusParameters = memoised((count) =>
  crypto.BBSPlusSignatureParamsG1.generate(count, crypto.BBS_PLUS_SIGNATURE_PARAMS_LABEL_BYTES),
)
const macParameters = memoised((count) => crypto.BBDT16MacParams.generate(count, crypto.BBDT16_MAC_PARAMS_LABEL_BYTES))

export const messageSchemes: Record<ElementKind, MessageScheme> = {
  BabyJubJub: { sign: signBabyJubJub },
  Bls12381G2: {
    sign: (secret, messages) =>
      crypto.BBSSignature.generate(
        [...messages],
        new crypto.BBSSecretKey(secret),
        bbsParameters(messages.length),
        false,
      ).bytes,
  },
  Bls12381G2Plus2022: {
    sign: (secret, messages) =>
      crypto.BBSPlusSignatureG1.generate(
        [...messages],
        new crypto.BBSPlusSecretKey(secret),
        bbsPlusParameters(messages.length),
        false,
      ).bytes,
  },
  BBDT16: {
    sign: (secret, messages) =>
      crypto.BBDT16Mac.generate(
        [...messages],
        new crypto.BBDT16MacSecretKey(secret),
        macParameters(messages.length),
        false,
      ).bytes,
    verify: (secret, keyed) => verifyBbdt16(new crypto.BBDT16MacSecretKey(secret), keyed),
  },
}

function verifyBbdt16(secret: InstanceType<typeof crypto.BBDT16MacSecretKey>, keyed: Keyed): boolean {
  if ('proof' in keyed)
    return isKeyedProof(keyed.proof) && new crypto.BBDT16KeyedProof(keyed.proof).verify(secret).verified
  const { messages, mac } = keyed
  if (mac.length !== macLength || isIdentity(mac.subarray(0, pointLength))) return false
  return new crypto.BBDT16Mac(mac).verify([...messages], secret, macParameters(messages.length), false).verified
}

const pointLength = 48
const macLength = 112

/** Two points, one of which is the other times the secret: the library takes two points at infinity for such. */
const isKeyedProof = (proof: Uint8Array): boolean =>
  proof.length === 2 * pointLength &&
  !isIdentity(proof.subarray(0, pointLength)) &&
  !isIdentity(proof.subarray(pointLength))

/** The flag of the point at infinity in the compressed form. */
const isIdentity = ([first = 0]: Uint8Array): boolean => (first & 0x40) !== 0
