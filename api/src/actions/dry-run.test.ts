import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tableContents } from '../../../test/support/table-contents.js'
import { type Answer, TestService } from '../credentials/loop.testing.js'
import { insertDelegatable } from '../delegation/delegatable.store.js'
import type { Json } from '../formats/json.js'

let service: TestService
let admin: pg.Client

beforeAll(async () => {
  service = await TestService.open()
  admin = new pg.Client({ connectionString: service.scratch.adminUrl })
  await admin.connect()
  // The worker has told where it stands.
  await service.did()
})
afterAll(async () => {
  await admin.end()
  await service.close()
})

/** @param isKeyUsed whether the signer was to use a key, which its audit notes */
async function contents(isKeyUsed = false): Promise<Record<string, string>> {
  const { 'signer.audit': audit = '', ...others } = await tableContents(admin, ['service', 'signer'])
  return { ...others, ...(!isKeyUsed && { audit }) }
}

interface Happened {
  event: string
  actor: string
}

/** Returns the ledger's events after a block in the form of reported changes. */
async function happenedAfter(block: number): Promise<Happened[]> {
  const { body } = await service.call('GET', `/ledger/events?order=asc&limit=64&from=${block + 1}`)
  const told = body.list.map(
    ({
      id,
      block: _block,
      time,
      extrinsicHash,
      nonce,
      callHash,
      submitter,
      schemaUri,
      ...fact
    }: Record<string, unknown>) => Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== null)),
  )
  return told.filter(({ event }: Happened) => event !== 'Did.Dispatched')
}

async function lastBlock(): Promise<number> {
  const { body } = await service.call('GET', '/ledger/events?order=desc&limit=1')
  return body.list[0]?.block ?? 0
}

interface Step {
  operationId: string
  method: string
  url: string
  body?: Json
  /** Ids and keys are drawn afresh each time, so that only the names of the events can be the same. */
  isRandom?: boolean
  /** The value of an accumulator is made with its key, also to foretell it. */
  isKeyUsed?: boolean
}

const seen = new Set<string>()

/** Asks what would happen, sees that nothing did, does it, and compares. */
async function tryThenDo({
  operationId,
  method,
  url,
  body,
  isRandom = false,
  isKeyUsed = false,
}: Step): Promise<Answer> {
  await untilDone()
  const [before, block] = [await contents(isKeyUsed), await lastBlock()]
  const dry = await service.call(method, `${url}${url.includes('?') ? '&' : '?'}dryRun=true`, body, undefined, {
    'idempotency-key': operationId,
  })
  expect([operationId, dry.status, dry.body?.refusals], JSON.stringify(dry.body)).toEqual([operationId, 200, []])
  expect(dry.header('accredit-job')).toBeUndefined()
  expect(await contents(isKeyUsed), operationId).toEqual(before)
  const answer = await service.call(method, url, body)
  expect([operationId, answer.status]).toEqual([operationId, 200])
  await untilDone()
  const happened = await happenedAfter(block)
  expect(happened.length, operationId).toBeGreaterThan(0)
  const told = (changes: Happened[]) => (isRandom ? changes.map(({ event }) => event) : changes)
  expect(told(dry.body.changes), operationId).toEqual(told(happened))
  seen.add(operationId)
  return answer
}

/** Resolves once no job and no extrinsic is open. */
async function untilDone(): Promise<void> {
  await expect
    .poll(
      async () =>
        (
          await admin.query(
            `select from service.jobs where team_id = $1 and status in ('todo', 'in_progress')
            union all select from signer.extrinsics where state = 'pending'`,
            [service.team.team],
          )
        ).rowCount,
      {
        timeout: 60_000,
        interval: 20,
      },
    )
    .toBe(0)
}

const profiled = async (): Promise<string> => {
  const did = await service.did()
  const logo = 'https://example.org/logo.png'
  await service.call('POST', '/profiles', { did, name: 'University', description: 'x', logo })
  return did
}

const texts = (name: string) => ({
  name,
  description: 'Who may award degrees',
  logoUrl: 'https://example.org/logo.png',
  ecosystemUrl: 'https://example.org',
  governanceFramework: 'Only accredited universities.',
  governanceFrameworkVersion: '1.0',
})

const schema = `0x${'5'.repeat(64)}`

