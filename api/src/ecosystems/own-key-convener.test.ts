/** Registries whose convener keeps its own key, over a real ledger: whose they are, and what waits for its signature. */
import { randomBytes } from 'node:crypto'
import { hexOf } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../app.js'
import { capabilities } from '../capabilities.js'
import { TestService } from '../credentials/loop.testing.js'
import { sweepWaitingActions } from '../ledger/waiting-actions.js'
import type { JsonObject } from '../suites/json.js'
import { type Guest, jobOf, newConvener, OwnKeys, WAITS, walletOf } from './own-key.testing.js'

let service: TestService
let keys: OwnKeys
beforeAll(async () => {
  service = await TestService.open()
  keys = new OwnKeys(service)
})
afterAll(() => service.close())

const schema = hexOf(randomBytes(32))
const govFramework = 'https://example.org/rules'

test('a registry is the team’s that brought what its convener signed with its own key, and of whoever brought the last of it', async () => {
  const registry = await keys.founded()
  const { team, convener, url } = registry
  const id = url.split('/')[2]
  const stranger = await keys.team()
  expect((await keys.call(team, 'GET', '/trust-registries')).body).toMatchObject([
    { id, convener: convener.did, isOwner: true },
  ])
  expect((await keys.call(team, 'GET', url)).body).toMatchObject({ id, name: 'Kenya', isOwner: true })
  expect((await keys.call(stranger, 'GET', '/trust-registries')).body).toEqual([])
  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['GET', `${url}/participants`, undefined],
    ['GET', `${url}/waiting-actions`, undefined],
    ['POST', `${url}/participants`, {}],
    ['DELETE', url, undefined],
  ] as const)
    expect((await keys.call(stranger, method, path, body)).status).toBe(404)

  await keys.signed(stranger, convener, 'init_or_update_trust_registry', {
    registryId: id ?? '',
    name: 'Uganda',
    govFramework,
  })
  expect((await keys.call(stranger, 'GET', url)).body).toMatchObject({ name: 'Uganda', isOwner: true })
  expect((await keys.call(team, 'GET', url)).status).toBe(404)
  expect((await keys.call(team, 'GET', '/trust-registries')).body).toEqual([])
})

test('who accepts its invitation waits until it has signed, through a restart, and takes part from then on', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const token = await keys.invite(registry, schema)
  const accepted = await keys.accept(guest, token)
  expect(accepted).toMatchObject({ status: 200, body: { did: guest.did, role: 'issuer', waitingFor: 'convener' } })
  expect(accepted.header('accredit-pending')).toBe('true')
  const id = jobOf(accepted)
  expect(await keys.job(guest.team, id)).toEqual({ id, ...WAITS })
  expect(await keys.participants(registry)).toEqual({ total: 0, list: [] })
  expect((await keys.call(guest.team, 'GET', registry.url)).status).toBe(404)
  const again = await keys.accept(guest, token)
  expect(again.body).toMatchObject({
    type: 'invite_token_used',
    message: expect.stringMatching(/waits for the signature/),
  })
  const { total, list } = await keys.waiting(registry)
  expect([total, list[0].job, list[0].actions]).toMatchObject([
    1,
    id,
    [{ action: 'TrustRegistry.set_schemas_metadata' }],
  ])
  expect(JSON.stringify(list[0].actions)).toContain(guest.did)

  await service.restartWorker()
  await service.loop.killSigner()
  expect(await keys.job(guest.team, id)).toEqual({ id, ...WAITS })
  await keys.signAll(registry)
  expect(await service.finished(id, guest.team.apiKey)).toBe('finalized')
  expect((await keys.job(guest.team, id)).result).toMatchObject({ result: { InBlock: expect.stringMatching(/^0x/) } })
  const { body: participant } = await keys.call(guest.team, 'GET', `${registry.url}/participants/${accepted.body.id}`)
  expect(participant).toMatchObject({ did: guest.did, issuerSchemas: [schema], accepted: true })
  expect(participant).not.toHaveProperty('waitingFor')
  expect(await keys.waiting(registry)).toEqual({ total: 0, list: [] })
})

