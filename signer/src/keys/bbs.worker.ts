/** BBS key pairs, away from the main thread: every call of the library is synchronous WASM. */
import { parentPort } from 'node:worker_threads'
import crypto from '@docknetwork/crypto-wasm-ts'

const { BBSSecretKey, BBSSignatureParams, BBS_SIGNATURE_PARAMS_LABEL_BYTES, initializeWasm } = crypto
await initializeWasm()
// The public key depends on the parameters' label, which has to be the one credentials are signed with.
const parameters = BBSSignatureParams.generate(1, BBS_SIGNATURE_PARAMS_LABEL_BYTES)

type Question = { id: number } & ({ seed: Uint8Array } | { secret: Uint8Array })

parentPort?.on('message', (question: Question) => {
  // Both halves come from one call: a second secret of the same seed would be another one.
  const key = 'seed' in question ? BBSSecretKey.generate(question.seed) : new BBSSecretKey(question.secret)
  // The library gives plain arrays where its types promise bytes.
  const [secret, publicKey] = [Uint8Array.from(key.bytes), Uint8Array.from(key.generatePublicKey(parameters).bytes)]
  parentPort?.postMessage({ id: question.id, secret, publicKey })
})