test('a dry run of every ledger operation changes nothing, and foretells exactly what the operation does', async () => {
  const { body: made } = await tryThenDo({
    operationId: 'createDid',
    method: 'POST',
    url: '/dids',
    body: {},
    isRandom: true,
  })
  const [convener, guest] = [await profiled(), await profiled()]
  await tryThenDo({
    operationId: 'rotateDid',
    method: 'PATCH',
    url: `/dids/${made.did}`,
    isRandom: true,
    body: { keyType: 'ed25519', controller: guest },
  })

  const created = await tryThenDo({
    operationId: 'createTrustRegistry',
    method: 'POST',
    url: '/trust-registries',
    isRandom: true,
    body: { convener, ...texts('Kenya') },
  })
  const registry = `/trust-registries/${created.body.id}`
  await tryThenDo({ operationId: 'updateTrustRegistry', method: 'PATCH', url: registry, body: texts('Uganda') })
  const schemaUrl = `${registry}/schemas/${schema}`
  await tryThenDo({ operationId: 'setRegistrySchema', method: 'PUT', url: schemaUrl, body: { public: true } })
  const invited = await service.call('POST', `${registry}/participants`, { issuerSchemas: [schema] })
  const token = String(invited.body.link).split('?token=')[1] ?? ''
  const accepted = await tryThenDo({
    operationId: 'acceptInvitation',
    method: 'POST',
    url: '/trust-registries/invitations/accept',
    body: { token, did: guest, infoUrl: '' },
  })
  const participant = `${registry}/participants/${accepted.body.id}`
  await tryThenDo({
    operationId: 'updateParticipant',
    method: 'PATCH',
    url: participant,
    body: { status: 'suspended' },
  })
  await tryThenDo({ operationId: 'removeParticipant', method: 'DELETE', url: participant })
  await tryThenDo({ operationId: 'setRegistrySchema', method: 'PUT', url: schemaUrl, body: { public: false } })
  await tryThenDo({
    operationId: 'actOnLedger',
    method: 'POST',
    url: '/ledger/actions',
    body: {
      did: convener,
      action: 'set_schemas_metadata',
      params: {
        registryId: created.body.id,
        update: { Modify: { [schema]: { Ensure: { issuers: { Modify: { [guest]: { Set: { EUR: '1' } } } } } } } },
      },
    },
  })
  await tryThenDo({
    operationId: 'setSchemaPrice',
    method: 'POST',
    url: `${schemaUrl}/price`,
    body: { currency: 'USD', digits: '1500000' },
  })
  await tryThenDo({ operationId: 'removeSchemaPrice', method: 'DELETE', url: `${schemaUrl}/price?currency=USD` })
  await tryThenDo({
    operationId: 'addParticipants',
    method: 'POST',
    url: `${registry}/participants/bulk`,
    body: [{ did: made.did, name: 'Makerere University', issuerSchemas: [schema] }],
  })
  await tryThenDo({
    operationId: 'setDelegates',
    method: 'PUT',
    url: `${registry}/issuers/${made.did}/delegates`,
    body: { delegates: [convener] },
  })
  await tryThenDo({ operationId: 'removeRegistrySchema', method: 'DELETE', url: schemaUrl })
  await tryThenDo({ operationId: 'removeTrustRegistry', method: 'DELETE', url: registry })

  const revocation = await tryThenDo({
    operationId: 'createRegistry',
    method: 'POST',
    url: '/registries',
    isRandom: true,
    body: { policy: [convener], addOnly: false },
  })
  const list = `/registries/${revocation.body.data.id}`
  await tryThenDo({
    operationId: 'updateRegistry',
    method: 'POST',
    url: list,
    isRandom: true,
    body: { action: 'revoke', credentialIds: ['urn:x'] },
  })
  const delegated = { registry_id: `0x${revocation.body.data.id}`, team_id: service.team.team, owner: convener }
  await service.scratch.db.transaction('system', (tx) => insertDelegatable(tx, delegated, new Date()))
  await tryThenDo({
    operationId: 'changeDelegatableStatus',
    method: 'POST',
    url: '/delegatableRevocation',
    body: { action: 'unrevoke', credentialId: 'urn:x' },
  })
  await tryThenDo({ operationId: 'deleteRegistry', method: 'DELETE', url: list })

  const issued = await tryThenDo({
    operationId: 'issueCredential',
    method: 'POST',
    url: '/credentials',
    isRandom: true,
    body: { revocable: true, credential: { issuer: guest, subject: { degree: 'M.Sc.' } } },
  })
  const credential = `/credentials/${encodeURIComponent(issued.body.id)}`
  await tryThenDo({ operationId: 'revokeCredential', method: 'POST', url: `${credential}/revoke` })
  await tryThenDo({ operationId: 'unrevokeCredential', method: 'POST', url: `${credential}/unrevoke` })
  await tryThenDo({
    operationId: 'revokeBatch',
    method: 'POST',
    url: '/credentials/batch/revoke',
    body: { credentialIds: [issued.body.id] },
  })
  const { body: accumulator } = await service.call('POST', '/registries', {
    policy: [guest],
    type: 'DockVBAccumulator2022',
  })
  const member = await service.issue(
    { id: 'urn:member', issuer: guest, subject: { degree: 'M.Sc.' }, status: accumulator.data.id },
    { algorithm: 'bbdt16' },
  )
  expect(member.status, JSON.stringify(member.body)).toBe(200)
  const many = ['urn:many:1', 'urn:many:2']
  for (const [operationId, url, body] of [
    ['revokeCredential', '/credentials/urn%3Amember/revoke', undefined],
    ['unrevokeCredential', '/credentials/urn%3Amember/unrevoke', undefined],
    ['revokeBatch', '/credentials/batch/revoke', { credentialIds: ['urn:member'] }],
    ['updateRegistry', `/registries/${accumulator.data.id}`, { action: 'revoke', credentialIds: many }],
    ['updateRegistry', `/registries/${accumulator.data.id}`, { action: 'unrevoke', credentialIds: many }],
  ] as const)
    await tryThenDo({
      operationId,
      method: 'POST',
      url,
      isRandom: operationId === 'updateRegistry',
      isKeyUsed: true,
      ...(body && { body: { ...body, credentialIds: [...body.credentialIds] } }),
    })
  await tryThenDo({ operationId: 'deleteDid', method: 'DELETE', url: `/dids/${guest}` })

  const { body: openApi } = await service.call('GET', '/openapi.json')
  expect([...seen].sort()).toEqual(dryRunnable(openApi).sort())
})

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        parameters: { name: string }[]
        responses: { 200: { content: { 'application/json': { schema: { anyOf?: { $ref?: string }[] } } } } }
      }
    >
  >
}