test('what is one action for a convener is one signature: who was suspended before it had a right never has it unsuspended', async () => {
  const registry = await keys.founded()
  const { url, team, convener } = registry
  const guest = await keys.guest()
  const { body: member } = await keys.accept(guest, await keys.invite(registry, schema))
  await keys.signAll(registry)
  const participant = `${url}/participants/${member.id}`
  for (const body of [{ issuerSchemas: [], verifierSchemas: [] }, { status: 'suspended' }]) {
    expect((await keys.call(team, 'PATCH', participant, body)).status).toBe(200)
    await keys.signAll(registry)
  }
  const granted = jobOf(await keys.call(team, 'PATCH', participant, { issuerSchemas: [schema] }))
  const opened = jobOf(await keys.call(team, 'PUT', `${url}/schemas/${hexOf(randomBytes(32))}`, { public: true }))
  const { list } = await keys.waiting(registry)
  expect(
    list.map(({ job, actions }: { job: string; actions: { action: string }[] }) => [
      job,
      actions.map(({ action }) => action),
    ]),
  ).toEqual([
    [opened, ['TrustRegistry.set_schemas_metadata']],
    [granted, ['TrustRegistry.set_schemas_metadata', 'TrustRegistry.suspend_issuers']],
  ])
  // Half of it, in a dispatch of its own, is not what was asked for.
  await keys.signedTogether(team, convener, list[1].actions.slice(0, 1))
  expect(await keys.job(team, granted)).toMatchObject(WAITS)
  await keys.signAll(registry)
  expect(await service.finished(granted, team.apiKey)).toBe('finalized')
  expect((await keys.call(team, 'GET', participant)).body).toMatchObject({ status: 'suspended', role: 'issuer' })
})

test('what it signed once does not count for what is asked for later', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const accepted = await keys.accept(guest, await keys.invite(registry, schema))
  await keys.signAll(registry)
  expect(await service.finished(jobOf(accepted), guest.team.apiKey)).toBe('finalized')
  // It leaves with its own key, which is here.
  const left = await keys.call(guest.team, 'DELETE', `${registry.url}/participants/${accepted.body.id}`)
  expect([left.status, left.header('accredit-pending')]).toEqual([200, undefined])

  const back = jobOf(await keys.accept(guest, await keys.invite(registry, schema)))
  await keys.signed(registry.team, registry.convener, 'init_or_update_trust_registry', {
    ...{ registryId: registry.url.split('/')[2] ?? '', name: 'Kenya', govFramework: 'https://example.org/2' },
  })
  expect(await keys.job(guest.team, back)).toEqual({ id: back, ...WAITS })
  await keys.signAll(registry)
  expect(await service.finished(back, guest.team.apiKey)).toBe('finalized')
})

test('an invitation ends when its registry is another team’s: that brought what the convener signed, or imported its key', async () => {
  const registry = await keys.founded()
  const { convener, url } = registry
  const guest = await keys.guest()
  const refused = {
    status: 400,
    body: { type: 'invite_token_expired', message: expect.stringMatching(/changed hands/) },
  }
  const first = await keys.invite(registry, schema)
  const second = await keys.team()
  await keys.signed(second, convener, 'init_or_update_trust_registry', {
    ...{ registryId: url.split('/')[2] ?? '', name: 'Uganda', govFramework },
  })
  expect(await keys.accept(guest, first)).toMatchObject(refused)

  const minted = await keys.invite({ ...registry, team: second }, schema)
  const third = await keys.team()
  const imported = await keys.call(third, 'POST', '/dids/import', { data: walletOf(convener) })
  expect(imported).toMatchObject({ status: 200, body: { data: { did: convener.did } } })
  for (const token of [first, minted]) expect(await keys.accept(guest, token)).toMatchObject(refused)
  expect((await keys.call(third, 'GET', `${url}/participants`)).body).toEqual({ total: 0, list: [] })

  const accepted = await keys.accept(guest, await keys.invite({ ...registry, team: third }, schema))
  expect(await service.finished(jobOf(accepted), guest.team.apiKey)).toBe('finalized')
})

