import { Worker } from 'node:worker_threads'
import type { BlsKind } from './bls-public-keys.js'

export interface KeyPair {
  secret: Uint8Array
  publicKey: Uint8Array
}

/** Key pairs of the BBS family (BLS12-381) from a worker thread. */
export interface BlsPairs {
  /** Returns the pair of a private key: a scalar, little-endian. */
  pairOf(kind: BlsKind, secret: Uint8Array): Promise<KeyPair>
  close(): Promise<void>
}

interface Waiting {
  resolve(publicKey: Uint8Array): void
  reject(error: Error): void
}

export function openBlsPairs(): BlsPairs {
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  let worker: Worker | undefined

  function fail(error: Error) {
    worker = undefined
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function started(): Worker {
    if (worker !== undefined) return worker
    worker = startWorker()
    worker.on('message', ({ id, publicKey }: { id: number; publicKey: Uint8Array }) => {
      waiting.get(id)?.resolve(publicKey)
      waiting.delete(id)
    })
    worker.on('error', fail)
    worker.unref()
    return worker
  }

  function publicKeyOf(kind: BlsKind, secret: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      nextId += 1
      waiting.set(nextId, { resolve, reject })
      started().postMessage({ id: nextId, kind, secret })
    })
  }

  return {
    pairOf: async (kind, secret) => ({ secret, publicKey: await publicKeyOf(kind, secret) }),
    async close() {
      await worker?.terminate()
      fail(new Error('The key worker is closed.'))
    },
  }
}

/** The sources run as they are under vitest, except in a thread: there the compiled module is taken. */
function startWorker(): Worker {
  const isCompiled = import.meta.url.endsWith('.js')
  return new Worker(
    new URL(isCompiled ? './bls-pairs.worker.js' : '../../dist/keys/bls-pairs.worker.js', import.meta.url),
  )
}
