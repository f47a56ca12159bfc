/** Public keys of the BBS family, away from the main thread: one takes it a millisecond. */
import { parentPort } from 'node:worker_threads'
import { type BlsKind, blsPublicKey, prepareBls } from './bls-public-keys.js'

prepareBls()

parentPort?.on('message', ({ id, kind, secret }: { id: number; kind: BlsKind; secret: Uint8Array }) => {
  parentPort?.postMessage({ id, publicKey: blsPublicKey(kind, secret) })
})