test('what guests accepted comes about however it signs it: both in one call of its own', async () => {
  const registry = await keys.founded()
  const guests = [await keys.guest(), await keys.guest()]
  const jobs: string[] = []
  for (const guest of guests) jobs.push(jobOf(await keys.accept(guest, await keys.invite(registry, schema))))
  const issuers = Object.fromEntries(guests.map(({ did }) => [did, { EUR: '5' }]))
  await keys.signed(registry.team, registry.convener, 'TrustRegistry.set_schemas_metadata', {
    registryId: registry.url.split('/')[2] ?? '',
    update: { Modify: { [schema]: { Add: { issuers } } } },
  })
  for (const [index, id] of jobs.entries())
    expect(await service.finished(id, guests[index]?.team.apiKey)).toBe('finalized')
  expect(await keys.participants(registry)).toMatchObject({ total: 2 })
  expect(await keys.waiting(registry)).toEqual({ total: 0, list: [] })
})

const DAY_MS = 86_400_000
const sweepIn = (days: number) =>
  sweepWaitingActions({
    ...service.loop.environment,
    clock: { now: () => new Date(Date.now() + days * DAY_MS) },
  })

test('what it does not sign within a week fails, and the invitation is free again', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const token = await keys.invite(registry, schema)
  const id = jobOf(await keys.accept(guest, token))
  await sweepIn(6.9)
  expect(await keys.waiting(registry)).toMatchObject({ total: 1 })
  await sweepIn(7.1)
  expect(await service.finished(id, guest.team.apiKey)).toBe('error')
  expect((await keys.job(guest.team, id)).result).toMatchObject({ type: 'not_signed_in_time' })
  expect(await keys.waiting(registry)).toEqual({ total: 0, list: [] })
  expect(await keys.participants(registry)).toEqual({ total: 0, list: [] })
  expect((await keys.accept(guest, token)).body).toMatchObject({ waitingFor: 'convener' })
})

test('what waits for a convener fails when the registry gets another one', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const id = jobOf(await keys.accept(guest, await keys.invite(registry, schema)))
  const other = newConvener()
  const registryId = registry.url.split('/')[2] ?? ''
  await keys.signed(registry.team, registry.convener, 'transfer_trust_registry', { registryId, newConvener: other.did })
  expect(await keys.job(guest.team, id)).toEqual({ id, ...WAITS })
  await keys.signed(guest.team, other, 'accept_trust_registry', { registryId })
  expect(await service.finished(id, guest.team.apiKey)).toBe('error')
  expect((await keys.job(guest.team, id)).result).toMatchObject({ type: 'convener_changed' })
  expect((await keys.call(guest.team, 'GET', registry.url)).body).toMatchObject({ isOwner: true })
})

