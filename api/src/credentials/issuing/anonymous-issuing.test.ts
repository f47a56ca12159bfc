import { describe, expect, it } from 'vitest'
import { isObject, type Json, type JsonObject } from '../../formats/json.js'
import { testKey } from '../../formats/json-ld/testing.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { degree, TestService } from '../loop.testing.js'

const world = forAllTests(async () => {
  const service = await TestService.open()
  const issuer = await service.did()
  return { service, issuer, close: () => service.close() }
})

const ask = (credential: JsonObject, more: JsonObject = {}) =>
  world().service.issue({ issuer: world().issuer, subject: degree, ...credential }, { algorithm: 'svcbbs', ...more })

const verified = (credential: Json) => world().service.verified(credential)

describe('values that no field element stands for', () => {
  it.each<[string, JsonObject, string]>([
    ['an empty object', { subject: { a: {} } }, '/credential/credentialSubject/a'],
    ['an empty list', { subject: { a: { b: [] } } }, '/credential/credentialSubject/a/b'],
    ['a number above 2^53', { subject: { a: 2 ** 53 } }, '/credential/credentialSubject/a'],
    ['a number below -2^53', { subject: { a: -(2 ** 53) } }, '/credential/credentialSubject/a'],
    ['a number with an exponent', { subject: { a: 1e-20 } }, '/credential/credentialSubject/a'],
    ['a number that is too fine', { subject: { a: 0.1234567 } }, '/credential/credentialSubject/a'],
    ['a large number with a fraction', { subject: { a: 900719925474099.5 } }, '/credential/credentialSubject/a'],
    ['a name with a dot', { subject: { 'a.b': 1 } }, '/credential/credentialSubject/a.b'],
    ['an empty list elsewhere', { evidence: { of: [] } }, '/credential/evidence/of'],
    ['a second subject with an empty list', { subject: [degree, { a: [] }] }, '/credential/credentialSubject/1/a'],
  ])('%s is a 400 that names the place', async (_, credential, path) => {
    for (const algorithm of ['svcbbs', 'bbdt16']) {
      const { status, body } = await ask(credential, { algorithm })
      expect({ status, ...body }).toMatchObject({ status: 400, type: 'invalid_request', problems: [{ path }] })
    }
  })

  it('are few: all others are signed as they are, and can be shown one by one', async () => {
    const subject = {
      zero: 0,
      no: false,
      empty: '',
      negative: -1.5,
      third: 0.29,
      close: 0.28,
      cents: 19.99,
      small: 0.000001,
      large: 2 ** 53 - 1,
      low: -(2 ** 52),
      long: 'ü'.repeat(500),
      day: '2024-02-29',
      noDay: '2023-02-29',
      instant: '2024-02-29T12:00:00.123+02:00',
      old: '0999-01-01',
      nested: [[1, 2], [{ a: 'x', b: [true] }]],
      id: 'did:example:graduate',
    }
    const { status, body } = await ask({ subject })
    expect({ status, body }).toMatchObject({ status: 200, body: { credentialSubject: subject } })
    expect(await verified(body)).toBe(true)
    const close = { ...body, credentialSubject: { ...subject, close: 0.29, third: 0.28 } }
    expect(await verified(close)).toBe(false)
  })

  it('more than 256 of them are too many', async () => {
    const claims = Array.from({ length: 90 }, (_, place) => [`c${place}`, [1, 2, 3]])
    expect(await ask({ subject: Object.fromEntries(claims) })).toMatchObject({ status: 400 })
  })
})

describe('the signed schema tells types, and nothing of values', () => {
  const detailsOf = async (subject: JsonObject): Promise<string> => {
    const { body } = await ask({ subject })
    expect(await verified(body)).toBe(true)
    return isObject(body.credentialSchema) ? String(body.credentialSchema.details) : ''
  }

  it('and is the same for all values of a size', async () => {
    const [first, ...others] = await Promise.all(
      [
        { a: 1, b: 'x', c: 1.5, d: true },
        { a: -7, b: 'another', c: -99.1, d: false },
        { a: 4_000_000_000, b: '', c: 0.7, d: true },
      ].map(detailsOf),
    )
    for (const other of others) expect(other).toBe(first)
  })
})

describe('a status', () => {
  it('is a place in an accumulator, which is of the issuer', async () => {
    const ids = new Set<string>()
    for (const algorithm of ['svcbbs', 'dockbbs', 'svcbbs+', 'bbdt16']) {
      const { status, body } = await ask({}, { algorithm, revocable: true })
      expect(status).toBe(200)
      expect(body.credentialStatus.type).toBe('DockVBAccumulator2022')
      ids.add(body.credentialStatus.id)
    }
    expect(ids.size).toBe(1)
  })

  it('on a list tells who shows it, and is refused', async () => {
    const { service, issuer } = world()
    const { body } = await service.call('POST', '/registries', { policy: [issuer] })
    await service.finished(body.id)
    const refused = { status: 400, body: { type: 'invalid_request' } }
    expect(await ask({ status: body.data.id })).toMatchObject(refused)
    const accumulator = {
      id: `dock:accumulator:0x${'ab'.repeat(32)}`,
      type: 'DockVBAccumulator2022',
      revocationCheck: 'membership',
      revocationId: '1',
    }
    // A registry of this ledger that the team does not have.
    expect(await ask({ status: accumulator })).toMatchObject({ status: 409 })
  })
})

