import type { SignerClient } from '@accredit/signer/client'
import type { IssuerKey, SignerPrimitive } from './credential-format.js'

type Signer = Pick<SignerClient, 'sign'>
type Primitive = (signer: Signer, keyRef: string, messages: readonly Uint8Array[]) => Promise<Uint8Array[]>

const PRIMITIVES: Record<SignerPrimitive, Primitive> = {
  sign: (signer, keyRef, messages) => signer.sign(messages.map((bytes) => ({ keyRef, bytes }))),
}

/** A key that the signer holds, for what formats ask of it. */
export const heldKey =
  (signer: Signer, keyRef: string): IssuerKey =>
  (primitive, messages) =>
    PRIMITIVES[primitive](signer, keyRef, messages)
