import type { Did, Hex32 } from '@accredit/chain'
import { hex32Of, schemaId } from '@accredit/chain'
import { Check } from 'typebox/schema'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { proveControl } from '../../dids/wallet/did-proof.store.js'
import type { JsonObject } from '../../platform/database/tables.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { outgoingEvents, type TestTeam } from '../../platform/testing/scratch-database.js'
import { storeIdleHook } from '../../webhooks/idle-hook.testing.js'
import { isWebhookEvent, WEBHOOK_EVENTS } from '../../webhooks/webhook-events.js'
import '../../webhooks/webhook.tables.js'
import { TestEcosystems } from '../testing.js'
import { ECOSYSTEM_EVENTS } from './ecosystem.events.js'

const open = forAllTests(() => TestEcosystems.open())
const URI = 'https://schema.example/degree'
const SCHEMA = schemaId(URI)
const P = 'TrustRegistry.'

let [owner, guest, stranger]: TestTeam[] = []
let convener: Did
let member: Did
let registry: Hex32

/** A web hook of a team; nobody delivers here, the stored events are what the tests read. */
async function hook({ team }: TestTeam, events: readonly string[] = ECOSYSTEM_EVENTS): Promise<void> {
  await open().scratch.db.transaction('system', (tx) => storeIdleHook(tx, team, events))
}

const teamOf = (team: TestTeam | undefined): TestTeam => {
  if (team === undefined) throw new Error('beforeAll makes it')
  return team
}

beforeAll(async () => {
  ;[owner, guest, stranger] = [await open().team(), await open().team(), await open().team()]
  for (const team of [owner, guest, stranger]) await hook(team)
})
beforeEach(async () => {
  convener = await open().organisation(teamOf(owner), 'Council')
  member = await open().organisation(teamOf(guest), 'Guild')
  registry = await open().registry(teamOf(owner), convener, 'Degrees')
  await open().admin('truncate service.outgoing_events cascade', [])
})

let index = 0
const happens = (block: number, name: string, more: { schema_id?: string; subject?: string } & Partial<Changed> = {}) =>
  open().ledger.event({ block, index: index++, name, actor: convener, trust_registry_id: registry, ...more })
interface Changed {
  before: JsonObject
  after: JsonObject
  trust_registry_id: string
}
const ofSchema = { schema_id: SCHEMA }

/** Returns the names and data of what a team is told; each has the shape that the reference promises. */
async function told(team: TestTeam | undefined) {
  const events = await outgoingEvents(open().scratch, teamOf(team).team)
  for (const { event, data } of events) {
    expect(isWebhookEvent(event), event).toBe(true)
    if (isWebhookEvent(event)) expect([event, Check(WEBHOOK_EVENTS[event].data, data)]).toEqual([event, true])
  }
  return events
}
const namesOf = async (team: TestTeam | undefined) => (await told(team)).map(({ event }) => event)

/** A block in which the member gets its first right. */
async function joins(): Promise<number> {
  const height = await open().block(async (block) => {
    await open().issuer(registry, URI, member, block)
    await happens(block, `${P}IssuerChanged`, { ...ofSchema, subject: member, after: { prices: {} } })
  })
  await open().follow()
  return height
}

test('the convener’s team and the participant’s are told of a first right, and no other team', async () => {
  const block = await joins()
  const data = {
    registryId: registry,
    did: member,
    issuerSchemas: [SCHEMA],
    verifierSchemas: [],
    actor: convener,
    block,
    time: await open().timeOf(block),
  }
  for (const team of [owner, guest]) expect(await told(team)).toEqual([{ event: 'participant_create', data }])
  expect(await told(stranger)).toEqual([])
})

test('several rights that change in a block are one event, and those that end all are the end', async () => {
  await joins()
  const other = schemaId('https://schema.example/other')
  await open().block(async (block) => {
    await open().issuer(registry, other, member, block)
    await open().verifier(registry, URI, member, block)
    await happens(block, `${P}IssuerChanged`, { schema_id: other, subject: member, after: { prices: {} } })
    await happens(block, `${P}VerifierChanged`, { ...ofSchema, subject: member, after: { listed: true } })
  })
  await open().block(async (block) => {
    await open().endIssuer(registry, member, block)
    await open().admin('update ledger.verifier set to_block = $2 where did = $1', [member, block])
    for (const schema_id of [SCHEMA, other])
      await happens(block, `${P}IssuerChanged`, { schema_id, subject: member, before: { prices: {} } })
    await happens(block, `${P}VerifierChanged`, { ...ofSchema, subject: member, after: { listed: false } })
  })
  await open().follow()
  const events = await told(guest)
  expect(events.map(({ event, data }) => [event, data.issuerSchemas, data.verifierSchemas])).toEqual([
    ['participant_create', [SCHEMA], []],
    ['participant_update', [SCHEMA, other].sort(), [SCHEMA]],
    ['participant_delete', [], []],
  ])
})

test('rights that come and go within one block are no event', async () => {
  await open().block(async (block) => {
    for (const after of [{ prices: {} }, undefined])
      await happens(block, `${P}IssuerChanged`, { ...ofSchema, subject: member, ...(after && { after }) })
  })
  await open().follow()
  expect(await told(owner)).toEqual([])
})

