/** Guests of conveners that keep their own keys: they take part when the convener has signed. */
import { randomBytes } from 'node:crypto'
import { hexOf } from '@accredit/chain'
import { afterAll, expect, test } from 'vitest'
import { TestService } from '../../credentials/loop.testing.js'
import type { JsonObject } from '../../formats/json.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { jobOf, newConvener, OwnKeys, schema, WAITS } from './own-key.testing.js'

const service = await TestService.open()
afterAll(() => service.close())
const keys = new OwnKeys(service)

test('a guest waits until the convener has signed, through a restart, and takes part from then on', async () => {
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

test('a convener signs a first right together with the suspension that it meets: the guest is never unsuspended', async () => {
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
  // The dispatch has only half of the request.
  await keys.signedTogether(team, convener, list[1].actions.slice(0, 1))
  expect(await keys.job(team, granted)).toMatchObject(WAITS)
  await keys.signAll(registry)
  expect(await service.finished(granted, team.apiKey)).toBe('finalized')
  expect((await keys.call(team, 'GET', participant)).body).toMatchObject({ status: 'suspended', role: 'issuer' })
})

test('the signature that readmits a guest who left while suspended suspends it again', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const { body: member } = await keys.accept(guest, await keys.invite(registry, schema))
  await keys.signAll(registry)
  const participant = `${registry.url}/participants/${member.id}`
  for (const body of [{ issuerSchemas: [] }, { status: 'suspended' }]) {
    expect((await keys.call(registry.team, 'PATCH', participant, body)).status).toBe(200)
    await keys.signAll(registry)
  }
  expect(jobOf(await keys.call(guest.team, 'DELETE', participant))).toBe('0')

  const accepted = await keys.accept(guest, await keys.invite(registry, schema))
  expect(accepted.body).toMatchObject({ status: 'suspended', issuerSchemas: [schema], waitingFor: 'convener' })
  const { list } = await keys.waiting(registry)
  const wanted = ['TrustRegistry.set_schemas_metadata', 'TrustRegistry.suspend_issuers']
  expect(list.map(({ actions }: { actions: JsonObject[] }) => actions.map(({ action }) => action))).toEqual([wanted])
  // The dispatch lets the guest in without the suspension.
  await keys.signedTogether(registry.team, registry.convener, list[0].actions.slice(0, 1))
  expect(await keys.job(guest.team, jobOf(accepted))).toMatchObject(WAITS)
  await keys.signAll(registry)
  expect(await service.finished(jobOf(accepted), guest.team.apiKey)).toBe('finalized')
  expect((await keys.call(guest.team, 'GET', participant)).body).toMatchObject({
    status: 'suspended',
    suspendedAt: expect.stringMatching(/Z$/),
    issuerSchemas: [schema],
    accepted: true,
  })
})

test('an earlier signature does not count for a later acceptance', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const accepted = await keys.accept(guest, await keys.invite(registry, schema))
  await keys.signAll(registry)
  expect(await service.finished(jobOf(accepted), guest.team.apiKey)).toBe('finalized')
  // The guest leaves with its own key, which is here.
  const left = await keys.call(guest.team, 'DELETE', `${registry.url}/participants/${accepted.body.id}`)
  expect([left.status, left.header('accredit-pending')]).toEqual([200, undefined])

  const back = jobOf(await keys.accept(guest, await keys.invite(registry, schema)))
  await keys.signed(registry.team, registry.convener, 'init_or_update_trust_registry', {
    registryId: registry.url.split('/')[2] ?? '',
    name: 'Kenya',
    govFramework: 'https://example.org/2',
  })
  expect(await keys.job(guest.team, back)).toEqual({ id: back, ...WAITS })
  await keys.signAll(registry)
  expect(await service.finished(back, guest.team.apiKey)).toBe('finalized')
})

test('acceptances end however the convener signs them: two in one call of its own', async () => {
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

test('an acceptance that is not signed within a week fails, and its invitation is free again', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const token = await keys.invite(registry, schema)
  const id = jobOf(await keys.accept(guest, token))
  await keys.sweepIn(6.9)
  expect(await keys.waiting(registry)).toMatchObject({ total: 1 })
  await keys.sweepIn(7.1)
  expect(await service.finished(id, guest.team.apiKey)).toBe('error')
  expect((await keys.job(guest.team, id)).result).toMatchObject({ type: 'not_signed_in_time' })
  expect(await keys.waiting(registry)).toEqual({ total: 0, list: [] })
  expect(await keys.participants(registry)).toEqual({ total: 0, list: [] })
  expect((await keys.accept(guest, token)).body).toMatchObject({ waitingFor: 'convener' })
})

test('an acceptance is withdrawn by its guest or the convener’s team and by nobody else; then it fails, and may be asked for again', async () => {
  const registry = await keys.founded()
  const [guest, stranger] = [await keys.guest(), await keys.guest()]
  const token = await keys.invite(registry, schema)
  const withdraw = async (team: TestTeam, job: string) =>
    (await keys.call(team, 'DELETE', `${registry.url}/waiting-actions/${job}`)).status
  for (const team of [guest.team, registry.team]) {
    const job = jobOf(await keys.accept(guest, token))
    expect([await withdraw(stranger.team, job), await withdraw(team, '1234567890123')]).toEqual([404, 404])
    expect(await keys.job(guest.team, job)).toMatchObject(WAITS)
    expect([await withdraw(team, job), await withdraw(team, job)]).toEqual([200, 200])
    expect(await keys.job(guest.team, job)).toMatchObject({ status: 'error', result: { type: 'withdrawn' } })
    expect(await keys.waiting(registry)).toEqual({ total: 0, list: [] })
  }
  const accepted = jobOf(await keys.accept(guest, token))
  await keys.signAll(registry)
  expect(await service.finished(accepted, guest.team.apiKey)).toBe('finalized')
  expect(await withdraw(guest.team, accepted)).toBe(409)
})

test('a pending acceptance fails when the registry gets another convener', async () => {
  const registry = await keys.founded()
  const guest = await keys.guest()
  const id = jobOf(await keys.accept(guest, await keys.invite(registry, schema)))
  const other = newConvener()
  const registryId = registry.url.split('/')[2] ?? ''
  await keys.signed(registry.team, registry.convener, 'transfer_trust_registry', {
    registryId,
    newConvener: other.did,
  })
  expect(await keys.job(guest.team, id)).toEqual({ id, ...WAITS })
  await keys.signed(guest.team, other, 'accept_trust_registry', { registryId })
  expect(await service.finished(id, guest.team.apiKey)).toBe('error')
  expect((await keys.job(guest.team, id)).result).toMatchObject({ type: 'convener_changed' })
  expect((await keys.call(guest.team, 'GET', registry.url)).body).toMatchObject({ isOwner: true })
})
