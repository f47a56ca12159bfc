/** BBS key pairs, away from the main thread: every call of the library is synchronous WASM. */
import { parentPort } from 'node:worker_threads'
import crypto from '@docknetwork/crypto-wasm-ts'

const { BBSKeypair, BBSSignatureParams, BBS_SIGNATURE_PARAMS_LABEL_BYTES, initializeWasm } = crypto
await initializeWasm()
// The public key depends on the parameters' label, which has to be the one credentials are signed with.
const parameters = BBSSignatureParams.generate(1, BBS_SIGNATURE_PARAMS_LABEL_BYTES)

parentPort?.on('message', ({ id, seed }: { id: number; seed: Uint8Array }) => {
  const pair = BBSKeypair.generate(parameters, seed)
  // The library gives plain arrays where its types promise bytes.
  const [secret, publicKey] = [Uint8Array.from(pair.secretKey.bytes), Uint8Array.from(pair.publicKey.bytes)]
  parentPort?.postMessage({ id, secret, publicKey })
})
