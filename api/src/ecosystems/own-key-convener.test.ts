/** Registries whose convener keeps its own key, over a real ledger: whose they are, and what waits for its signature. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { didKey, encodeBase58, hexOf } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, TestService } from '../credentials/loop.testing.js'
import { sweepWaitingActions } from '../ledger/waiting-actions.js'
import { type TestTeam, testTeam } from '../platform/testing.js'
import type { JsonObject } from '../suites/json.js'

let service: TestService
beforeAll(async () => {
  service = await TestService.open()
})
afterAll(() => service.close())

interface Convener {
  did: string
  key: KeyObject
}

function newConvener(): Convener {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const did = didKey({ kind: 'Ed25519', publicKey: hexOf(raw) })
  if (did === undefined) throw new TypeError('an Ed25519 key is a did:key')
  return { did, key: privateKey }
}

const call = (team: TestTeam, method: string, url: string, body?: JsonObject) =>
  service.call(method, url, body, team.apiKey)

/** What the convener signs and a team brings, until it is final. */
async function signed(team: TestTeam, { did, key }: Convener, action: string, params: JsonObject): Promise<void> {
  const wish = { action, params, did, keyId: 0 }
  const { body } = await call(team, 'POST', '/ledger/actions/prepare', wish)
  expect(body).toMatchObject({ payload: expect.any(String) })
  const signature = sign(null, Buffer.from(body.payload.slice(2), 'hex'), key).toString('hex')
  const brought = await call(team, 'POST', '/ledger/actions', { ...wish, signature })
  expect(await service.finished(brought.body.id, team.apiKey)).toBe('finalized')
}

const randomId = () => hexOf(randomBytes(32))
const schema = randomId()
const govFramework = 'https://example.org/rules'

interface Founded {
  team: TestTeam
  convener: Convener
  url: string
}

async function founded(): Promise<Founded> {
  const [team, convener, registryId] = [await testTeam(service.scratch.db), newConvener(), randomId()]
  await signed(team, convener, 'TrustRegistry.init_or_update_trust_registry', {
    registryId,
    name: 'Kenya',
    govFramework,
  })
  return { team, convener, url: `/trust-registries/${registryId}` }
}

const waiting = async ({ team, url }: Founded) => (await call(team, 'GET', `${url}/waiting-actions`)).body

/** The convener signs all that waits for it, as the service tells it. */
async function signAll(registry: Founded): Promise<void> {
  const { list } = await waiting(registry)
  for (const { did, action, params } of list.reverse()) {
    expect(did).toBe(registry.convener.did)
    await signed(registry.team, registry.convener, action, params)
  }
}

interface Guest {
  team: TestTeam
  did: string
}

async function newGuest(): Promise<Guest> {
  const team = await testTeam(service.scratch.db)
  const did = await service.did(team.apiKey)
  const profile = { did, name: 'University', description: 'x', logo: 'https://example.org/logo.png' }
  expect((await call(team, 'POST', '/profiles', profile)).status).toBe(200)
  return { team, did }
}

async function invite({ team, url }: Founded): Promise<string> {
  const { body } = await call(team, 'POST', `${url}/participants`, { issuerSchemas: [schema] })
  return String(body.link).split('?token=')[1] ?? ''
}

const accept = ({ team, did }: Guest, token: string): Promise<Answer> =>
  call(team, 'POST', '/trust-registries/invitations/accept', { token, did, infoUrl: '' })

const jobOf = (answer: Answer): string => answer.header('accredit-job') ?? ''
const job = async (team: TestTeam, id: string) => (await call(team, 'GET', `/jobs/${id}`)).body
const WAITS = { status: 'in_progress', result: { waitingFor: 'convener' } }
const participants = async ({ team, url }: Founded) => (await call(team, 'GET', `${url}/participants`)).body

test('a registry is the team’s that brought what its convener signed with its own key, and of whoever brought the last of it', async () => {
  const registry = await founded()
  const { team, convener, url } = registry
  const id = url.split('/')[2]
  const stranger = await testTeam(service.scratch.db)
  expect((await call(team, 'GET', '/trust-registries')).body).toMatchObject([
    { id, convener: convener.did, isOwner: true },
  ])
  expect((await call(team, 'GET', url)).body).toMatchObject({ id, name: 'Kenya', isOwner: true })
  expect((await call(stranger, 'GET', '/trust-registries')).body).toEqual([])
  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['GET', `${url}/participants`, undefined],
    ['GET', `${url}/waiting-actions`, undefined],
    ['POST', `${url}/participants`, {}],
    ['DELETE', url, undefined],
  ] as const)
    expect((await call(stranger, method, path, body)).status).toBe(404)

  await signed(stranger, convener, 'init_or_update_trust_registry', {
    registryId: id ?? '',
    name: 'Uganda',
    govFramework,
  })
  expect((await call(stranger, 'GET', url)).body).toMatchObject({ name: 'Uganda', isOwner: true })
  expect((await call(team, 'GET', url)).status).toBe(404)
  expect((await call(team, 'GET', '/trust-registries')).body).toEqual([])
})