it('a credential that is valid later is refused, since what is derived of it would not say so', async () => {
  expect(await ask({ issuanceDate: '2099-01-01T00:00:00Z' })).toMatchObject({ status: 400 })
  expect((await ask({ validFrom: '2099-01-01T00:00:00Z' })).status).toBe(200)
})

it('an algorithm has the names that clients in the field send, and is stored under its own', async () => {
  const { service } = world()
  for (const [asked, stored] of [
    ['dockbbs', 'svcbbs'],
    ['svcbbs', 'svcbbs'],
    ['bbdt16', 'bbdt16'],
    ['dockbbs+', 'svcbbs+'],
    ['', 'ed25519'],
  ] as const) {
    const { body } = await ask({}, { algorithm: asked })
    const listed = await service.call('GET', `/credentials/${encodeURIComponent(body.id)}`)
    expect(listed.body).toMatchObject({ algorithm: stored })
  }
  const { body } = await ask({}, { algorithm: 'dockps' })
  expect(body).toMatchObject({ type: 'unsupported_format', message: expect.stringContaining('svcbbs') })
})

describe('a key that is missing', () => {
  it('is added to a DID of ours when it issues with it first, by one job, and once', async () => {
    const { service } = world()
    const issuer = await didWithoutBbs(service)
    const asked = await Promise.all([1, 2, 3].map(() => ask({ issuer })))
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
    const jobs = asked.map(({ header }) => header('accredit-job')).filter((job) => job !== undefined)
    expect(jobs.length).toBeGreaterThan(0)
    expect(new Set(jobs).size).toBe(1)
    expect(await service.finished(jobs[0] ?? '')).toBe('finalized')
    for (const { body } of asked) expect(await verified(body)).toBe(true)
    const keys = (await documentOf(issuer)).match(/#keys-\d+","type":"Bls12381BBSVerificationKeyDock2023"/g)
    expect(new Set(keys).size).toBe(1)
    expect((await ask({ issuer })).header('accredit-job')).toBeUndefined()
  })

  it('is not added for a credential that cannot be signed', async () => {
    const { service } = world()
    const issuer = await didWithoutBbs(service)
    expect((await ask({ issuer, subject: { a: [] } })).status).toBe(400)
    expect(await documentOf(issuer)).not.toContain('Bls12381')
  })

  it('cannot be added to a did:key', async () => {
    const { service } = world()
    const { body } = await service.call('POST', '/dids', { type: 'key' })
    const { status, body: refusal } = await ask({ issuer: body.did })
    expect({ status, message: refusal.message }).toMatchObject({
      status: 400,
      message: expect.stringContaining('its key'),
    })
  })

  it('of the kind BBDT16 is no key of the document, and is made for a did:key too', async () => {
    const { service } = world()
    const { body: made } = await service.call('POST', '/dids', { type: 'key' })
    const asked = await Promise.all([1, 2, 3].map(() => ask({ issuer: made.did }, { algorithm: 'bbdt16' })))
    const methods = asked.map(({ body }) => body.proof.verificationMethod)
    expect(new Set(methods).size).toBe(1)
    for (const { body } of asked) expect(await verified(body)).toBe(true)
    expect(await documentOf(made.did)).not.toContain(methods[0].split('#')[1])
  })

  it('is 404 for a DID of nobody here', async () => {
    for (const algorithm of ['svcbbs', 'bbdt16'])
      expect(await ask({ issuer: testKey().did }, { algorithm })).toMatchObject({ status: 404 })
  })

  it('is told by a dry run, and not added by it', async () => {
    const { service } = world()
    const issuer = await didWithoutBbs(service)
    const credential = { issuer, subject: degree }
    const { body } = await service.call('POST', '/credentials?dryRun=true', { credential, algorithm: 'svcbbs' })
    expect(body).toMatchObject({ changes: [expect.anything()], refusals: [] })
    expect(JSON.stringify(body.changes)).toContain('Bls12381G2')
    expect(await documentOf(issuer)).not.toContain('Bls12381')
  })

  const documentOf = async (did: string): Promise<string> =>
    JSON.stringify((await world().service.call('GET', `/dids/${did}`)).body)

  /** A DID that revoked the key that it was made with. */
  async function didWithoutBbs(service: TestService): Promise<string> {
    const issuer = await service.did()
    const params = { did: issuer, keys: [2] }
    const asked = { did: issuer, action: 'Did.revoke_keys', params }
    const { status, body } = await service.call('POST', '/ledger/actions', asked)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(await service.finished(body.id)).toBe('finalized')
    return issuer
  }
})
