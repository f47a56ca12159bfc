/** The library of BbsBlsSignature2020 as threads use it: its part in WASM, since the one in native code is not installed. */
import bbs from '@mattrglobal/bbs-signatures/lib/wasm_module.js'

/** Tells whether a key made a signature over these messages. */
export async function isSignature2020(
  messages: readonly string[],
  signature: Uint8Array,
  publicKey: Uint8Array,
): Promise<boolean> {
  const bytes = messages.map((message) => new Uint8Array(Buffer.from(message)))
  return (await bbs.blsVerify({ publicKey, signature, messages: bytes })).verified
}