test('who accepts its invitation waits until it has signed, through a restart, and takes part from then on', async () => {
  const registry = await founded()
  const guest = await newGuest()
  const token = await invite(registry)
  const accepted = await accept(guest, token)
  expect(accepted).toMatchObject({ status: 200, body: { did: guest.did, role: 'issuer', waitingFor: 'convener' } })
  expect(accepted.header('accredit-pending')).toBe('true')
  const id = jobOf(accepted)
  expect(await job(guest.team, id)).toEqual({ id, ...WAITS })
  expect(await participants(registry)).toEqual({ total: 0, list: [] })
  expect((await call(guest.team, 'GET', registry.url)).status).toBe(404)
  const again = await accept(guest, token)
  expect(again.body).toMatchObject({
    type: 'invite_token_used',
    message: expect.stringMatching(/waits for the signature/),
  })
  const { total, list } = await waiting(registry)
  expect([total, list[0].job, list[0].action]).toEqual([1, id, 'TrustRegistry.set_schemas_metadata'])
  expect(JSON.stringify(list[0].params)).toContain(guest.did)

  await service.restartWorker()
  await service.loop.killSigner()
  expect(await job(guest.team, id)).toEqual({ id, ...WAITS })
  await signAll(registry)
  expect(await service.finished(id, guest.team.apiKey)).toBe('finalized')
  expect((await job(guest.team, id)).result).toMatchObject({ result: { InBlock: expect.stringMatching(/^0x/) } })
  const { body: participant } = await call(guest.team, 'GET', `${registry.url}/participants/${accepted.body.id}`)
  expect(participant).toMatchObject({ did: guest.did, issuerSchemas: [schema], accepted: true })
  expect(participant).not.toHaveProperty('waitingFor')
  expect(await waiting(registry)).toEqual({ total: 0, list: [] })
})

test('what it signed once does not count for what is asked for later', async () => {
  const registry = await founded()
  const guest = await newGuest()
  const accepted = await accept(guest, await invite(registry))
  await signAll(registry)
  expect(await service.finished(jobOf(accepted), guest.team.apiKey)).toBe('finalized')
  // It leaves with its own key, which is here.
  const left = await call(guest.team, 'DELETE', `${registry.url}/participants/${accepted.body.id}`)
  expect([left.status, left.header('accredit-pending')]).toEqual([200, undefined])

  const back = jobOf(await accept(guest, await invite(registry)))
  await signed(registry.team, registry.convener, 'init_or_update_trust_registry', {
    ...{ registryId: registry.url.split('/')[2] ?? '', name: 'Kenya', govFramework: 'https://example.org/2' },
  })
  expect(await job(guest.team, back)).toEqual({ id: back, ...WAITS })
  await signAll(registry)
  expect(await service.finished(back, guest.team.apiKey)).toBe('finalized')
})

/** What a wallet has of a convener's key. */
function walletOf({ did, key }: Convener): JsonObject {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  const [secret, publicKey] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]
  return {
    ...{ id: `${did}#key`, type: 'Ed25519VerificationKey2018', controller: did },
    publicKeyBase58: encodeBase58(publicKey),
    privateKeyBase58: encodeBase58(Buffer.concat([secret, publicKey])),
  }
}

test('an invitation ends when its registry is another team’s: that brought what the convener signed, or imported its key', async () => {
  const registry = await founded()
  const { convener, url } = registry
  const guest = await newGuest()
  const refused = {
    status: 400,
    body: { type: 'invite_token_expired', message: expect.stringMatching(/changed hands/) },
  }
  const first = await invite(registry)
  const second = await testTeam(service.scratch.db)
  await signed(second, convener, 'init_or_update_trust_registry', {
    ...{ registryId: url.split('/')[2] ?? '', name: 'Uganda', govFramework },
  })
  expect(await accept(guest, first)).toMatchObject(refused)

  const minted = await invite({ ...registry, team: second })
  const third = await testTeam(service.scratch.db)
  const imported = await call(third, 'POST', '/dids/import', { data: walletOf(convener) })
  expect(imported).toMatchObject({ status: 200, body: { data: { did: convener.did } } })
  for (const token of [first, minted]) expect(await accept(guest, token)).toMatchObject(refused)
  expect((await call(third, 'GET', `${url}/participants`)).body).toEqual({ total: 0, list: [] })

  const accepted = await accept(guest, await invite({ ...registry, team: third }))
  expect(await service.finished(jobOf(accepted), guest.team.apiKey)).toBe('finalized')
})

