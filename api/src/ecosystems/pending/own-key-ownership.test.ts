/** The team that owns a registry whose convener keeps its own key. */
import { randomBytes } from 'node:crypto'
import { hexOf } from '@accredit/chain'
import { afterAll, expect, test } from 'vitest'
import { TestService } from '../../credentials/loop.testing.js'
import type { JsonObject } from '../../formats/json.js'
import { TEXTS } from '../testing.js'
import { type Guest, govFramework, jobOf, newConvener, OwnKeys, schema, WAITS, walletOf } from './own-key.testing.js'

const service = await TestService.open()
afterAll(() => service.close())
const keys = new OwnKeys(service)

test('a registry belongs to the team that last brought a signature of its convener', async () => {
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

test('an invitation ends when its registry goes to another team, by a signature or an imported key', async () => {
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
    registryId: url.split('/')[2] ?? '',
    name: 'Uganda',
    govFramework,
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

test('only a team that proved control of a DID names it and founds registries for it', async () => {
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

  // A team that proves control of the DID later has its registries and gives it its name.
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

/** Submits an action of a DID whose key is here, and waits until it is final. */
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
  const ended = {
    status: 400,
    body: { type: 'invite_token_expired', message: expect.stringMatching(/changed hands/) },
  }
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

test('a registry moves between a convener with its own key and one whose key is here', async () => {
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
