import { type Did, type Hex32, parseDid, schemaId } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storedDid } from '../../dids/testing.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { TestEcosystems } from '../testing.js'

const [one, two] = ['https://schema.example/One.json', 'https://schema.example/Two.json'] as const

let world: TestEcosystems
let owner: TestTeam
let convener: Did
let registry: Hex32
let guest: TestTeam
let member: Did
beforeAll(async () => {
  world = await TestEcosystems.open()
})
afterAll(() => world.close())
beforeEach(async () => {
  owner = await world.team()
  convener = await world.organisation(owner, 'Council')
  registry = await world.registry(owner, convener, `Registry ${owner.team}`)
  guest = await world.team()
  member = await world.organisation(guest, 'University of Oxford')
})

const participants = (by: TestTeam | undefined) => world.call(by, 'GET', `/trust-registries/${registry}/participants`)
const get = (id: string, by: TestTeam) => world.call(by, 'GET', `/trust-registries/${registry}/participants/${id}`)

const invite = async (body: object = {}) => {
  const { link } = (await world.call(owner, 'POST', `/trust-registries/${registry}/participants`, body)).body
  return { token: link.split('?token=')[1], did: member, infoUrl: '' }
}

describe('accepting an invitation', () => {
  test('lets the convener act, answers with the job, and makes a participant once the ledger has the right', async () => {
    const accepted = await world.accept(owner, guest, registry, member, { issuerSchemas: [one], verifierSchemas: [] })
    expect(accepted).toMatchObject({ status: 200, pending: true })
    expect(accepted.body).toMatchObject({
      did: member,
      role: 'issuer',
      status: 'active',
      suspendedAt: '',
      accepted: true,
      infoUrl: '',
      name: 'University of Oxford',
      logoUrl: 'https://example.org/logo.png',
      issuerSchemas: [one],
      verifierSchemas: [],
    })
    const { did, calls } = await world.action(accepted.job)
    expect(did).toBe(convener)
    expect(JSON.stringify(calls)).toMatch(/Ensure/)
    expect(JSON.stringify(calls)).not.toMatch(/"Set"|"set"/)
    const job = await world.scratch.db.read('system', (reader) =>
      reader
        .selectFrom('jobs')
        .select('team_id')
        .where('id', '=', accepted.job ?? '')
        .executeTakeFirst(),
    )
    expect(job?.team_id).toBe(guest.team)
    const audited = await world.scratch.db.read('system', (reader) =>
      reader.selectFrom('audit').select('team_id').where('action', '=', 'acceptInvitation').orderBy('id').execute(),
    )
    expect(audited.map((row) => row.team_id)).toEqual([guest.team, owner.team])

    expect((await participants(owner)).body).toEqual({ total: 0, list: [] })
    expect((await participants(guest)).status).toBe(404)
    await world.include(accepted.job, (block) => world.issuer(registry, one, member, block))
    for (const team of [owner, guest])
      expect((await participants(team)).body).toMatchObject({
        total: 1,
        list: [{ id: accepted.body.id, role: 'issuer' }],
      })
    expect((await world.call(guest, 'GET', `/trust-registries/${registry}`)).body).toMatchObject({
      isOwner: false,
      issuerCount: 1,
      verifierCount: 0,
    })
    expect((await participants(await world.team())).status).toBe(404)
    expect((await participants(undefined)).status).toBe(401)
  })

  test('is refused where it would close an open schema, and the token stays good', async () => {
    const token = await invite({ verifierSchemas: [one] })
    const accept = () => world.call(guest, 'POST', '/trust-registries/invitations/accept', token)
    const refused = {
      status: 409,
      body: { type: 'conflict', message: expect.stringMatching(/anyone may verify .*One/) },
    }
    await world.block((block) => world.schema(registry, one, block))
    const opened = await world.call(owner, 'PUT', `/trust-registries/${registry}/schemas/${schemaId(one)}`, {
      public: true,
    })
    expect(opened.status).toBe(200)
    expect(await accept(), 'while its opening is on its way').toMatchObject(refused)
    await world.include(opened.job, async (block) => {
      await world.admin('update ledger.registry_schema set to_block = $2 where registry_id = $1', [registry, block])
      await world.schema(registry, one, block, true)
    })
    expect(await accept()).toMatchObject(refused)
    const joined = await world.accept(owner, guest, registry, member, { issuerSchemas: [one] })
    await world.include(joined.job, (block) => world.issuer(registry, one, member, block))
    const path = `/trust-registries/${registry}/participants/${joined.body.id}`
    expect(await world.call(owner, 'PATCH', path, { verifierSchemas: [one] })).toMatchObject(refused)
    const closed = await world.call(owner, 'PUT', `/trust-registries/${registry}/schemas/${schemaId(one)}`, {
      public: false,
    })
    expect(closed.status).toBe(200)
    expect((await world.call(owner, 'PATCH', path, { verifierSchemas: [one] })).status).toBe(200)
  })

  test('without any schema is no action: a verifier of what is public, at once', async () => {
    const accepted = await world.accept(owner, guest, registry, member)
    expect(accepted).toMatchObject({
      status: 200,
      job: '0',
      pending: false,
      body: { role: 'verifier', accepted: true },
    })
    expect((await get(accepted.body.id, guest)).body).toEqual(accepted.body)
  })

  test('works once, for one DID, and frees the token when the ledger refuses', async () => {
    const { body } = await world.call(owner, 'POST', `/trust-registries/${registry}/participants`, {
      issuerSchemas: [one],
    })
    const token = body.link.split('?token=')[1]
    const accept = (team: TestTeam, did: Did) =>
      world.call(team, 'POST', '/trust-registries/invitations/accept', { token, did, infoUrl: '' })
    const refused = await accept(guest, member)
    expect((await accept(guest, member)).body.type).toBe('invite_token_used')
    await world.refuse(refused.job)
    expect((await participants(owner)).body.total).toBe(0)

    const accepted = await accept(guest, member)
    expect(accepted.status).toBe(200)
    const other = await world.team()
    expect((await accept(other, await world.organisation(other, 'Other'))).body.type).toBe('invite_token_used')
    await world.include(accepted.job, (block) => world.issuer(registry, one, member, block))
    const again = await world.accept(owner, guest, registry, member, { issuerSchemas: [two] })
    expect(again).toMatchObject({ status: 400, body: { type: 'invite_already_accepted' } })
  })

  test('of one token or for one DID many times at once makes one participant', async () => {
    const { body } = await world.call(owner, 'POST', `/trust-registries/${registry}/participants`, {
      issuerSchemas: [one],
    })
    const token = body.link.split('?token=')[1]
    const others = await Promise.all(Array.from({ length: 6 }, (_, i) => world.organisation(guest, `Member ${i}`)))
    const same = await Promise.all(
      others.map((did) =>
        world.call(guest, 'POST', '/trust-registries/invitations/accept', { token, did, infoUrl: '' }),
      ),
    )
    expect(same.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    expect(same.flatMap(({ body }) => body.type ?? [])).toEqual(Array(5).fill('invite_token_used'))
    const [first, second] = await Promise.all(
      [0, 1].map(() => world.accept(owner, guest, registry, member, { issuerSchemas: [one] })),
    )
    expect([first?.status, second?.status].sort()).toEqual([200, 400])
  })

  test('needs a DID of the team with a name, and no logo', async () => {
    const stranger = await world.team()
    expect((await world.accept(owner, stranger, registry, member)).status).toBe(404)
    const plain = await world.organisation(guest, 'Plain', '')
    expect(await world.accept(owner, guest, registry, plain)).toMatchObject({
      status: 200,
      body: { name: 'Plain', logoUrl: '' },
    })
    const nameless = parseDid(await storedDid(world.scratch, guest))
    expect(await world.accept(owner, guest, registry, nameless ?? member)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('a profile with a name') },
    })
  })

  test('takes the whole link for its token, and so do declining and putting off', async () => {
    const invited = async () =>
      (await world.call(owner, 'POST', `/trust-registries/${registry}/participants`, {})).body.link
    const answer = async (what: string, token: string) =>
      world.call(guest, 'POST', `/trust-registries/invitations/${what}`, {
        token,
        ...(what === 'accept' && { did: await world.organisation(guest, 'Guest'), infoUrl: '' }),
      })
    for (const what of ['accept', 'snooze', 'decline'])
      for (const written of [
        (link: string) => link,
        (link: string) => ` ${link}#top\n`,
        (link: string) => `${link}&utm_source=mail`,
      ])
        expect((await answer(what, written(await invited()))).status, what).toBe(200)
    for (const wrong of [
      'https://example.org/ecosystems',
      'https://example.org/ecosystems?token=',
      'http://',
      'token=x',
    ])
      expect(await answer('snooze', wrong), wrong).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  })

  test('names a time as ignored in declining and putting off', async () => {
    const { token } = await invite()
    for (const what of ['snooze', 'decline'])
      expect(
        await world.call(guest, 'POST', `/trust-registries/invitations/${what}`, { token, maxAge: 60 }),
      ).toMatchObject({
        status: 200,
        ignored: '/maxAge',
      })
  })

  test('is refused with the reason after a decline, or the end of the ecosystem', async () => {
    const declined = await invite()
    expect((await world.call(guest, 'POST', '/trust-registries/invitations/snooze', declined)).status).toBe(200)
    expect(await world.call(guest, 'POST', '/trust-registries/invitations/decline', declined)).toMatchObject({
      status: 200,
      body: {},
    })
    for (const what of ['accept', 'decline', 'snooze'])
      for (const team of [guest, await world.team()])
        expect((await world.call(team, 'POST', `/trust-registries/invitations/${what}`, declined)).body).toMatchObject({
          type: 'invite_token_used',
          message: expect.stringContaining('declined'),
        })

    const deleted = await invite()
    await world.block((block) => world.endRegistry(registry, block))
    const answer = await world.call(guest, 'POST', '/trust-registries/invitations/accept', deleted)
    expect(answer).toMatchObject({ status: 400, body: { message: 'The ecosystem of this invitation was deleted' } })
  })

  test('is refused once the registry has another convener, of any team', async () => {
    const other = await world.team()
    for (const [team, name] of [
      [owner, 'Second council'],
      [other, 'Senate'],
    ] as const) {
      const { link } = (
        await world.call(owner, 'POST', `/trust-registries/${registry}/participants`, {
          maxAge: 315_360_000,
          issuerSchemas: [one],
        })
      ).body
      const next = await world.organisation(team, name)
      await world.block(async (block) => {
        await world.endRegistry(registry, block)
        await world.registryRow(registry, next, `Registry ${owner.team}`, '0x31', block)
      })
      const body = { token: link.split('?token=')[1], did: member, infoUrl: '' }
      expect(await world.call(guest, 'POST', '/trust-registries/invitations/accept', body)).toMatchObject({
        status: 400,
        job: undefined,
        body: { type: 'invite_token_expired', message: expect.stringContaining('changed hands') },
      })
      expect((await participants(team)).body.total).toBe(0)
    }
    const accepted = await world.accept(other, guest, registry, member, { issuerSchemas: [one] })
    expect(accepted).toMatchObject({ status: 200, pending: true })
  })

  test('adds missing rights only to a DID that the convener listed itself', async () => {
    await world.block((block) => world.issuer(registry, one, member, block))
    const [listed] = (await participants(owner)).body.list
    expect(listed).toMatchObject({
      did: member,
      accepted: false,
      name: 'University of Oxford',
      issuerSchemas: [expect.any(String)],
    })
    const accepted = await world.accept(owner, guest, registry, member, { issuerSchemas: [one] })
    expect(accepted).toMatchObject({ job: '0', body: { id: listed.id, accepted: true, issuerSchemas: [one] } })
  })
})
