import { Worker } from 'node:worker_threads'

export interface KeyPair {
  secret: Uint8Array
  publicKey: Uint8Array
}

/** BBS key pairs (BLS12-381, public key in G2, 96 bytes) from a worker thread. */
export interface BbsKeys {
  make(seed: Uint8Array): Promise<KeyPair>
  close(): Promise<void>
}

interface Waiting {
  resolve(pair: KeyPair): void
  reject(error: Error): void
}

export function openBbsKeys(): BbsKeys {
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
    worker.on('message', ({ id, ...pair }: KeyPair & { id: number }) => {
      waiting.get(id)?.resolve(pair)
      waiting.delete(id)
    })
    worker.on('error', fail)
    worker.unref()
    return worker
  }

  return {
    make(seed) {
      return new Promise((resolve, reject) => {
        nextId += 1
        waiting.set(nextId, { resolve, reject })
        started().postMessage({ id: nextId, seed })
      })
    },
    async close() {
      await worker?.terminate()
      fail(new Error('The key worker is closed.'))
    },
  }
}

/** Under tsx and vitest the sources run as they are, and the thread needs tsx too. */
function startWorker(): Worker {
  if (import.meta.url.endsWith('.js')) return new Worker(new URL('./bbs.worker.js', import.meta.url))
  return new Worker(new URL('./bbs.worker.ts', import.meta.url), { execArgv: ['--import', 'tsx'] })
}