/** The operations whose reference offers a dry run and describes its answer. */
function dryRunnable({ paths }: OpenApi): string[] {
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ parameters }) => parameters.some(({ name }) => name === 'dryRun'))
    .filter(({ responses }) =>
      responses[200].content['application/json'].schema.anyOf?.some(
        ({ $ref }) => $ref === '#/components/schemas/DryRun',
      ),
    )
    .map(({ operationId }) => operationId)
}

test('a dry run of a change of an accumulator tells what would come after those on the way, and nothing where nothing changes', async () => {
  const issuer = await service.did()
  const made = await service.call('POST', '/registries', { policy: [issuer], type: 'DockVBAccumulator2022' })
  const list = `/registries/${made.body.data.id}`
  const ask = (id: string, query = '') => service.call('POST', `${list}${query}`, { credentialIds: [id] })
  const first = await ask('urn:first')
  const dry = await ask('urn:second', '?dryRun=true')
  expect(dry.body).toMatchObject({
    refusals: [],
    changes: [{ event: 'Revocation.AccumulatorUpdated', actor: issuer, after: { version: 2, additions: [] } }],
  })
  expect(dry.body.changes[0].after.removals).toHaveLength(1)
  expect(await service.finished(first.body.id)).toBe('finalized')
  expect((await ask('urn:first', '?dryRun=true')).body).toEqual({ changes: [], refusals: [] })
})

test('a refusal of the ledger is told with its error, and what comes after it is tried all the same', async () => {
  const did = await service.did()
  await untilDone()
  const before = await contents()
  const act = (action: string, params: Json) =>
    service.call('POST', '/ledger/actions?dryRun=true', { did, action, params })
  const refused = await act('suspend_issuers', { registryId: schema, issuers: [did] })
  expect(refused).toMatchObject({
    status: 200,
    body: { changes: [], refusals: [{ part: 0, did, type: 'NotFound', message: expect.stringMatching(/\w+ \w+/) }] },
  })
  expect((await act('suspend_issuers', { registryId: schema })).status).toBe(400)
  expect((await act('System.remark', {})).status).toBe(400)
  const [unknown, odd, elsewhere] = [
    await service.call('DELETE', `/dids/${did}x?dryRun=true`),
    await service.call('POST', '/dids?dryRun=perhaps', {}),
    await service.call('POST', '/profiles?dryRun=true', { did, name: 'x' }),
  ]
  expect([unknown.status, odd.status, elsewhere.status]).toEqual([404, 400, 400])
  expect(await contents()).toEqual(before)
})

test('a dry run works for a DID that is not on the ledger yet', async () => {
  const { body } = await service.call('POST', '/dids', {})
  const params = { registryId: schema, name: 'Kenya', govFramework: 'x' }
  const wish = { did: body.did, action: 'init_or_update_trust_registry', params }
  const { body: dry } = await service.call('POST', '/ledger/actions?dryRun=true', wish)
  expect(dry).toMatchObject({ refusals: [], changes: [{ event: 'TrustRegistry.TrustRegistryInitialized' }] })
})
