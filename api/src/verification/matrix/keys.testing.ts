import { randomBytes } from 'node:crypto'
import crypto from '@docknetwork/crypto-wasm-ts'
import type { KeyKind } from '../../formats/credential-format.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { babyJubJubKey } from '../../formats/keys/baby-jubjub/testing.js'

/** A key of a test, which signs the messages of a credential as the signer's primitive for its kind does. */
export interface MadeKey {
  publicKey: Uint8Array
  sign(messages: readonly Uint8Array[]): Promise<Uint8Array[]>
}

function ed25519(): MadeKey {
  const { publicKey, sign } = testKey()
  return { publicKey, sign: (messages) => Promise.all(messages.map(sign)) }
}

/** One signature over all messages (BBS of 2023). */
async function bbs(): Promise<MadeKey> {
  await crypto.initializeWasm()
  const params = (count: number) => crypto.BBSSignatureParams.generate(count, crypto.BBS_SIGNATURE_PARAMS_LABEL_BYTES)
  const { secretKey, publicKey } = crypto.BBSKeypair.generate(params(1))
  return {
    publicKey: Uint8Array.from(publicKey.bytes),
    sign: async (messages) => [
      Uint8Array.from(crypto.BBSSignature.generate([...messages], secretKey, params(messages.length), false).bytes),
    ],
  }
}

function babyJubJub(): MadeKey {
  const { publicKey, sign } = babyJubJubKey(randomBytes(32))
  return { publicKey, sign: (messages) => Promise.all(messages.map(sign)) }
}

/** Kinds without a line here have keys in the signer only, since its private half checks their signatures too. */
const MAKERS = { Ed25519: ed25519, BabyJubJub: babyJubJub, Bls12381G2: bbs } satisfies Partial<
  Record<KeyKind, () => MadeKey | Promise<MadeKey>>
>

export type MadeKind = keyof typeof MAKERS

export const canBeMade = (kind: KeyKind): kind is MadeKind => Object.hasOwn(MAKERS, kind)

export const madeKey = async (kind: MadeKind): Promise<MadeKey> => MAKERS[kind]()
