import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createApiKey } from '../accounts/keys/api-key.js'
import { type Answer, degree, TestService } from '../credentials/loop.testing.js'
import { unsignedJws } from '../formats/compact/jws.js'
import { isObject, type Json, type JsonObject } from '../formats/json.js'
import { type TestKey, testKey } from '../formats/json-ld/testing.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { testTeam } from '../platform/testing/scratch-database.js'
import type {} from './delegatable.tables.js'

const world = forAllTests(async () => {
  const service = await TestService.open()
  const sponsor = await sponsorKey(service)
  return { service, sponsor, close: () => service.close() }
})

async function sponsorKey({ scratch, team, loop }: TestService): Promise<string> {
  const scope = { teams: [team.team], actor: 'a test' } as const
  const made = await scratch.db.transaction(scope, (tx) =>
    createApiKey(tx, loop.environment, { team: team.team, role: 'member', kind: 'sponsor' }),
  )
  return made.apiKey
}

const wallet = testKey()
let lists = 0
const newId = (): string => {
  lists += 1
  return `${process.pid}${lists}`.padStart(64, 'a').replace(/[^0-9a-f]/g, 'b')
}

interface Asking {
  by?: TestKey
  registryId?: string
  body: JsonObject
  /** Members of the payload that differ from those of a good one. */
  claims?: JsonObject
  header?: JsonObject
  sponsor?: string
  token?: string
}

async function signed({ by = wallet, registryId = '', body, claims = {}, header = {} }: Asking): Promise<string> {
  const now = Math.floor(world().service.loop.environment.clock.now().getTime() / 1000)
  const payload = {
    aud: world().service.loop.environment.config.apiUrl,
    iss: by.did,
    iat: now,
    exp: now + 120,
    // Requests of one second are told apart.
    jti: randomUUID(),
    registryId,
    ...body,
    ...claims,
  }
  const jws = unsignedJws({ alg: 'EdDSA', typ: 'JWT', kid: by.keyId, ...header }, payload)
  return jws.finish(await by.sign(jws.message))
}

async function ask(asking: Asking): Promise<Answer> {
  const { registryId = '', body, sponsor = world().sponsor } = asking
  const token = asking.token ?? (await signed(asking))
  return world().service.call('POST', `/delegatable-revocations/${registryId}`, body, '', {
    ...(sponsor !== '' && { 'x-mobile-sponsor-key': sponsor }),
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  })
}

