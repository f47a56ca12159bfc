import { createHash } from 'node:crypto'
import type { Did, Hex32 } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { TEXTS, TestEcosystems } from '../testing.js'

let world: TestEcosystems
let team: TestTeam
let convener: Did
beforeAll(async () => {
  world = await TestEcosystems.open()
})
afterAll(() => world.close())
beforeEach(async () => {
  team = await world.team()
  convener = await world.organisation(team, 'Council of Universities')
})

const create = (name: string, by = team, did = convener) =>
  world.call(by, 'POST', '/trust-registries', { convener: did, name, ...TEXTS })
/** A PATCH that names only what it changes. */
const amend = (id: string, body: object, by = team) =>
  world.call(by, 'PATCH', `/trust-registries/${id}`, body, { 'content-type': 'application/merge-patch+json' })
const patch = (id: string, body: object, by = team) => world.call(by, 'PATCH', `/trust-registries/${id}`, body)

describe('creating a trust registry', () => {
  test('lets the convener act, and shows the registry to everybody only once the ledger has it', async () => {
    const created = await create('Degrees of Łódź')
    expect(created).toMatchObject({ status: 200, pending: true, job: expect.stringMatching(/^\d+$/) })
    const { id, slug, govFramework } = created.body
    expect(slug).toBe('degrees-of-lodz')
    expect(created.body).toMatchObject({ ...TEXTS, convener, convenerName: 'Council of Universities', isOwner: true })

    const action = await world.action(created.job)
    expect(action.did).toBe(convener)
    const reference = `http://127.0.0.1:3300/trust-registries/${id}/public#sha256-${digest(TEXTS)}`
    expect(JSON.stringify(action.calls)).toContain('Degrees of Łódź')
    expect(
      Buffer.from(govFramework.slice(2), 'hex')
        .toString()
        .replace(/^.*?\/trust/, '/trust'),
    ).toBe(reference.replace(/^.*?\/trust/, '/trust'))

    expect((await world.call(undefined, 'GET', `/trust-registries/${id}/public`)).status).toBe(404)
    expect(await world.call(team, 'GET', `/trust-registries/${id}`)).toMatchObject({ status: 200, pending: true })
    expect((await world.call(team, 'GET', '/trust-registries')).body).toMatchObject([
      { id, slug, convenerName: 'Council of Universities' },
    ])
    expect(await world.call(team, 'POST', `/trust-registries/${id}/participants`, {})).toMatchObject({ status: 409 })

    await world.include(created.job, (block) => world.registryRow(id, convener, 'Degrees of Łódź', govFramework, block))
    for (const ref of [id, id.toUpperCase().replace('0X', '0x'), slug, encodeURIComponent(slug)])
      expect((await world.call(undefined, 'GET', `/trust-registries/${ref}/public`)).body).toMatchObject({ id, slug })
    const own = await world.call(team, 'GET', `/trust-registries/${id}`)
    expect(own).toMatchObject({ status: 200, pending: false, block: expect.stringMatching(/^\d+$/) })
    expect(own.body).toMatchObject({ ...TEXTS, isOwner: true, issuerCount: 0, verifierCount: 0, nonce: '0', slug })
    expect((await world.call(team, 'GET', '/trust-registries')).body).toHaveLength(1)
  })

  test('that the ledger refuses leaves nothing behind, not even its slug', async () => {
    const created = await create('Refused')
    await world.refuse(created.job)
    expect((await world.call(team, 'GET', `/trust-registries/${created.body.id}`)).status).toBe(404)
    expect((await world.call(team, 'GET', '/trust-registries')).body).toEqual([])
    expect((await create('Refused')).body.slug).toBe('refused')
  })

  test('gives every registry a slug of its own, also to many of one name at once', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => create('One Name')))
    expect(many.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(many.map(({ body }) => body.slug)).size).toBe(8)
    expect(many.filter(({ body }) => body.slug === 'one-name')).toHaveLength(1)
  })

  test('of a name that a removed one had gets another slug; the old one stays the removed one’s', async () => {
    const gone = await world.registry(team, convener, 'Harvard')
    const removed = await world.block(async (block) => {
      await world.endRegistry(gone, block)
      const what = { name: 'TrustRegistry.TrustRegistryRemoved', trust_registry_id: gone, actor: convener }
      await world.ledger.event({ ...what, block, index: 1 })
    })
    await world.follow()
    const heir = await world.registry(team, convener, 'Harvard')
    const read = async (at = '') => (await world.call(undefined, 'GET', `/trust-registries/harvard/public${at}`)).body
    expect(await read()).toMatchObject({ status: 404, type: 'not_found' })
    expect(await read(`?at=${removed - 1}`)).toMatchObject({ id: gone, slug: 'harvard' })
    const own = `harvard-${heir.slice(2, 8)}`
    const found = await world.call(undefined, 'GET', `/trust-registries/${own}/public`)
    expect(found.body).toMatchObject({ id: heir, slug: own })
  })

  test('takes a logo as an image, and gives it an address', async () => {
    const logoUrl =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const { status, body } = await world.call(team, 'POST', '/trust-registries', {
      convener,
      name: 'With image',
      ...TEXTS,
      logoUrl,
    })
    expect({ status, logoUrl: body.logoUrl }).toEqual({
      status: 200,
      logoUrl: expect.stringMatching(/^http.*\/logos\/[0-9a-f]{64}$/),
    })
  })

  test('needs a DID of the team, and a profile of it', async () => {
    const stranger = await world.team()
    expect(await create('Mine?', stranger)).toMatchObject({ status: 404, body: { type: 'not_found' } })
    const nameless = await world.organisation(team, 'x')
    await world.scratch.db.transaction('system', (tx) =>
      tx.deleteFrom('profiles').where('did', '=', nameless).execute(),
    )
    expect(await create('Nameless', team, nameless)).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
  })

  test('waits for nobody when the keys of its convener were revoked; one that the ledger has does', async () => {
    const id = await world.registry(team, convener, `Before ${team.team}`)
    await world.scratch.db.transaction('system', (tx) =>
      tx.updateTable('did_keys').set({ state: 'retired' }).where('did', '=', convener).execute(),
    )
    expect(await create('After')).toMatchObject({ status: 404, body: { message: 'DID was not found' } })
    expect((await world.call(team, 'GET', '/trust-registries')).body).toHaveLength(1)
    expect(await patch(id, { ...TEXTS, name: `Before ${team.team}!` })).toMatchObject({ status: 200, pending: true })
    expect((await world.call(team, 'GET', `/trust-registries/${id}/waiting-actions`)).body.total).toBe(1)
  })
})