test('every change that its team asks for waits for its signature, and comes about however it signs it', async () => {
  const registry = await keys.founded()
  const { team, url, id: registryId, convener } = registry
  const guest = await keys.guest()
  const { body: guestsView } = await keys.accept(guest, await keys.invite(registry, schema))
  await keys.signAll(registry)
  /** Other calls than the one that waits, where the convener has such; they do more, too. */
  const asked = async (method: string, path: string, body: JsonObject | undefined, update?: JsonObject) => {
    const answer = await keys.call(team, method, path, body)
    expect([path, answer.status, answer.header('accredit-pending')]).toEqual([path, 200, 'true'])
    expect(await keys.job(team, jobOf(answer))).toMatchObject(WAITS)
    if (update === undefined) await keys.signAll(registry)
    else await keys.signed(team, convener, 'set_schemas_metadata', { registryId, update: { Modify: update } })
    expect(await service.finished(jobOf(answer), team.apiKey)).toBe('finalized')
    return answer
  }
  const dry = await keys.call(team, 'DELETE', `${url}?dryRun=true`)
  expect(dry.body).toMatchObject({ status: 400, message: expect.stringMatching(/keeps its own key/) })

  await asked('PATCH', url, {
    ...{ name: 'Tanzania', description: 'Who may award degrees', logoUrl: 'https://example.org/logo.png' },
    ...{ ecosystemUrl: 'https://example.org', governanceFramework: '# Rules', governanceFrameworkVersion: '1' },
  })
  const shown = { name: 'Tanzania', slug: 'tanzania', governanceFramework: '# Rules' }
  expect((await keys.call(team, 'GET', url)).body).toMatchObject(shown)
  const participant = `${url}/participants/${guestsView.id}`
  const suspended = await asked('PATCH', participant, { status: 'suspended', verifierSchemas: [schema] })
  expect(suspended.body).toMatchObject({ waitingFor: 'convener' })
  expect((await keys.call(team, 'GET', participant)).body).toMatchObject({
    status: 'suspended',
    role: 'verifier+issuer',
  })
  const [other, { did }] = [hexOf(randomBytes(32)), guest]
  const both = {
    [schema]: { Modify: { issuers: { Modify: { [did]: 'Remove' } }, verifiers: { Modify: { [did]: 'Remove' } } } },
  }
  await asked('DELETE', participant, undefined, { ...both, [other]: { Ensure: {} } })
  expect((await keys.call(team, 'GET', participant)).status).toBe(404)
  await asked('PUT', `${url}/schemas/${schema}`, { public: true })
  const closing = { verifiers: { Modify: { [convener.did]: 'Discard', [did]: 'Add' } } }
  await asked('PUT', `${url}/schemas/${schema}`, { public: false }, { [schema]: { Modify: closing } })
  expect((await keys.call(team, 'GET', `${url}/verifiers?schemaId=${schema}`)).body).toEqual([did])
  await asked('DELETE', `${url}/schemas/${schema}`, undefined, { [schema]: 'Remove', [other]: 'Remove' })
  expect(await keys.waiting(registry)).toEqual({ total: 0, list: [] })
  await asked('DELETE', url, undefined)
  expect((await keys.call(team, 'GET', url)).status).toBe(404)
})

const TEXTS = {
  ...{ description: 'Who may award degrees', logoUrl: 'https://example.org/logo.png' },
  ...{ ecosystemUrl: 'https://example.org', governanceFramework: '# Rules', governanceFrameworkVersion: '1' },
}

