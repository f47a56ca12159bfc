import { didKey } from '@accredit/chain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, each } from '../scripts/tour/client.js'
import { builders } from './support/ecosystem.js'
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

function universityRow(index: number, schemas: string[]) {
  const did = didKey({ kind: 'Ed25519', publicKey: `0x${(index + 1).toString(16).padStart(64, '0')}` })
  return { did, name: `University ${index}`, issuerSchemas: schemas }
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

  it('goes on with many participants when all that writes them is killed, and lists each exactly once', async () => {
    const make = builders(stack.apiUrl, stack.apiKey)
    const registry = await make.registry(await make.organisation('Council'), 'Universities')
    const schemas = Array.from({ length: 9 }, (_, index) => `https://schema.example/${index}.json`)
    const rows = Array.from({ length: 300 }, (_, index) => universityRow(index, schemas))
    const { status, body } = await make.request('POST', `/trust-registries/${registry}/participants/bulk`, rows)
    expect(status).toBe(200)
    const before = stack.pids()
    const names = ['signer', 'worker', 'ledger', 'indexer']
    for (const name of names) process.kill(before[name] ?? 0, 'SIGKILL')
    await until('all of them are back', () => names.every((name) => (stack.pids()[name] ?? 0) !== before[name]))
    const job = () =>
      persistently(() => make.client.call<{ status: string; result: object }>('GET', `/jobs/${body.id}`))
    await until('the job has ended', async () => ['finalized', 'error'].includes((await job()).status))
    expect(await job()).toMatchObject({ status: 'finalized', result: { done: 300, total: 300, refused: [] } })
    const all = await make.request('GET', `/trust-registries/${registry}/participants?limit=1`)
    expect(all.body).toMatchObject({
      total: 300,
      list: [{ name: expect.stringMatching(/^University/), accepted: false }],
    })
    const listed = `/trust-registries/${registry}/history?event=TrustRegistry.IssuerChanged&limit=1`
    expect((await make.request('GET', listed)).body.total).toBe(300 * schemas.length)
  })
})