describe('changing a trust registry', () => {
  let id: Hex32
  beforeEach(async () => {
    id = await world.registry(team, convener, `Degrees ${team.team}`)
  })
  const name = () => `Degrees ${team.team}`

  test('that changes neither name nor governance is no action, and is shown from now on but not before', async () => {
    const before = world.clock.now().toISOString()
    const changed = await patch(id, { ...TEXTS, name: name(), description: 'Otherwise' })
    expect(changed).toMatchObject({ status: 200, job: '0', pending: false, body: { description: 'Otherwise' } })
    const read = (at?: string) => world.call(undefined, 'GET', `/trust-registries/${id}/public${at ? `?at=${at}` : ''}`)
    expect((await read()).body.description).toBe('Otherwise')
    expect((await read(before)).body.description).toBe(TEXTS.description)
  })

  test('of name and governance is shown when the ledger has it; the slug follows the name', async () => {
    const old = `degrees-${team.team}`
    const changed = await patch(id, { ...TEXTS, name: `Titles ${team.team}`, governanceFrameworkVersion: '2.0' })
    const convenerName = 'Council of Universities'
    expect(changed).toMatchObject({ status: 200, pending: true, body: { name: `Titles ${team.team}`, convenerName } })
    expect(await world.action(changed.job)).toMatchObject({ did: convener })
    const read = (ref: string, at = '') => world.call(undefined, 'GET', `/trust-registries/${ref}/public${at}`)
    expect((await read(old)).body).toMatchObject({ name: name(), slug: old, governanceFrameworkVersion: '1.0' })

    const height = await world.include(changed.job, (block) =>
      rename(`Titles ${team.team}`, changed.body.govFramework, block),
    )
    expect((await read(id)).body).toMatchObject({ slug: `titles-${team.team}`, governanceFrameworkVersion: '2.0' })
    for (const at of ['', `?at=${height}`])
      expect((await read(old, at)).body).toMatchObject({ id, slug: `titles-${team.team}` })
    for (const ref of [id, old, `titles-${team.team}`])
      expect((await read(ref, `?at=${height - 1}`)).body).toMatchObject({
        id,
        name: name(),
        slug: old,
        governanceFrameworkVersion: '1.0',
        governanceFramework: TEXTS.governanceFramework,
      })
    const stranger = await create(old)
    expect(stranger.body.slug).toBe(`${old}-${stranger.body.id.slice(2, 8)}`)
    // Its own again.
    const back = await patch(id, { ...TEXTS, name: name() })
    await world.include(back.job, (block) => rename(name(), back.body.govFramework, block))
    for (const ref of [old, `titles-${team.team}`]) expect((await read(ref)).body).toMatchObject({ id, slug: old })
  })

  test('with If-Match changes the version that was read, and no later one', async () => {
    const read = () => world.call(team, 'GET', `/trust-registries/${id}`)
    const { etag } = await read()
    const write = (description: string, ifMatch = etag) =>
      world.call(...([team, 'PATCH', `/trust-registries/${id}`, { ...TEXTS, name: name(), description }] as const), {
        'if-match': ifMatch ?? '',
      })
    const answers = await Promise.all(['One', 'Two', 'Three'].map((description) => write(description)))
    const [won] = answers.filter(({ status }) => status === 200)
    for (const lost of answers.filter((answer) => answer !== won))
      expect(lost).toMatchObject({
        status: 412,
        body: { type: 'precondition_failed', message: expect.stringMatching(/If-Match.+read it again/) },
      })
    const now = await read()
    expect([now.body.description, now.etag]).toEqual([won?.body.description, won?.etag])
    expect(now.etag).not.toBe(etag)
    expect(await write('Again', now.etag)).toMatchObject({ status: 200, body: { description: 'Again' } })
    expect(await write('Any', '*')).toMatchObject({ status: 200 })
    expect(await write('Weak', `W/${(await read()).etag}`)).toMatchObject({ status: 412 })
    expect((await read()).body.description).toBe('Any')
  })

  test('with If-Match or without, by a team that the registry came to, many at once, happen one after the other', async () => {
    const heir = await world.team()
    const next = await world.organisation(heir, 'Senate')
    const { govFramework } = (await world.call(team, 'GET', `/trust-registries/${id}`)).body
    await world.block(async (block) => {
      await world.endRegistry(id, block)
      await world.registryRow(id, next, name(), govFramework, block)
    })
    const read = () => world.call(heir, 'GET', `/trust-registries/${id}`)
    expect(await patch(id, { ...TEXTS, name: name() })).toMatchObject({ status: 404 })
    for (let round = 1; round <= 3; round++) {
      const { etag = '' } = await read()
      const changes = ['One', 'Two', 'Three', 'Four'].map((description) =>
        world.call(
          ...([heir, 'PATCH', `/trust-registries/${id}`] as const),
          { description: `${description} ${round}` },
          { 'if-match': etag, 'content-type': 'application/merge-patch+json' },
        ),
      )
      const answers = await Promise.all(changes)
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    }
    const each = Object.entries({ description: 'Last', ecosystemUrl: 'https://ecosystem.example/last' })
    const answers = await Promise.all(each.map(([field, value]) => amend(id, { [field]: value }, heir)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect((await read()).body).toMatchObject(Object.fromEntries(each))
  })

  test('with If-Match is refused while another change is on its way to the ledger, and then sees it', async () => {
    const read = () => world.call(team, 'GET', `/trust-registries/${id}`)
    const before = (await read()).etag
    const renamed = await patch(id, { ...TEXTS, name: `Titles ${team.team}` })
    expect(renamed).toMatchObject({ status: 200, pending: true, etag: undefined })
    const describe = (ifMatch = '') =>
      world.call(team, 'PATCH', `/trust-registries/${id}`, { ...TEXTS, name: name() }, { 'if-match': ifMatch })
    expect(await describe((await read()).etag)).toMatchObject({ status: 412 })
    await world.include(renamed.job, (block) => rename(`Titles ${team.team}`, renamed.body.govFramework, block))
    expect(await describe(before)).toMatchObject({ status: 412 })
    expect((await read()).body.name).toBe(`Titles ${team.team}`)
    expect(await describe((await read()).etag)).toMatchObject({ status: 200, body: { name: name() } })
  })

  test('with If-Match notices participants that came and went meanwhile, and takes nothing from them', async () => {
    const read = () => world.call(team, 'GET', `/trust-registries/${id}`)
    const { etag } = await read()
    const member = await world.organisation(team, 'University')
    await world.block((block) => world.issuer(id, 'https://schema.example/One.json', member, block))
    const write = (headers: Record<string, string>) =>
      world.call(team, 'PATCH', `/trust-registries/${id}`, { ...TEXTS, name: name() }, headers)
    expect(await write({ 'if-match': etag ?? '' })).toMatchObject({ status: 412 })
    expect(await write({})).toMatchObject({ status: 200, body: { issuerCount: 1 } })
  })

  test('of some members by many at once loses nothing of anybody', async () => {
    const own = () => world.call(team, 'GET', `/trust-registries/${id}`)
    for (let round = 1; round <= 3; round++) {
      const changes = {
        description: `Description ${round}`,
        ecosystemUrl: `https://ecosystem.example/${round}`,
        logoUrl: `https://logo.example/${round}.png`,
      }
      const each = Object.entries(changes).map(([field, value]) => amend(id, { [field]: value }))
      for (const answer of await Promise.all(each)) expect(answer).toMatchObject({ status: 200, job: '0' })
      expect((await own()).body).toMatchObject({ ...TEXTS, ...changes, name: name() })
    }
    expect(await amend(id, {})).toMatchObject({ status: 200, job: '0' })
  })

  test('of some members builds on pending changes, and on those of others on the ledger', async () => {
    const renamed = `Titles ${team.team}`
    const [one, other] = [await amend(id, { name: renamed }), await amend(id, { description: 'Otherwise' })]
    expect([one.body.name, other.body.name, other.body.description]).toEqual([renamed, renamed, 'Otherwise'])
    await world.include(one.job, (block) => rename(renamed, one.body.govFramework, block))
    await world.include(other.job)
    const read = async () => (await world.call(team, 'GET', `/trust-registries/${id}`)).body
    expect(await read()).toMatchObject({ name: renamed, description: 'Otherwise', slug: `titles-${team.team}` })

    await world.block((block) => rename('Elsewhere', one.body.govFramework, block))
    const last = await amend(id, { description: 'Last' })
    expect([last.job, last.body.name]).toEqual(['0', 'Elsewhere'])
    expect(await read()).toMatchObject({ name: 'Elsewhere', description: 'Last' })
  })

  test('of some members needs those without a present value, and checks the given ones', async () => {
    await world.block((block) => rename(name(), `0x${Buffer.from('https://else.example').toString('hex')}`, block))
    expect(await amend(id, { description: 'x' })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/governanceFramework/) },
    })
    const { governanceFramework, governanceFrameworkVersion } = TEXTS
    expect((await amend(id, { governanceFramework, governanceFrameworkVersion })).status).toBe(200)
    for (const bad of [{ name: '' }, { logoUrl: 'javascript:x' }, { description: 7 }, []])
      expect(await amend(id, bad)).toMatchObject({ status: 400 })
    expect(await patch(id, { description: 'x' })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^name is missing; send application.merge-patch.json/) },
    })
  })

  test('that the ledger refuses changes nothing, and lets go of the new slug', async () => {
    const changed = await patch(id, { ...TEXTS, name: `Gone ${team.team}` })
    await world.refuse(changed.job)
    expect((await world.call(team, 'GET', `/trust-registries/${id}`)).body).toMatchObject({ name: name() })
    expect((await world.call(undefined, 'GET', `/trust-registries/gone-${team.team}/public`)).status).toBe(404)
    expect((await create(`Gone ${team.team}`)).body.slug).toBe(`gone-${team.team}`)
  })

  test('is for the team that holds the present convener only', async () => {
    const stranger = await world.team()
    expect((await patch(id, { ...TEXTS, name: 'Mine' }, stranger)).status).toBe(404)
    expect((await world.call(stranger, 'GET', `/trust-registries/${id}`)).status).toBe(404)
    expect((await world.call(stranger, 'GET', '/trust-registries')).body).toEqual([])
  })

  test('shows a governance text only while the ledger points to it', async () => {
    await world.block((block) =>
      rename('Taken over', `0x${Buffer.from('https://elsewhere.example').toString('hex')}`, block),
    )
    const { body } = await world.call(undefined, 'GET', `/trust-registries/${id}/public`)
    expect(body).toMatchObject({ name: 'Taken over', governanceFramework: '', governanceFrameworkVersion: '' })
    expect(body.description).toBe(TEXTS.description)
  })

  async function rename(to: string, govFramework: string, block: number): Promise<void> {
    await world.endRegistry(id, block)
    await world.registryRow(id, convener, to, govFramework, block)
  }
})

