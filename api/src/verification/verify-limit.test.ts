import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { audit } from '../audit/operations.js'
import { readConfig } from '../config.js'
import { appWithTeam } from '../platform/testing/for-all-tests.js'
import { verification } from './operations.js'

const HERE = '198.51.100.7'

/** All are let in at once, so that what limits them is the operation. */
const config = readConfig({
  DATABASE_URL: 'postgres://unused',
  SYSTEM_DATABASE_URL: 'postgres://unused',
  REQUESTS_IN_WORK: '100',
  REQUESTS_IN_WORK_PER_CALLER: '100',
})
const world = appWithTeam([audit, verification], { config })
let url: URL
beforeAll(async () => {
  url = new URL(await world().app.listen({ host: '127.0.0.1', port: 0 }))
})

/** A request of which everything but the body has arrived: it runs until the body comes or the caller leaves. */
async function hold(path: string): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname)
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `svc-api-token: ${world().team.apiKey}`,
    'content-type: application/json',
  ]
  lines.push('content-length: 2', `x-forwarded-for: ${HERE}`, 'x-forwarded-proto: https', 'expect: 100-continue')
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 100/)
  return socket
}

/** A whole request, which is told that its body, an empty list, is none. */
const ask = (path: string, address = HERE) =>
  fetch(new URL(path, url), {
    method: 'POST',
    headers: {
      'svc-api-token': world().team.apiKey,
      'content-type': 'application/json',
      'x-forwarded-for': address,
      'x-forwarded-proto': 'https',
    },
    body: '[]',
  })

test.each([
  ['/verify', 32, { status: 429, type: 'rate_limited', message: expect.any(String) }],
  ['/graphql', 4, { errors: [{ message: expect.any(String), extensions: { status: 429, type: 'rate_limited' } }] }],
])(
  'at %s %i requests of one address run at once; the next is told to wait, until one has ended',
  async (path, most, refusal) => {
    const held: Socket[] = []
    while (held.length < most - 1) held.push(await hold(path))
    expect((await ask(path)).status).toBe(400)
    const last = await hold(path)
    // A request is let in when its key is known, which is a little after it has begun.
    let refused = await ask(path)
    await expect
      .poll(async () => {
        refused = await ask(path)
        return refused.status
      })
      .toBe(429)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toEqual(refusal)
    expect((await ask(path, '198.51.100.8')).status).toBe(400)
    last.end('[]')
    await expect.poll(async () => (await ask(path)).status).toBe(400)
    for (const socket of held) socket.destroy()
  },
)