test('suspensions, delegations and a deactivated DID are told in the order of the ledger', async () => {
  await joins()
  const delegate = await open().organisation(teamOf(stranger), 'Agent')
  await open().block(async (block) => {
    await happens(block, `${P}IssuerSuspended`, { subject: member })
    await happens(block, `${P}IssuerUnsuspended`, { subject: member })
    await happens(block, `${P}DelegateAdded`, { subject: delegate, after: { issuer: member } })
    await happens(block, `${P}DelegateRemoved`, { subject: delegate, before: { issuer: member } })
    await open().ledger.event({ block, index: index++, name: 'Did.Deactivated', actor: member, subject: member })
  })
  await open().follow()
  const delegations = ['delegation_create', 'delegation_delete']
  const ofMember = ['participant_suspend', 'participant_reinstate', ...delegations, 'participant_deactivate']
  for (const team of [owner, guest]) expect(await namesOf(team)).toEqual(['participant_create', ...ofMember])
  const [first] = await told(stranger)
  expect(await namesOf(stranger)).toEqual(delegations)
  expect(first?.data).toMatchObject({ registryId: registry, issuer: member, delegate })
})

test('a registry that is made, renamed, filled, handed over and removed is told to those who convene it', async () => {
  const next = await open().organisation(teamOf(guest), 'Next Council')
  await open().block(async (block) => {
    await happens(block, `${P}TrustRegistryInitialized`, { subject: convener, after: { convener } })
    await happens(block, `${P}TrustRegistryUpdated`)
    await happens(block, `${P}SchemaAdded`, ofSchema)
    await happens(block, `${P}SchemaPublicSet`, { ...ofSchema, before: { public: false }, after: { public: true } })
    await happens(block, `${P}SchemaRemoved`, ofSchema)
    await happens(block, `${P}TransferProposed`, { subject: next })
  })
  await open().block(async (block) => {
    await open().admin('update ledger.trust_registry set to_block = $2 where registry_id = $1', [registry, block])
    await open().registryRow(registry, next, 'Degrees', '0x', block)
    const handedOver = { subject: next, before: { convener }, after: { convener: next } }
    await happens(block, `${P}Transferred`, handedOver)
  })
  await open().block(async (block) => {
    await open().endRegistry(registry, block)
    await happens(block, `${P}TrustRegistryRemoved`)
  })
  await open().follow()
  expect(await namesOf(owner)).toEqual([
    'trust_registry_create',
    'trust_registry_update',
    'trust_registry_schema_create',
    'trust_registry_schema_update',
    'trust_registry_schema_delete',
    'trust_registry_transfer_propose',
    'trust_registry_transfer',
  ])
  const events = await told(guest)
  expect(events.map(({ event }) => event)).toEqual([
    'trust_registry_transfer_propose',
    'trust_registry_transfer',
    'trust_registry_delete',
  ])
  expect(events[0]?.data).toMatchObject({ id: registry, convener, proposedConvener: next })
  expect(events[1]?.data).toMatchObject({ id: registry, convener: next, formerConvener: convener })
})

test('a convener that keeps its own key, and acts without the service, is told all the same', async () => {
  const did = (await open().organisation(teamOf(stranger), 'To be forgotten')) satisfies Did
  await open().admin(`delete from service.dids where did = $1`, [did])
  await open().ledger.row('did_key', {
    did,
    key_id: 1,
    kind: 'Ed25519',
    public_key: '0x00',
    relationships: 15,
    end_reason: null,
    from_block: 1,
    to_block: null,
  })
  const proof = { did, team_id: teamOf(stranger).team, key_id: 1, proved: new Date() }
  await open().scratch.db.transaction('system', (tx) => proveControl(tx, proof))
  const id = hex32Of(Buffer.alloc(32, 0xab))
  await open().block(async (block) => {
    await open().registryRow(id, did, 'Own', '0x', block)
    await happens(block, `${P}TrustRegistryInitialized`, { trust_registry_id: id, subject: did })
  })
  await open().follow()
  const [event] = await told(stranger)
  expect(event).toMatchObject({ event: 'trust_registry_create', data: { id, convener: did, name: 'Own' } })
})

test('nothing is stored that no web hook wants', async () => {
  const silent = await open().team()
  await hook(silent, ['participant_delete'])
  const did = await open().organisation(silent, 'Silent')
  await open().block(async (block) => {
    await open().issuer(registry, URI, did, block)
    await happens(block, `${P}IssuerChanged`, { ...ofSchema, subject: did, after: { prices: {} } })
  })
  await open().follow()
  expect(await namesOf(owner)).toEqual(['participant_create'])
  expect(await told(silent)).toEqual([])
})

test('the inviting team is told who takes part, once the ledger has the rights, and who declined', async () => {
  const accepted = await open().accept(teamOf(owner), teamOf(guest), registry, member, { issuerSchemas: [URI] })
  expect(await told(owner)).toEqual([])
  await open().include(accepted.job)
  expect(await told(owner)).toEqual([
    {
      event: 'invitation_accept',
      data: { id: expect.stringMatching(/^[0-9a-f]{32}$/), registryId: registry, did: member },
    },
  ])
  const other = await open().organisation(teamOf(guest), 'Without rights')
  await open().accept(teamOf(owner), teamOf(guest), registry, other)
  const invited = await open().call(teamOf(owner), 'POST', `/trust-registries/${registry}/participants`, {})
  const token = String(invited.body.link).split('?token=')[1]
  expect((await open().call(teamOf(guest), 'POST', '/trust-registries/invitations/decline', { token })).status).toBe(
    200,
  )
  expect(await namesOf(owner)).toEqual(['invitation_accept', 'invitation_accept', 'invitation_decline'])
  expect(await told(guest)).toEqual([])
})