describe('finding trust registries', () => {
  const [one, two] = ['https://schema.example/One.json', 'https://schema.example/Two.json']

  test('by issuer, verifier and schema: filters combine; without any, all', async () => {
    const [a, b] = [await world.registry(team, convener, 'A'), await world.registry(team, convener, 'B')]
    const did = await world.organisation(team, 'University')
    await world.block(async (block) => {
      await world.schema(a, one, block)
      await world.schema(b, two, block)
      await world.issuer(a, one, did, block)
      await world.verifier(b, two, did, block)
    })
    const ids = async (filter: object) =>
      (await world.call(undefined, 'POST', '/trust-registries/query', filter)).body.map((row: { id: string }) => row.id)
    expect(await ids({ issuerDID: did })).toEqual([a])
    expect(await ids({ verifierDID: did })).toEqual([b])
    expect(await ids({ issuerDID: did, verifierDID: did })).toEqual([])
    expect(await ids({ schema: one })).toEqual([a])
    expect(await ids({ schemaId: two, verifierDID: did })).toEqual([b])
    expect(await ids({ issuerDID: convener })).toEqual([])
    expect(await ids({})).toEqual(expect.arrayContaining([a, b]))
    expect(await ids({ issuerDID: did, at: 5 })).toEqual([])
  })

  test('treats issuerDID "undefined", as clients send it, as none, and refuses other blank filters', async () => {
    const find = (body: object) => world.call(undefined, 'POST', '/trust-registries/query', body)
    expect((await find({ issuerDID: 'undefined' })).body).toEqual((await find({})).body)
    for (const nothing of ['', 'undefined', null])
      for (const name of ['verifierDID', 'schema', 'schemaId'])
        expect(await find({ [name]: nothing })).toMatchObject({ status: 400, body: { type: 'invalid_request' } })
    expect((await find({ schema: one, schemaId: two })).status).toBe(400)
  })

  test('by DID tells what the DID is there, also to strangers, and never fails for an unknown DID', async () => {
    const id = await world.registry(team, convener, 'C')
    const [guest, did] = [await world.team(), await world.organisation(team, 'Unknown')]
    const member = await world.organisation(guest, 'University of Oxford')
    const accepted = await world.accept(team, guest, id, member, { issuerSchemas: [one] })
    const height = await world.include(accepted.job, (block) => world.issuer(id, one, member, block))
    const of = (who: string, query = '') => world.call(undefined, 'GET', `/dids/${who}/ecosystems${query}`)
    expect((await of(member)).body).toMatchObject({
      total: 1,
      list: [
        {
          id,
          name: 'C',
          participantRole: 'issuer',
          participantStatus: 'active',
          participantName: 'University of Oxford',
        },
      ],
    })
    expect((await of(encodeURIComponent(member), `?at=${height - 1}`)).body).toEqual({ total: 0, list: [] })
    expect((await of(did)).body).toEqual({ total: 0, list: [] })
    expect((await of('did:web:example.org')).body).toEqual({ total: 0, list: [] })
    for (const none of ['did:web', 'did:svc:x', 'did:key:zz', 'example.org']) expect((await of(none)).status).toBe(400)
  })
})

function digest({ governanceFrameworkVersion, governanceFramework }: typeof TEXTS): string {
  return createHash('sha256').update(`${governanceFrameworkVersion}\n${governanceFramework}`).digest('hex')
}
