/** Changes that the team of a convener with its own key asks for: they take effect when the convener has signed. */
import { randomBytes } from 'node:crypto'
import { hexOf } from '@accredit/chain'
import { afterAll, expect, test } from 'vitest'
import { buildApp } from '../../app.js'
import { TestService } from '../../credentials/loop.testing.js'
import type { JsonObject } from '../../formats/json.js'
import { allServed } from '../../platform/testing/all-served.js'
import { TEXTS } from '../testing.js'
import { jobOf, newConvener, OwnKeys, schema, WAITS } from './own-key.testing.js'

const service = await TestService.open()
afterAll(() => service.close())
const keys = new OwnKeys(service)

test('every change that a convener’s team asks for waits for its signature, and comes about however it signs', async () => {
  const registry = await keys.founded()
  const { team, url, id: registryId, convener } = registry
  const guest = await keys.guest()
  const { body: guestsView } = await keys.accept(guest, await keys.invite(registry, schema))
  await keys.signAll(registry)
  /** Other calls than those of the pending action, where the convener has such; they do more, too. */
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
    name: 'Tanzania',
    description: 'Who may award degrees',
    logoUrl: 'https://example.org/logo.png',
    ecosystemUrl: 'https://example.org',
    governanceFramework: '# Rules',
    governanceFrameworkVersion: '1',
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

test('opening and closing a schema is signed as the registry is by then, and what changes after it was handed out is not lost', async () => {
  const registry = await keys.founded()
  const { team, convener, url, id: registryId } = registry
  const [there, absent] = [hexOf(randomBytes(32)), hexOf(randomBytes(32))]
  const [issuer, verifier] = [newConvener().did, newConvener().did]
  const changed = (update: JsonObject) =>
    keys.signed(team, convener, 'set_schemas_metadata', { registryId, update: { Modify: update } })
  const asked = async (isOpen: boolean) => {
    const jobs = []
    for (const id of [there, absent])
      jobs.push(jobOf(await keys.call(team, 'PUT', `${url}/schemas/${id}`, { public: isOpen })))
    return jobs
  }
  const openness = async () => {
    const { body } = await keys.call(team, 'GET', `${url}/schemas`)
    return Object.fromEntries(body.list.map((row: { id: string; public: boolean }) => [row.id, row.public]))
  }
  await changed({ [there]: { Ensure: {} } })
  const opened = await asked(true)
  // Neither is any more as it was at the request.
  await changed({ [absent]: { Ensure: { issuers: { Modify: { [issuer]: 'Ensure' } } } } })
  const { list } = await keys.waiting(registry)
  await changed({ [there]: { Ensure: { verifiers: { Modify: { [verifier]: 'Ensure' } } } } })
  for (const { did, actions } of list) {
    const { body } = await keys.call(team, 'POST', '/ledger/actions/prepare', { did, actions, keyId: 0 })
    expect(body).toMatchObject({ status: 400, refusal: 'TrustRegistry.VersionMismatch' })
  }
  await keys.signAll(registry)
  for (const job of opened) expect(await service.finished(job, team.apiKey)).toBe('finalized')
  expect(await openness()).toEqual({ [there]: true, [absent]: true })

  const closed = await asked(false)
  await changed({ [there]: 'Remove' })
  await keys.signAll(registry)
  for (const job of closed) expect(await service.finished(job, team.apiKey)).toBe('finalized')
  expect(await openness()).toEqual({ [there]: false, [absent]: false })
  expect(await keys.participants(registry)).toMatchObject({ list: [{ did: issuer, issuerSchemas: [absent] }] })
  expect((await keys.call(team, 'GET', `${url}/verifiers?schemaId=${absent}`)).body).toEqual([])
})

test('many participants wait part by part, and each is there, with its name, when its part is signed', async () => {
  const registry = await keys.founded()
  const { team, url } = registry
  const rows = ['Oxford', 'Łódź'].map((name) => ({
    did: newConvener().did,
    name,
    issuerSchemas: Array.from({ length: 100 }, (_, i) => `https://schema.example/${name}/${i}`),
    verifierSchemas: Array.from({ length: 40 }, (_, i) => `https://schema.example/${name}/of/${i}`),
  }))
  const listed = await keys.call(team, 'POST', `${url}/participants/bulk`, rows)
  expect(listed.status).toBe(200)
  const counts = { done: 0, total: 2 }
  expect(await keys.job(team, listed.body.id)).toMatchObject({ ...WAITS, result: { ...WAITS.result, ...counts } })
  expect((await keys.call(team, 'POST', `${url}/participants/bulk`, rows)).status).toBe(409)
  const names = async () => (await keys.participants(registry)).list.map(({ name }: JsonObject) => name)
  expect((await keys.waiting(registry)).total).toBe(2)
  await keys.signOldest(registry)
  const progress = () => keys.job(team, listed.body.id)
  await expect.poll(progress).toMatchObject({ ...WAITS, result: { ...counts, done: 1 } })
  expect(await names()).toEqual(['Oxford'])
  await keys.signOldest(registry)
  expect(await service.finished(listed.body.id, team.apiKey)).toBe('finalized')
  expect((await keys.job(team, listed.body.id)).result).toMatchObject({ done: 2, total: 2, refused: [] })
  expect(await names()).toEqual(['Łódź', 'Oxford'])
})

test('a registry that nobody signs in time fails, its name is free again; a team has as many of them as may wait', async () => {
  const { team, convener } = await keys.founded()
  expect((await keys.profile(team, convener.did, 'Council')).status).toBe(200)
  const { environment } = service.loop
  const { config } = environment
  const preparedActions = { ...config.preparedActions, open: 2 }
  const app = await buildApp({ ...environment, config: { ...config, preparedActions } }, allServed)
  const found = async () => {
    const payload = { convener: convener.did, name: 'Unsigned', ...TEXTS }
    const headers = { 'svc-api-token': team.apiKey }
    return app.inject({ method: 'POST', url: '/trust-registries', headers, payload })
  }
  const [first, second, third] = [await found(), await found(), await found()]
  expect([first.statusCode, second.statusCode, third.statusCode]).toEqual([200, 200, 409])
  await keys.sweepIn(7.1)
  expect(await service.finished(String(first.headers['accredit-job']), team.apiKey)).toBe('error')
  expect((await keys.call(team, 'GET', `/trust-registries/${first.json().id}`)).status).toBe(404)
  const again = await found()
  expect([again.statusCode, again.json().slug]).toEqual([200, first.json().slug])
  await app.close()
})
