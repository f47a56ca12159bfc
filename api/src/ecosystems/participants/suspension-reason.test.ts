import type { Did, Hex32 } from '@accredit/chain'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { pages } from '../../pages/operations.js'
import type { TestTeam } from '../../platform/testing/scratch-database.js'
import { TestEcosystems } from '../testing.js'

const SCHEMA = 'https://schema.example/Degree.json'
const REASON = 'Its accreditation ran out.'

let world: TestEcosystems
let owner: TestTeam
let guest: TestTeam
let council: Did
let member: Did
let registry: Hex32
let id: string
beforeAll(async () => {
  world = await TestEcosystems.open({}, [pages])
  owner = await world.team()
  guest = await world.team()
  council = await world.organisation(owner, 'Council')
})
afterAll(() => world?.close())
beforeEach(async () => {
  registry = await world.registry(owner, council, `Registry ${world.latest}`)
  member = await world.organisation(guest, 'University of Oxford')
  const accepted = await world.accept(owner, guest, registry, member, { issuerSchemas: [SCHEMA] })
  await world.include(accepted.job, (block) => world.issuer(registry, SCHEMA, member, block))
  id = accepted.body.id
})

const path = () => `/trust-registries/${registry}/participants/${id}`
const patch = (body: object, by = owner) => world.call(by, 'PATCH', path(), body)
const shown = async (at?: number | string, by = guest) => {
  const { body } = await world.call(by, 'GET', `${path()}${at === undefined ? '' : `?at=${at}`}`)
  return { status: body.status, by: body.suspendedBy, reason: body.reason }
}
const page = async (at?: number, language = 'en') => {
  const query = at === undefined ? '' : `?at=${at}`
  const headers = { 'accept-language': language }
  const { body } = await world.app.inject({ url: `/ecosystems/${registry}${query}`, headers })
  return body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
}

const event = (name: string, block: number) =>
  world.ledger.event({
    trust_registry_id: registry,
    actor: council,
    subject: member,
    key_id: 1,
    nonce: 1,
    submitter: 'payer',
    name: `TrustRegistry.${name}`,
    block,
    index: 1,
  })

/** Suspends on the ledger, by a job or by somebody else's action. */
const suspends = (job?: string) =>
  world.include(job, async (block) => {
    await world.suspension(registry, member, block)
    await event('IssuerSuspended', block)
  })
const readmits = (job?: string) =>
  world.include(job, async (block) => {
    await world.admin('update ledger.suspension set to_block = $2 where registry_id = $1 and to_block is null', [
      registry,
      block,
    ])
    await event('IssuerUnsuspended', block)
  })

const ACTIVE = { status: 'active', by: undefined, reason: undefined }

describe('the reason of a suspension', () => {
  test('is shown from its block on with who suspended, to its participant and on the page, and not before', async () => {
    const asked = await patch({ status: 'suspended', reason: ` ${REASON} ` })
    expect(asked.body).toMatchObject({ status: 'suspended', reason: REASON })
    expect(JSON.stringify(await world.action(asked.job))).not.toContain('accreditation')
    expect(await shown()).toEqual(ACTIVE)
    const from = await suspends(asked.job)
    expect(await shown()).toEqual({ status: 'suspended', by: council, reason: REASON })
    expect(await shown(from - 1)).toEqual(ACTIVE)
    const english = await page()
    expect(english).toMatch(/Suspended since \d+ \w+ \d{4} by Council Reason: “ Its accreditation ran out\. ”/)
    expect(english).toMatch(/Council suspended University of Oxford \. Reason: “ Its accreditation/)
    expect(await page(undefined, 'tr')).toMatch(/tarihinden beri askıda; askıya alan: Council Gerekçe: “ Its/)
    expect(await page(from - 1)).not.toContain('accreditation')
  })

  test('that is given later takes the place of the one that stood, which the past still shows', async () => {
    await suspends((await patch({ status: 'suspended', reason: 'First.' })).job)
    const then = await world.block()
    await world.block()
    const again = await patch({ status: 'suspended', reason: 'Second.' })
    expect([again.job, again.body.reason]).toEqual(['0', 'Second.'])
    await world.block()
    expect((await shown()).reason).toBe('Second.')
    expect((await shown(then)).reason).toBe('First.')
  })

  test('ends with its suspension, whoever signed that, and the next suspension has its own or none', async () => {
    const first = await suspends((await patch({ status: 'suspended', reason: 'First.' })).job)
    await readmits()
    expect(await shown()).toEqual(ACTIVE)
    await suspends()
    expect(await shown()).toEqual({ status: 'suspended', by: council, reason: undefined })
    await readmits((await patch({ status: 'active' })).job)
    const third = await suspends((await patch({ status: 'suspended' })).job)
    expect((await shown(third)).reason).toBeUndefined()
    expect((await shown(first)).reason).toBe('First.')
  })

  test('is nothing when the ledger refuses the suspension', async () => {
    await world.refuse((await patch({ status: 'suspended', reason: REASON })).job)
    expect(await shown()).toEqual(ACTIVE)
    await suspends()
    expect((await shown()).reason).toBeUndefined()
  })

  test('stands where there is no right to suspend, and outlives the first one', async () => {
    const plain = await world.organisation(guest, 'Plain')
    id = (await world.accept(owner, guest, registry, plain)).body.id
    expect((await patch({ status: 'suspended', reason: REASON })).job).toBe('0')
    expect(await shown()).toEqual({ status: 'suspended', by: undefined, reason: REASON })
    const right = await patch({ issuerSchemas: [SCHEMA] })
    await world.include(right.job, async (block) => {
      await world.issuer(registry, SCHEMA, plain, block)
      await world.suspension(registry, plain, block)
    })
    expect(await shown()).toMatchObject({ status: 'suspended', reason: REASON })
  })

  test('of a suspension that the ledger never had ends with it', async () => {
    const plain = await world.organisation(guest, 'Plain')
    id = (await world.accept(owner, guest, registry, plain)).body.id
    await patch({ status: 'suspended', reason: REASON })
    await patch({ status: 'active' })
    expect(await shown()).toEqual(ACTIVE)
    await patch({ status: 'suspended' })
    expect((await shown()).reason).toBeUndefined()
  })

  test('has at most 1,000 characters, and goes with a suspension alone', async () => {
    for (const [length, status] of [
      [999, 200],
      [1000, 200],
      [1001, 400],
    ] as const)
      expect((await patch({ status: 'suspended', reason: 'ü'.repeat(length) })).status, String(length)).toBe(status)
    for (const body of [{ reason: REASON }, { status: 'active', reason: REASON }, { status: 'suspended', reason: ' ' }])
      expect((await patch(body)).status, JSON.stringify(body)).toBe(400)
    expect((await patch({ status: 'suspended', reason: 'a\u0000b' })).status).toBe(400)
    expect((await patch({ status: 'suspended', reason: REASON }, guest)).status).toBe(403)
  })
})