test('a team that proved control of a DID names it and founds registries that it convenes; another team may not', async () => {
  const { team, convener } = await keys.founded()
  const stranger = await keys.team()
  const wish = { convener: convener.did, name: 'Degrees of Kenya', ...TEXTS }
  const notTheirs = { status: 404, body: { message: expect.stringMatching(/ledger\/actions\/prepare/) } }
  expect(await keys.profile(stranger, convener.did, 'Stranger')).toMatchObject(notTheirs)
  expect(await keys.call(stranger, 'POST', '/trust-registries', wish)).toMatchObject(notTheirs)
  expect((await keys.call(team, 'POST', '/trust-registries', wish)).body.message).toMatch(/needs a profile/)
  expect((await keys.profile(team, convener.did, 'Council')).status).toBe(200)

  const answer = await keys.call(team, 'POST', '/trust-registries', wish)
  expect(answer).toMatchObject({
    status: 200,
    body: { convener: convener.did, convenerName: 'Council', isOwner: true },
  })
  expect(answer.header('accredit-pending')).toBe('true')
  const { id, slug } = answer.body
  const url = `/trust-registries/${id}`
  expect(await keys.job(team, jobOf(answer))).toMatchObject(WAITS)
  expect((await keys.call(team, 'GET', url)).body).toMatchObject({ id, name: wish.name })
  expect((await keys.call(team, 'POST', `${url}/participants`, {})).status).toBe(409)
  for (const path of [url, `${url}/public`, `${url}/waiting-actions`])
    expect((await keys.call(stranger, 'GET', path)).status).toBe(404)
  await keys.signAll({ team, convener, id, url: `/trust-registries/${slug}` })
  expect(await service.finished(jobOf(answer), team.apiKey)).toBe('finalized')
  const shown = { id, slug, ...TEXTS, convenerName: 'Council' }
  expect((await keys.call(stranger, 'GET', `${url}/public`)).body).toMatchObject(shown)

  // Who proves control of it later has its registries and gives it its name.
  await keys.signed(stranger, convener, 'init_or_update_trust_registry', {
    registryId: hexOf(randomBytes(32)),
    name: 'x',
    govFramework,
  })
  const renamed = { name: 'Thieves' }
  expect((await keys.call(team, 'PATCH', `/profiles/${convener.did}`, renamed)).status).toBe(404)
  expect((await keys.profile(team, convener.did, 'Thieves')).status).toBe(404)
  expect((await keys.profile(stranger, convener.did, 'Senate')).status).toBe(200)
  expect((await keys.call(stranger, 'GET', url)).body).toMatchObject({ ...shown, convenerName: 'Senate' })
})

test('a registry that nobody signs in time fails, its name is free again; a team has as many of them as may wait', async () => {
  const { team, convener } = await keys.founded()
  expect((await keys.profile(team, convener.did, 'Council')).status).toBe(200)
  const { environment } = service.loop
  const { config } = environment
  const preparedActions = { ...config.preparedActions, open: 2 }
  const app = await buildApp({ ...environment, config: { ...config, preparedActions } }, capabilities)
  const found = async () => {
    const payload = { convener: convener.did, name: 'Unsigned', ...TEXTS }
    const headers = { 'svc-api-token': team.apiKey }
    return app.inject({ method: 'POST', url: '/trust-registries', headers, payload })
  }
  const [first, second, third] = [await found(), await found(), await found()]
  expect([first.statusCode, second.statusCode, third.statusCode]).toEqual([200, 200, 402])
  await sweepIn(7.1)
  expect(await service.finished(String(first.headers['accredit-job']), team.apiKey)).toBe('error')
  expect((await keys.call(team, 'GET', `/trust-registries/${first.json().id}`)).status).toBe(404)
  const again = await found()
  expect([again.statusCode, again.json().slug]).toEqual([200, first.json().slug])
  await app.close()
})

/** What a DID does whose key is here, until it is final. */
async function acts({ team, did }: Guest, action: string, params: JsonObject): Promise<void> {
  const { body } = await keys.call(team, 'POST', '/ledger/actions', { did, action, params })
  expect(await service.finished(body.id, team.apiKey)).toBe('finalized')
}

const amended = (team: Guest['team'], url: string, body: JsonObject) =>
  service.call('PATCH', url, body, team.apiKey, { 'content-type': 'application/merge-patch+json' })

