import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../suites/json.js'
import { degree, TestService } from './loop.testing.js'

/** How many of them one credential may name: four have more bytes than are possible. */
const LARGE = 4

let service: TestService
let issuer: string
let large: string[]

/** A schema as large as it may be in values, each of which is a term of its context. */
async function largeContext(n: number): Promise<string> {
  const properties = Object.fromEntries(Array.from({ length: 2_400 }, (_, i) => [`p${n}x${i}`, {}]))
  const { body } = await service.call('POST', '/schemas', { name: `Large ${n}`, type: 'object', properties })
  const [row] = await service.scratch.db.read('system', (reader) =>
    reader.selectFrom('schemas').select('context_url').where('id', '=', body.data.id).execute(),
  )
  return row?.context_url ?? ''
}

beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
  large = []
  for (let n = 0; n < LARGE * 2; n++) large.push(await largeContext(n))
})
afterAll(() => service.close())

const issue = (context: Json) => service.issue({ context, subject: degree, issuer })

describe('a credential names contexts', () => {
  it('64 that do not ship with the service at most', async () => {
    const urls = (count: number) => Array.from({ length: count }, (_, n) => `https://nowhere.invalid/${n}`)
    expect((await issue(urls(64))).status).toBe(200)
    expect(await issue(urls(65))).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/65 contexts .* at most 64/) },
    })
  })

  it('that are not too large together, in issuing as in verifying', async () => {
    const { body: good } = await issue(large.slice(0, 2))
    expect((await service.call('POST', '/verify', good)).body.verified).toBe(true)
    expect(await issue(large)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/bytes; at most/) },
    })
    const more = { ...good, '@context': [...good['@context'], ...large] }
    const { body } = await service.call('POST', '/verify', more)
    expect(body).toMatchObject({ verified: false, error: expect.stringMatching(/bytes; at most/) })
    expect(body.checks.filter(({ passed }: JsonObject) => passed === false)).toMatchObject([
      { check: 'proof', reason: 'too_large' },
    ])
  })
})
