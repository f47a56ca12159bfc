import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, each } from '../scripts/tour/client.js'
import { requestsWith } from './support/requests.js'
import { startTestStack, type TestStack } from './support/stack.js'

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = Date.now() + 150_000; Date.now() < deadline; await new Promise((next) => setTimeout(next, 200)))
    if (await holds()) return
  throw new Error(`waited in vain until ${what}`)
}

/** What a client does whose service is away for a moment: it asks again. */
async function persistently<T>(attempt: () => Promise<T>): Promise<T> {
  let answer: T | undefined
  await until('a request is answered', async () => {
    answer = await attempt().catch(() => undefined)
    return answer !== undefined
  })
  if (answer === undefined) throw new Error('there was no answer')
  return answer
}

interface DidStarted {
  did: string
  id: string
}

describe('a stack whose processes are killed', () => {
  let stack: TestStack
  beforeAll(async () => {
    stack = await startTestStack()
  })
  afterAll(() => stack.remove())

  it.each(['worker', 'signer', 'indexer', 'ledger', 'api'])(
    'comes back when the %s is killed under load, and every accepted DID becomes final exactly once',
    async (name) => {
      const client = connect(stack.apiUrl, stack.apiKey)
      const pid = stack.pids()[name] ?? 0
      const indexes = Array.from({ length: 60 }, (_, index) => index)
      const accepted = await each(indexes, 12, async (index) => {
        if (index === 20) process.kill(pid, 'SIGKILL')
        return persistently(() => client.call<DidStarted>('POST', '/dids', {}))
      })
      await until(`${name} is back`, () => (stack.pids()[name] ?? pid) !== pid)
      await until(
        'the stack is ready',
        async () => (await fetch(`${stack.apiUrl}/ready`).catch(() => undefined))?.ok === true,
      )
      const request = requestsWith(stack.apiKey, stack.apiUrl)
      for (const { did, id } of accepted) {
        await client.finished(id)
        const { body } = await request('GET', `/dids/${did}/history?event=Did.Created`)
        expect(body.total).toBe(1)
      }
    },
  )
})
