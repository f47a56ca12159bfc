import type { SignerClient } from '@accredit/signer/client'
import type { HeldKey, SignerPrimitives } from './credential-format.js'

type Signer = Pick<SignerClient, 'sign' | 'signMessages' | 'verifyKeyed'>

type Primitives = {
  [Name in keyof SignerPrimitives]: (
    signer: Signer,
    key: { keyRef: string; share: string },
    input: SignerPrimitives[Name]['takes'],
  ) => Promise<SignerPrimitives[Name]['gives']>
}

const PRIMITIVES: Primitives = {
  sign: (signer, { keyRef }, messages) => signer.sign(messages.map((bytes) => ({ keyRef, bytes }))),
  signMessages: async (signer, { keyRef, share }, messages) => [await signer.signMessages(keyRef, messages, share)],
  verifyKeyed: (signer, { keyRef, share }, keyed) => signer.verifyKeyed(keyRef, keyed, share),
}

/**
 * A key that the signer holds, for what formats ask of it.
 * @param share the share of the signer's work that it counts for
 */
export const heldKey =
  (signer: Signer, keyRef: string, share: string): HeldKey =>
  (primitive, input) =>
    PRIMITIVES[primitive](signer, { keyRef, share }, input)
