/** Signatures of Baby Jubjub, away from the thread that serves requests. */
import { isBabyJubJubSignature } from './library.js'

export interface SignatureTask {
  publicKey: Uint8Array
  element: Uint8Array
  signature: Uint8Array
}

export default ({ publicKey, element, signature }: SignatureTask): boolean =>
  isBabyJubJubSignature(publicKey, element, signature)
