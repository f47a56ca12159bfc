import type { SignerClient } from '@accredit/signer/client'
import type { HeldKey, SignerPrimitives } from './credential-format.js'

type Signer = Pick<SignerClient, 'sign' | 'signMessages' | 'verifyKeyed'>

type Primitives = {
  [Name in keyof SignerPrimitives]: (
    signer: Signer,
    keyRef: string,
    input: SignerPrimitives[Name]['takes'],
  ) => Promise<SignerPrimitives[Name]['gives']>
}

const PRIMITIVES: Primitives = {
  sign: (signer, keyRef, messages) => signer.sign(messages.map((bytes) => ({ keyRef, bytes }))),
  signMessages: async (signer, keyRef, messages) => [await signer.signMessages(keyRef, messages)],
  verifyKeyed: (signer, keyRef, keyed) => signer.verifyKeyed(keyRef, keyed),
}

/** A key that the signer holds, for what formats ask of it. */
export const heldKey =
  (signer: Signer, keyRef: string): HeldKey =>
  (primitive, input) =>
    PRIMITIVES[primitive](signer, keyRef, input)
