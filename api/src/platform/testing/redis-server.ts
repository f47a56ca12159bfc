import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const REDIS = process.env.REDIS_SERVER ?? '/usr/bin/redis-server'
export const hasRedis = existsSync(REDIS)

/** npm test installs the server where it may; elsewhere its tests are told as not run, but not where all must run. */
export function needsRedis(): void {
  test.runIf(!hasRedis && process.env.CI)('the Redis server of these tests is there', () =>
    expect(hasRedis, `There is no Redis server at ${REDIS}: install it, or say with REDIS_SERVER where it is`).toBe(
      true,
    ),
  )
}

export interface RedisServer {
  url: string
  /** Kills it in the middle of whatever it does; what it had is lost. */
  kill(): Promise<void>
  /** Starts it again at the same port, empty. */
  start(): Promise<void>
}

/** A Redis server of the test's own, which keeps nothing on the disk. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--maxmemory-policy', 'noeviction']
      const started = spawn(REDIS, options, { stdio: ['ignore', 'pipe', 'inherit'] })
      child = started
      for await (const line of createInterface({ input: started.stdout }))
        if (/ready to accept connections/i.test(line)) break
      started.stdout.resume()
    },
    async kill() {
      if (child === undefined) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      child = undefined
    },
  }
  await server.start()
  return server
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
