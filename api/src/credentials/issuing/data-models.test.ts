import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../formats/json.js'
import { degree, TestService } from '../loop.testing.js'

const V1 = 'https://www.w3.org/2018/credentials/v1'
const V2 = 'https://www.w3.org/ns/credentials/v2'

let service: TestService
let issuer: string
beforeAll(async () => {
  service = await TestService.open()
  issuer = await service.did()
})
afterAll(() => service.close())

const issue = (credential: JsonObject, more: Record<string, Json> = {}) =>
  service.issue({ issuer, subject: degree, ...credential }, more)

/** Algorithms by the data models that they sign, and the proof that each makes. */
const SIGNED = [
  ['ed25519', { type: 'Ed25519Signature2020' }, ['1.1', '2.0']],
  ['ed25519-2018', { type: 'Ed25519Signature2018' }, ['1.1']],
  ['eddsa-rdfc-2022', { type: 'DataIntegrityProof', cryptosuite: 'eddsa-rdfc-2022' }, ['1.1', '2.0']],
  ['eddsa-jcs-2022', { type: 'DataIntegrityProof', cryptosuite: 'eddsa-jcs-2022' }, ['1.1', '2.0']],
  ['bjj-2021', { type: 'BJJSignature2021' }, ['1.1', '2.0']],
] as const

describe.each(SIGNED.flatMap(([algorithm, proof, models]) => models.map((model) => ({ algorithm, proof, model }))))(
  '$algorithm in data model $model',
  ({ algorithm, proof, model }) => {
    const context = model === '2.0' ? V2 : null
    const end = '2090-01-01T00:00:00Z'

    it('is issued and verified, whatever the request names its dates', async () => {
      const { status, body } = await issue({ context, expirationDate: end, name: 'A degree' }, { algorithm })
      expect([status, body]).toEqual([200, expect.objectContaining({ proof: expect.objectContaining(proof) })])
      const names = Object.keys(body).filter((name) => /^(issuance|expiration)Date$|^valid/.test(name))
      expect(names).toEqual(model === '2.0' ? ['validFrom', 'validUntil'] : ['issuanceDate', 'expirationDate'])
      expect(body['@context'][0]).toBe(model === '2.0' ? V2 : V1)
      expect(await service.verified(body)).toBe(true)
      expect(await service.verified({ ...body, name: 'Another' })).toBe(false)
    })

    it('is kept with its dates', async () => {
      const { body } = await issue({ context, expirationDate: end, issuanceDate: '2026-01-01' }, { algorithm })
      const kept = await service.call('GET', `/credentials/${encodeURIComponent(body.id)}`)
      expect(kept.body).toMatchObject({ algorithm, issuanceDate: expect.stringMatching(/^2026-01-01T00:00:00/) })
      expect(kept.body.expirationDate).toMatch(/^2090-01-01T00:00:00/)
    })
  },
)

it('the contexts of a suite stand only where the data model does not define its proofs', async () => {
  const contextsOf = async (algorithm: string, context: Json) =>
    (await issue({ context, subject: { id: 'did:example:a', name: 'A' } }, { algorithm })).body['@context'].filter(
      (one: Json) => typeof one === 'string',
    )
  const integrity = 'https://w3id.org/security/data-integrity/v2'
  const suite2020 = 'https://w3id.org/security/suites/ed25519-2020/v1'
  expect(await contextsOf('eddsa-rdfc-2022', null)).toEqual([V1, integrity])
  expect(await contextsOf('eddsa-jcs-2022', null)).toEqual([V1, integrity])
  expect(await contextsOf('eddsa-rdfc-2022', V2)).toEqual([V2])
  expect(await contextsOf('eddsa-jcs-2022', V2)).toEqual([V2])
  expect(await contextsOf('ed25519', V2)).toEqual([V2, suite2020])
})

it('a name of data model 2.0 may be in several languages', async () => {
  const name = [
    { '@value': 'Degree', '@language': 'en' },
    { '@value': 'شهادة', '@language': 'ar', '@direction': 'rtl' },
  ]
  for (const algorithm of ['eddsa-rdfc-2022', 'eddsa-jcs-2022']) {
    const { status, body } = await issue({ context: V2, name, issuer: { id: issuer, name } }, { algorithm })
    expect([status, body.name, body.issuer.name]).toEqual([200, name, name])
    expect(await service.verified(body)).toBe(true)
  }
})

describe('data model 2.0', () => {
  it.each<[string, JsonObject, Record<string, Json>, string, RegExp]>([
    ['a proof of 2018', {}, { algorithm: 'ed25519-2018' }, 'invalid_request', /use ed25519, eddsa-rdfc-2022/],
    ['its context behind another', { context: [V1, V2] }, {}, 'invalid_request', /stands first/],
    ['that of 1.1 behind its own', { context: [V2, V1] }, {}, 'invalid_request', /does not name/],
    [
      'two beginnings',
      { validFrom: '2026-01-01', issuanceDate: '2026-01-02' },
      {},
      'invalid_request',
      /one date in data model 2\.0/,
    ],
    [
      'an end before its beginning',
      { validFrom: '2026-01-02', validUntil: '2026-01-01' },
      {},
      'invalid_request',
      /before/,
    ],
    ['a subject that says nothing', { subject: {} }, {}, 'invalid_request', /says nothing/],
    ['evidence without a type', { evidence: [{ id: 'urn:x' }] }, {}, 'invalid_request', /evidence has no type/],
    ['a resource without a digest', { relatedResource: { id: 'https://x.example' } }, {}, 'invalid_request', /digest/],
    ['a name that is a number', { name: 7 }, {}, 'invalid_request', /neither a text/],
  ])('does not take %s', async (_, credential, more, type, message) => {
    const answer = await issue({ context: V2, ...credential }, more)
    expect(answer).toMatchObject({ status: 400, body: { type, message: expect.stringMatching(message) } })
  })

  it('takes both names of a date that say the same', async () => {
    const dates = { validFrom: '2026-01-01T00:00:00Z', issuanceDate: '2026-01-01' }
    const { body } = await issue({ context: V2, ...dates })
    expect([body.validFrom, 'issuanceDate' in body]).toEqual(['2026-01-01T00:00:00Z', false])
  })
})