test('a registry goes to another team with all that stands in it, and nothing of it stays with the one before', async () => {
  const [old, next, member] = [await keys.guest(), await keys.guest(), await keys.guest()]
  const wish = { convener: old.did, name: 'Degrees of Rwanda', ...TEXTS }
  const { body: created } = await keys.call(old.team, 'POST', '/trust-registries', wish)
  const [registryId, url] = [created.id, `/trust-registries/${created.id}`]
  const registry = { ...old, convener: newConvener(), id: registryId, url }
  const accepted = await keys.accept(member, await keys.invite(registry, schema))
  expect(await service.finished(jobOf(accepted), member.team.apiKey)).toBe('finalized')
  const spare = await keys.invite(registry, schema)

  await acts(old, 'transfer_trust_registry', { registryId, newConvener: next.did })
  expect(await amended(old.team, url, { description: 'Until the last moment' })).toMatchObject({ status: 200 })
  expect((await keys.call(next.team, 'GET', url)).status).toBe(404)
  const before = (await keys.call(old.team, 'GET', url)).header('accredit-block')
  await acts(next, 'accept_trust_registry', { registryId })

  for (const [method, path, body] of [
    ['GET', url, undefined],
    ['PATCH', url, { ...wish, description: 'Mine' }],
    ['POST', `${url}/participants`, {}],
    ['DELETE', `${url}/participants/${accepted.body.id}`, undefined],
    ['PUT', `${url}/schemas/${schema}`, { public: true }],
    ['DELETE', url, undefined],
  ] as const)
    expect([path, (await keys.call(old.team, method, path, body)).status]).toEqual([path, 404])
  expect((await keys.call(old.team, 'GET', '/trust-registries')).body).toEqual([])
  const ended = { status: 400, body: { type: 'invite_token_expired', message: expect.stringMatching(/changed hands/) } }
  expect(await keys.accept(await keys.guest(), spare)).toMatchObject(ended)

  const texts = { ...TEXTS, name: wish.name, slug: created.slug, description: 'Until the last moment' }
  expect((await keys.call(next.team, 'GET', url)).body).toMatchObject({ ...texts, convener: next.did, isOwner: true })
  expect((await keys.call(next.team, 'GET', `${url}/participants`)).body).toMatchObject({ total: 1 })
  expect((await keys.call(member.team, 'GET', url)).body).toMatchObject({ ...texts, isOwner: false })
  const changed = await amended(next.team, url, { name: 'Degrees of Burundi' })
  expect(changed.body).toMatchObject({ ...texts, name: 'Degrees of Burundi', slug: 'degrees-of-burundi' })
  expect(await service.finished(jobOf(changed), next.team.apiKey)).toBe('finalized')
  const now = { ...texts, name: 'Degrees of Burundi', slug: 'degrees-of-burundi', convener: next.did }
  expect((await keys.call(old.team, 'GET', `${url}/public`)).body).toMatchObject(now)
  expect((await keys.call(old.team, 'GET', `${url}/public?at=${before}`)).body).toMatchObject({
    ...texts,
    convener: old.did,
  })
})

test('a registry goes from a convener that keeps its own key to one whose key is here, and back', async () => {
  const registry = await keys.founded()
  const { team, convener, id: registryId, url } = registry
  const next = await keys.guest()
  await keys.signed(team, convener, 'transfer_trust_registry', { registryId, newConvener: next.did })
  await acts(next, 'accept_trust_registry', { registryId })
  expect((await keys.call(team, 'GET', url)).status).toBe(404)
  const changed = await keys.call(next.team, 'PATCH', url, { name: 'Burundi', ...TEXTS })
  expect(changed.header('accredit-pending')).toBeUndefined()

  await acts(next, 'transfer_trust_registry', { registryId, newConvener: convener.did })
  await keys.signed(team, convener, 'accept_trust_registry', { registryId })
  expect((await keys.call(next.team, 'GET', url)).status).toBe(404)
  expect((await keys.call(team, 'GET', url)).body).toMatchObject({ name: 'Burundi', ...TEXTS, isOwner: true })
  const waits = await amended(team, url, { name: 'Kenya again' })
  expect(await keys.job(team, jobOf(waits))).toMatchObject(WAITS)
  await keys.signAll(registry)
  expect(await service.finished(jobOf(waits), team.apiKey)).toBe('finalized')
  expect((await keys.call(team, 'GET', url)).body).toMatchObject({ ...TEXTS, name: 'Kenya again' })
})