async function done(answer: Answer): Promise<Answer> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const job = answer.header('accredit-job')
  if (job !== undefined) {
    const { scratch } = world().service
    for (;;) {
      const row = await scratch.db.read('system', (reader) =>
        reader.selectFrom('jobs').select('status').where('id', '=', job).executeTakeFirstOrThrow(),
      )
      if (row.status === 'finalized') break
      if (row.status === 'error') throw new Error('the job failed')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return answer
}

async function list(): Promise<string> {
  const registryId = newId()
  await done(await ask({ registryId, body: { action: 'create' } }))
  return registryId
}

const place = (
  action: 'revoke' | 'unrevoke',
  credentialId = 'urn:uuid:one',
  statusListIndex: Json = 7,
): JsonObject => ({
  action,
  credentialId,
  statusListIndex,
})

const isRevoked = async (registryId: string, index: number): Promise<boolean> => {
  const { service } = world()
  const credential = {
    issuer: await issuer(),
    subject: degree,
    status: {
      id: `${service.loop.environment.config.apiUrl}/status-lists/${registryId}#${index}`,
      type: 'StatusList2021Entry',
      statusPurpose: 'revocation',
      statusListIndex: String(index),
      statusListCredential: `${service.loop.environment.config.apiUrl}/status-lists/${registryId}`,
    },
  }
  const { status, body } = await service.issue(credential)
  expect(status, JSON.stringify(body)).toBe(200)
  return !(await service.verified(body))
}

let made: Promise<string> | undefined
const issuer = (): Promise<string> => {
  made ??= world().service.did()
  return made
}

describe('a wallet', () => {
  it('makes a list of its own id, revokes in it, and takes it back; anybody sees it', async () => {
    const registryId = newId()
    const { apiUrl } = world().service.loop.environment.config
    const created = await done(await ask({ registryId, body: { action: 'create' } }))
    const statusListCredential = `${apiUrl}/status-lists/${registryId}`
    expect(created.body).toEqual({ registryId, action: 'create', statusListCredential })
    const revoked = await done(await ask({ registryId, body: place('revoke') }))
    expect(revoked.body).toEqual({ registryId, action: 'revoke', credentialId: 'urn:uuid:one', statusListCredential })
    expect(await isRevoked(registryId, 7)).toBe(true)
    expect(await isRevoked(registryId, 8)).toBe(false)
    const path = `/delegatable-revocations/${registryId}`
    const seen = await world().service.call('GET', path, undefined, '')
    expect(seen.body).toMatchObject({ type: ['VerifiableCredential', 'StatusList2021Credential'] })
    expect(seen.body).toEqual((await world().service.call('GET', `/status-lists/${registryId}`, undefined, '')).body)
    await done(await ask({ registryId, body: place('unrevoke') }))
    expect(await isRevoked(registryId, 7)).toBe(false)
  })

  it('may do everything twice, and send the place as a text', async () => {
    const registryId = await list()
    await done(await ask({ registryId, body: { action: 'create' } }))
    for (const index of [5, '5']) await done(await ask({ registryId, body: place('revoke', 'urn:uuid:two', index) }))
    const claims = { statusListIndex: '5' }
    await done(await ask({ registryId, body: place('revoke', 'urn:uuid:two', 5), claims }))
  })

  it('may write the UUID of a credential in every spelling, and nothing that is no id', async () => {
    const registryId = await list()
    const uuid = randomUUID()
    for (const id of [uuid, uuid.toUpperCase(), `urn:uuid:${uuid}`])
      await done(await ask({ registryId, body: place('revoke', id, 3) }))
    expect(await ask({ registryId, body: place('revoke', 'nothing', 4) })).toMatchObject({ status: 400 })
  })

  it('gets no place that another credential has, and no second one', async () => {
    const registryId = await list()
    await done(await ask({ registryId, body: place('revoke', 'urn:uuid:a', 1) }))
    for (const body of [place('revoke', 'urn:uuid:b', 1), place('unrevoke', 'urn:uuid:a', 2)])
      expect(await ask({ registryId, body })).toMatchObject({ status: 409, body: { type: 'conflict' } })
    for (const index of [131_072, -1, 1.5, '01', 'x', null])
      expect((await ask({ registryId, body: place('revoke', 'urn:uuid:c', index) })).status).toBe(400)
    expect((await ask({ registryId, body: { action: 'revoke' } })).status).toBe(400)
  })

  it('gets no second place either when it asks for several at once, nor two credentials one place', async () => {
    const registryId = await list()
    const asked = await Promise.all(
      [11, 12, 13, 14].map((index) => ask({ registryId, body: place('revoke', 'urn:uuid:one-place', index) })),
    )
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const rivals = ['a', 'b', 'c', 'd'].map((name) => place('revoke', `urn:uuid:rival-${name}`, 20))
    const answers = await Promise.all(rivals.map((body) => ask({ registryId, body })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const { scratch } = world().service
    const taken = await scratch.db.read('system', (reader) =>
      reader.selectFrom('status_entries').select('index').where('registry_id', '=', `0x${registryId}`).execute(),
    )
    expect(taken).toHaveLength(2)
  })

  it('does nothing in the list of another one, nor with an id that is taken or unknown', async () => {
    const [registryId, stranger] = [await list(), testKey()]
    expect((await ask({ registryId, by: stranger, body: place('revoke') })).status).toBe(403)
    expect((await ask({ registryId, by: stranger, body: { action: 'create' } })).status).toBe(409)
    expect((await ask({ registryId: newId(), body: place('revoke') })).status).toBe(404)
    const { body } = await world().service.call('POST', '/registries', { policy: [await issuer()] })
    const taken = body.data.id
    expect((await ask({ registryId: taken, body: { action: 'create' } })).status).toBe(409)
    expect((await ask({ registryId: taken, body: place('revoke') })).status).toBe(404)
    expect((await world().service.call('GET', `/delegatable-revocations/${taken}`, undefined, '')).status).toBe(404)
  })
})

describe("a wallet's JWT is refused", () => {
  const refused = { status: 401, body: { type: 'unauthorized' } }
  const now = () => Math.floor(Date.now() / 1000)

  it.each<[name: string, words: string, () => Partial<Asking>]>([
    ['for another audience', 'its aud is not http', () => ({ claims: { aud: 'https://other.example' } })],
    [
      'for this one with a slash',
      'its aud is not http',
      () => ({ claims: { aud: `${world().service.loop.environment.config.apiUrl}/` } }),
    ],
    [
      'for several',
      'its aud is not http',
      () => ({ claims: { aud: [world().service.loop.environment.config.apiUrl] } }),
    ],
    ['without an audience', 'its aud is not http', () => ({ claims: { aud: null } })],
    ['that has expired', 'it has expired', () => ({ claims: { iat: now() - 130, exp: now() - 10 } })],
    ['that is valid later', 'it is not valid yet', () => ({ claims: { iat: now() + 600, exp: now() + 700 } })],
    ['that is valid for longer than two minutes', 'longer than 120 seconds', () => ({ claims: { exp: now() + 3600 } })],
    ['without an end', 'exp', () => ({ claims: { exp: null } })],
    ['for another list', 'its registryId is not', () => ({ claims: { registryId: 'ab'.repeat(32) } })],
    ['for another action', 'its action is not', () => ({ claims: { action: 'unrevoke' } })],
    ['for another credential', 'its credentialId is not', () => ({ claims: { credentialId: 'urn:uuid:other' } })],
    ['for another place', 'its statusListIndex is not', () => ({ claims: { statusListIndex: 8 } })],
    ['that leaves the place out', 'its statusListIndex is not', () => ({ claims: { statusListIndex: null } })],
    ['of another DID than it names', 'its kid is no key of its iss', () => ({ claims: { iss: testKey().did } })],
    ['with the key of another DID', 'its kid is no key of its iss', () => ({ header: { kid: testKey().keyId } })],
    ['with no algorithm', 'JWT with EdDSA', () => ({ header: { alg: 'none' } })],
    ['of another type', 'JWT with EdDSA', () => ({ header: { typ: 'at+jwt' } })],
    ['that is none', '', () => ({ token: 'x.y.z' })],
    ['that is absent', 'there is none', () => ({ token: '' })],
  ])('%s, and told why', async (_, words, different) => {
    const asking = { registryId: await known(), body: place('revoke'), ...different() }
    const message = expect.stringContaining(words)
    expect(await ask(asking)).toMatchObject({ ...refused, body: { ...refused.body, message } })
    expect(await isRevoked(asking.registryId, 7)).toBe(false)
  })

  let shared: Promise<string> | undefined
  const known = (): Promise<string> => {
    shared ??= list()
    return shared
  }

  it('with a signature that is not right', async () => {
    const asking = { registryId: await known(), body: place('revoke') }
    const token = await signed(asking)
    const [header, payload, signature = ''] = token.split('.')
    const forged = Buffer.from(signature, 'base64url')
    forged[5] = (forged[5] ?? 0) ^ 1
    expect(await ask({ ...asking, token: `${header}.${payload}.${forged.toString('base64url')}` })).toMatchObject(
      refused,
    )
  })

  it('when it is sent again, and with what it was refused for it is still good', async () => {
    const registryId = await list()
    await done(await ask({ registryId, body: place('revoke', 'urn:uuid:a', 1) }))
    const body = place('revoke', 'urn:uuid:b', 2)
    const token = await signed({ registryId, body })
    await done(await ask({ registryId, body, token }))
    await done(await ask({ registryId, body: place('unrevoke', 'urn:uuid:b', 2) }))
    const message = expect.stringContaining('was used before: sign another one')
    expect(await ask({ registryId, body, token })).toMatchObject({ ...refused, body: { ...refused.body, message } })
    expect(await isRevoked(registryId, 2)).toBe(false)
  })

  it('but once, when it is sent four times at once', async () => {
    const registryId = await list()
    const body = place('revoke', 'urn:uuid:at-once', 4)
    const token = await signed({ registryId, body })
    const asked = await Promise.all(Array.from({ length: 4 }, () => ask({ registryId, body, token })))
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  })

  it('without the key of a sponsor, and with that of a team', async () => {
    const asking = { registryId: await known(), body: place('revoke') }
    for (const sponsor of ['', 'sk_test_wrong', world().service.team.apiKey])
      expect((await ask({ ...asking, sponsor })).status).toBe(401)
  })
})

describe('a team', () => {
  it('that holds the DID that owns a list revokes by the id of a credential, and another one does not', async () => {
    const { service } = world()
    const { apiKey } = await testTeam(service.scratch.db)
    const owner = await service.did(apiKey)
    const registryId = newId()
    await owned(registryId, owner)
    const statusListCredential = `${service.loop.environment.config.apiUrl}/status-lists/${registryId}`
    const status = {
      id: `${statusListCredential}#9`,
      type: 'StatusList2021Entry',
      statusPurpose: 'revocation',
      statusListIndex: '9',
      statusListCredential,
    }
    const request = { credential: { issuer: owner, subject: degree, status } }
    const { body: credential } = await service.call('POST', '/credentials', request, apiKey)
    expect(isObject(credential.proof), JSON.stringify(credential)).toBe(true)
    const change = (more: JsonObject = {}, key = apiKey) =>
      service.call('POST', '/delegatableRevocation', { action: 'revoke', credentialId: credential.id, ...more }, key)
    // The team that paid for the list does not own it.
    expect((await change({}, service.team.apiKey)).status).toBe(404)
    expect((await change({ credentialId: 'urn:x:y' })).status).toBe(404)
    expect((await change({ registryId: newId() })).status).toBe(404)
    const answer = await done(await change())
    expect(answer.body).toEqual({ registryId, action: 'revoke', credentialId: credential.id, statusListCredential })
    expect(await service.verified(credential)).toBe(false)
    await done(await change({ action: 'unrevoke', registryId }))
    expect(await service.verified(credential)).toBe(true)
  })

  it('names the list of a credential that has a place in several, and revokes in that one alone', async () => {
    const { service } = world()
    const owner = await service.did()
    const lists = [newId(), newId()]
    const credentialId = 'urn:uuid:in-two-lists'
    for (const registryId of lists) await owned(registryId, owner, [place('revoke', credentialId, 3)])
    const change = (more: JsonObject = {}) =>
      service.call('POST', '/delegatableRevocation', { action: 'unrevoke', credentialId, ...more })
    expect(await change()).toMatchObject({
      status: 409,
      body: { type: 'conflict', message: expect.stringContaining('name one as registryId') },
    })
    const [first = '', second = ''] = lists
    await done(await change({ registryId: second }))
    expect([await isRevoked(first, 3), await isRevoked(second, 3)]).toEqual([true, false])
    // A list whose creation failed is none.
    await setStatus(second, 'failed')
    await done(await change())
    expect(await isRevoked(first, 3)).toBe(false)
    await setStatus(first, 'failed')
    expect((await change()).status).toBe(404)
  })
})

/** A list that a DID of the service asked for: its wallet is elsewhere here, so that the owner is written by hand. */
async function owned(registryId: string, owner: string, places: readonly JsonObject[] = []): Promise<void> {
  const by = testKey()
  for (const body of [{ action: 'create' }, ...places]) await done(await ask({ registryId, by, body }))
  await world().service.scratch.db.transaction('system', (tx) =>
    tx.updateTable('delegatable_registries').set({ owner }).where('registry_id', '=', `0x${registryId}`).execute(),
  )
}

async function setStatus(registryId: string, status: 'failed'): Promise<void> {
  await world().service.scratch.db.transaction('system', (tx) =>
    tx.updateTable('revocation_registries').set({ status }).where('id', '=', `0x${registryId}`).execute(),
  )
}
