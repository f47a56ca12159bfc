/** Public keys of BBS, away from the main thread: one takes it a millisecond. */
import { parentPort } from 'node:worker_threads'
import { bbsPublicKey, prepareBbs } from './bbs-public-key.js'

prepareBbs()

parentPort?.on('message', ({ id, secret }: { id: number; secret: Uint8Array }) => {
  parentPort?.postMessage({ id, publicKey: bbsPublicKey(secret) })
})