test('what guests accepted comes about however it signs it: both in one call of its own', async () => {
  const registry = await founded()
  const guests = [await newGuest(), await newGuest()]
  const jobs: string[] = []
  for (const guest of guests) jobs.push(jobOf(await accept(guest, await invite(registry))))
  const issuers = Object.fromEntries(guests.map(({ did }) => [did, { EUR: '5' }]))
  await signed(registry.team, registry.convener, 'TrustRegistry.set_schemas_metadata', {
    registryId: registry.url.split('/')[2] ?? '',
    update: { Modify: { [schema]: { Add: { issuers } } } },
  })
  for (const [index, id] of jobs.entries())
    expect(await service.finished(id, guests[index]?.team.apiKey)).toBe('finalized')
  expect(await participants(registry)).toMatchObject({ total: 2 })
  expect(await waiting(registry)).toEqual({ total: 0, list: [] })
})

const DAY_MS = 86_400_000
const sweepIn = (days: number) =>
  sweepWaitingActions({
    ...service.loop.environment,
    clock: { now: () => new Date(Date.now() + days * DAY_MS) },
  })

test('what it does not sign within a week fails, and the invitation is free again', async () => {
  const registry = await founded()
  const guest = await newGuest()
  const token = await invite(registry)
  const id = jobOf(await accept(guest, token))
  await sweepIn(6.9)
  expect(await waiting(registry)).toMatchObject({ total: 1 })
  await sweepIn(7.1)
  expect(await service.finished(id, guest.team.apiKey)).toBe('error')
  expect((await job(guest.team, id)).result).toMatchObject({ type: 'not_signed_in_time' })
  expect(await waiting(registry)).toEqual({ total: 0, list: [] })
  expect(await participants(registry)).toEqual({ total: 0, list: [] })
  expect((await accept(guest, token)).body).toMatchObject({ waitingFor: 'convener' })
})

test('what waits for a convener fails when the registry gets another one', async () => {
  const registry = await founded()
  const guest = await newGuest()
  const id = jobOf(await accept(guest, await invite(registry)))
  const other = newConvener()
  const registryId = registry.url.split('/')[2] ?? ''
  await signed(registry.team, registry.convener, 'transfer_trust_registry', { registryId, newConvener: other.did })
  expect(await job(guest.team, id)).toEqual({ id, ...WAITS })
  await signed(guest.team, other, 'accept_trust_registry', { registryId })
  expect(await service.finished(id, guest.team.apiKey)).toBe('error')
  expect((await job(guest.team, id)).result).toMatchObject({ type: 'convener_changed' })
  expect((await call(guest.team, 'GET', registry.url)).body).toMatchObject({ isOwner: true })
})

test('every change that its team asks for waits for its signature, and comes about with it', async () => {
  const registry = await founded()
  const { team, url } = registry
  const guest = await newGuest()
  const { body: guestsView } = await accept(guest, await invite(registry))
  await signAll(registry)
  const asked = async (method: string, path: string, body?: JsonObject): Promise<Answer> => {
    const answer = await call(team, method, path, body)
    expect([path, answer.status, answer.header('accredit-pending')]).toEqual([path, 200, 'true'])
    expect(await job(team, jobOf(answer))).toMatchObject(WAITS)
    await signAll(registry)
    expect(await service.finished(jobOf(answer), team.apiKey)).toBe('finalized')
    return answer
  }
  const dry = await call(team, 'DELETE', `${url}?dryRun=true`)
  expect(dry.body).toMatchObject({ status: 400, message: expect.stringMatching(/keeps its own key/) })

  await asked('PATCH', url, {
    ...{ name: 'Tanzania', description: 'Who may award degrees', logoUrl: 'https://example.org/logo.png' },
    ...{ ecosystemUrl: 'https://example.org', governanceFramework: '# Rules', governanceFrameworkVersion: '1' },
  })
  const shown = { name: 'Tanzania', slug: 'tanzania', governanceFramework: '# Rules' }
  expect((await call(team, 'GET', url)).body).toMatchObject(shown)
  const participant = `${url}/participants/${guestsView.id}`
  const suspended = await asked('PATCH', participant, { status: 'suspended', verifierSchemas: [schema] })
  expect(suspended.body).toMatchObject({ waitingFor: 'convener' })
  expect((await call(team, 'GET', participant)).body).toMatchObject({ status: 'suspended', role: 'verifier+issuer' })
  await asked('DELETE', participant)
  expect((await call(team, 'GET', participant)).status).toBe(404)
  await asked('PUT', `${url}/schemas/${schema}`, { public: true })
  await asked('PUT', `${url}/schemas/${schema}`, { public: false })
  expect((await call(team, 'GET', `${url}/verifiers?schemaId=${schema}`)).body).toEqual([])
  await asked('DELETE', `${url}/schemas/${schema}`)
  await asked('DELETE', url)
  expect((await call(team, 'GET', url)).status).toBe(404)
})
