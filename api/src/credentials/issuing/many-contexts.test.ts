import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../formats/json.js'
import { insertSchema } from '../../schemas/schema.store.js'
import { degree, TestService } from '../loop.testing.js'

/** The number of large contexts that together have more bytes than one credential may name. */
const LARGE = 4

let service: TestService
let issuer: string
let large: string[]

/** The context of a schema with many values, each of which is a term. */
async function largeContext(n: number): Promise<string> {
  const properties = Object.fromEntries(Array.from({ length: 2_400 }, (_, i) => [`p${n}x${i}`, {}]))
  const document = { name: `Large ${n}`, type: 'object', properties }
  const given = {
    team: service.team.team,
    name: document.name,
    document,
    base: service.loop.environment.config.schemaUrl,
  }
  return service.scratch.db.transaction('system', async (tx) => {
    const { id } = await insertSchema(tx, { ...given, now: new Date() })
    const query = tx.selectFrom('schemas').select('context_url').where('id', '=', id)
    return (await query.executeTakeFirstOrThrow()).context_url
  })
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
    const more = { ...good, '@context': [...good['@context'], ...large.slice(2)] }
    const { body } = await service.call('POST', '/verify', more)
    expect(body).toMatchObject({ verified: false, error: expect.stringMatching(/bytes; at most/) })
    expect(body.checks.filter(({ passed }: JsonObject) => passed === false)).toMatchObject([
      { check: 'proof', reason: 'too_large' },
    ])
  })

  it('that ship, beside terms made for it: its claims are read as the standard says all the same', async () => {
    const subject = { knowsLanguage: ['tr', 'en'], score: 5 }
    const given = { context: ['https://schema.org'], type: ['X'], issuer, subject }
    const { status, body } = await service.issue(given)
    expect(body.message).toBeUndefined()
    expect([status, body.credentialSubject?.knowsLanguage]).toEqual([200, ['tr', 'en']])
    const verified = async (knowsLanguage: Json, score: Json) =>
      (await service.call('POST', '/verify', { ...body, credentialSubject: { knowsLanguage, score } })).body.verified
    expect(await verified(['en', 'tr'], 5)).toBe(true)
    expect(await verified(['en', 'de'], 5)).toBe(false)
    expect(await verified(['tr', 'en'], [5])).toBe(false)
  })

  it('that are not too large for all credentials of a presentation, each counted as often as it is processed', async () => {
    const pair = large.slice(0, 2)
    const { body: good } = await issue(pair)
    const others = good['@context'].filter((url: string) => !pair.includes(url))
    const signed = (proofPurpose: string) => ({ ...good.proof, proofPurpose })
    const presented = async (count: number) => {
      const copies = Array.from({ length: count }, (_, n) => ({
        ...good,
        '@context': [...others, ...pair],
        id: `urn:copy:${n}`,
      }))
      const presentation = { '@context': others, type: ['VerifiablePresentation'], proof: signed('authentication') }
      const { body } = await service.call('POST', '/verify', { ...presentation, verifiableCredential: copies })
      const reasonOf = ({ checks }: { checks: JsonObject[] }) => checks.find(({ check }) => check === 'proof')?.reason
      return body.results.map(reasonOf)
    }
    const few = await presented(3)
    expect(few).toEqual(Array.from({ length: 4 }, () => 'invalid_signature'))
    const many = await presented(30)
    expect(many.at(-1)).toBe('too_large')
    expect(many.filter((reason: string) => reason === 'invalid_signature').length).toBeLessThan(20)
  })
})
