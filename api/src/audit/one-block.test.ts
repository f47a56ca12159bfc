import { type Hex32, parseHex32, schemaId, viewFunctions } from '@accredit/chain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Answer, degree, TestService } from '../credentials/loop.testing.js'
import type { Json } from '../formats/json.js'
import { storedDid } from '../ledger/read/did-state.js'

const views = viewFunctions()
let service: TestService
let did: string

beforeAll(async () => {
  service = await TestService.open()
  did = await service.did()
})

afterAll(() => service.close())

function hex32(byte: string): Hex32 {
  const hex = parseHex32(`0x${byte.repeat(32)}`)
  if (hex === undefined) throw new TypeError('32 bytes')
  return hex
}

/** The job of a change that is accepted. */
async function accepted(asked: Promise<Answer>): Promise<string> {
  const { status, body } = await asked
  expect({ status, body }).toEqual({ status: 200, body: expect.anything() })
  return body.id
}

/** Submits actions of a DID in one dispatch: all or none. */
async function act(...actions: { action: string; params: Json }[]): Promise<void> {
  const job = await accepted(service.call('POST', '/ledger/actions', { did, actions }))
  expect(await service.finished(job)).toBe('finalized')
}

/** Returns the events about a thing, newest first, all of one block. */
async function historyAt(path: string): Promise<{ id: string; event: string }[]> {
  const { status, body } = await service.call('GET', path)
  expect(status).toBe(200)
  const events: { id: string; event: string; block: number }[] = body.list
  expect(new Set(events.map(({ block }) => block)).size).toBe(1)
  return events
}

/** Returns the runtime's own answer. */
async function byLedger(question: Parameters<typeof views.authorized>[0]) {
  const { method, params, decode } = views.authorized(question)
  const answer = await fetch(service.loop.ledgerUrl.replace(/^ws/, 'http'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = Object(await answer.json())
  return decode(result)
}

it('a DID that was made and deactivated in one block is authorised nowhere, as the ledger says, and its past is told', async () => {
  const { gone, jobs } = await service.whileNobodyWorks(async () => {
    const { body } = await service.call('POST', '/dids', {})
    const ended = await accepted(service.call('DELETE', `/dids/${body.did}`))
    return { gone: storedDid(body.did), jobs: [body.id, ended] }
  })
  for (const job of jobs) expect(await service.finished(job)).toBe('finalized')
  const history = await historyAt(`/dids/${gone}/history`)
  expect(history).toMatchObject([{ event: 'Did.Deactivated' }, ...history.slice(1, -1), { event: 'Did.Created' }])
  const resolved = await service.call('GET', `/1.0/identifiers/${gone}`)
  expect(resolved).toMatchObject({ status: 410, body: { didDocumentMetadata: { deactivated: true } } })

  const registryId = hex32('7a')
  const schema = schemaId('https://example.org/degree')
  const update = { Modify: { [schema]: { Ensure: { issuers: { Modify: { [gone]: 'Ensure' } } } } } }
  await act(
    {
      action: 'TrustRegistry.init_or_update_trust_registry',
      params: { registryId, name: 'Universities', govFramework: '0x00' },
    },
    { action: 'TrustRegistry.set_schemas_metadata', params: { registryId, update } },
  )
  const said = await byLedger({ registryId, schemaId: schema, did: gone, role: 'issuer' })
  expect(said).toMatchObject({ authorized: false, reason: 'deactivated' })
  const query = `did=${gone}&schema=${schema}&role=issuer`
  const { body } = await service.call('GET', `/trust-registries/${registryId}/authorization?${query}`)
  expect(body).toMatchObject(said)
  expect(body.event).toBe(history[0]?.id)
})

it('a revocation registry made and removed in one dispatch fails its credentials, and keeps its history', async () => {
  const registryId = hex32('6d')
  const kind = { StatusList: { length: 131_072 } }
  await act(
    { action: 'Revocation.create', params: { registryId, policy: [did], addOnly: false, kind } },
    { action: 'Revocation.remove', params: { registryId } },
  )
  const entry = { id: 'urn:entry:1', type: 'StatusList2021Entry', statusPurpose: 'revocation', statusListIndex: '7' }
  const status = { ...entry, statusListCredential: `status-list2021:svc:${registryId}` }
  const { body: credential } = await service.issue({ issuer: did, subject: degree, status })
  const { body } = await service.call('POST', '/verify', credential)
  expect(body.verified).toBe(false)
  expect(body.checks).toContainEqual(expect.objectContaining({ check: 'status', reason: 'registry_removed' }))
  expect(await historyAt(`/registries/${registryId}/history`)).toMatchObject([
    { event: 'Revocation.RegistryRemoved' },
    { event: 'Revocation.RegistryCreated' },
  ])
})
