import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Hex32, hex32Of, parseHex32, schemaId } from '@accredit/chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTurn } from '../../../test/support/in-turn.js'
import { insertDelegatable } from '../delegation/delegatable.store.js'
import { ecosystems } from '../ecosystems/operations.js'
import { TEXTS, TestEcosystems } from '../ecosystems/testing.js'
import { openSigner } from '../ledger/write/signer-door.js'
import type { IdentifierKind } from '../platform/http/identifiers.js'
import type { Operation } from '../platform/http/operation.js'
import { allServed } from '../platform/testing/all-served.js'
import type { TestTeam } from '../platform/testing/scratch-database.js'
import { parseLogo } from '../profiles/logo.js'
import { storeLogo } from '../profiles/logo.store.js'
import { revocationIdOf } from '../status/revocation-id.js'

const random = (): Hex32 => hex32Of(randomBytes(32))
const CREDENTIAL = 'urn:uuid:5d1f7c1e-0e1b-4c7e-9d0f-0a4ab8a0f9d1'

const bare = (id: Hex32) => id.slice(2)
const mixed = (id: Hex32) => [...bare(id)].map((digit, n) => (n % 2 ? digit.toUpperCase() : digit)).join('')

/** Every way to write 32 bytes. */
const SPELLINGS: readonly ((id: Hex32) => string)[] = [
  bare,
  (id) => bare(id).toUpperCase(),
  (id) => `0x${bare(id).toUpperCase()}`,
  (id) => `0X${mixed(id)}`,
]

/** The inputs that places of an operation take: `params.registryId`, `body[].issuerSchemas[]`. */
interface Place {
  operation: Operation
  path: string
  kind: IdentifierKind
}

interface Shape {
  'x-identifier'?: IdentifierKind
  type?: unknown
  pattern?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
}

function leaves(shape: Shape | undefined, path: string): [string, Shape][] {
  if (shape === undefined) return []
  const { properties = {}, items, anyOf = [] } = shape
  return [
    ...(shape.type === 'string' ? [[path, shape] as [string, Shape]] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => leaves(inner, `${path}.${name}`)),
    ...(items ? leaves(items, `${path}[]`) : []),
    ...anyOf.flatMap((inner) => leaves(inner, path)),
  ]
}

const operations = allServed.flatMap(({ operations }) => operations)
const inputs = (operation: Operation): [string, Shape][] => [
  ...leaves(operation.params as Shape, 'params'),
  ...leaves(operation.querystring as Shape, 'query'),
  ...leaves(operation.body as Shape, 'body'),
]
const places: Place[] = operations.flatMap((operation) =>
  inputs(operation).flatMap(([path, { 'x-identifier': kind }]) => (kind ? [{ operation, path, kind }] : [])),
)

let world: TestEcosystems
let team: TestTeam
let signer: ReturnType<typeof openSigner>
let ids: Record<IdentifierKind, Hex32>
/** Values by the names of parameters. */
let given: Record<string, string>
/** Values by operationId. */
let bodies: Record<string, object>
const call = (method: string, url: string, body?: unknown) => world.call(team, method, url, body)

beforeAll(async () => {
  // The signer is another process, which does not run here.
  signer = openSigner({
    signer: { socket: join(import.meta.dirname, 'no-such'), url: undefined, token: undefined, tls: undefined },
  })
  const others = allServed.filter((part) => part !== ecosystems)
  world = await TestEcosystems.open({}, others, { signer })
  team = await world.team()
  const [did, guest] = [await world.organisation(team, 'Council'), await world.organisation(team, 'Guild')]
  const registry = await world.registry(team, did, 'Degrees')
  const another = await world.registry(team, guest, 'Crafts')
  const uri = await hostSchema()
  const list = await makeList(did)
  await world.block(async (from_block) => {
    await world.ledger.row('did', { did, submitter: 'payer', from_block, to_block: null })
    await world.schema(registry, uri, from_block)
    for (const one of [did, guest]) await world.issuer(registry, uri, one, from_block)
    await world.verifier(registry, uri, did, from_block)
    const policy = { policy: [did], creator: did, add_only: false, kind: 'StatusList' as const, length: 131_072 }
    const since = { from_block, to_block: null, version: 1 }
    await world.ledger.row('revocation_registry', { ...since, registry_id: list, ...policy })
    const event = { block: from_block, actor: did, key_id: 1, nonce: 1, submitter: 'payer' }
    await world.ledger.event({ ...event, index: 1, name: 'Revocation.RegistryCreated', revocation_registry_id: list })
    const changed = { trust_registry_id: registry, schema_id: schemaId(uri), subject: did }
    await world.ledger.event({ ...event, index: 2, name: 'TrustRegistry.IssuerChanged', ...changed })
  })
  await call('POST', `/registries/${list}`, { credentialIds: [CREDENTIAL] })
  await world.scratch.db.transaction('system', (tx) =>
    insertDelegatable(tx, { registry_id: list, team_id: team.team, owner: did }, new Date()),
  )
  const png = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]).toString('base64')}`
  const logo = await world.scratch.db.transaction('system', (tx) =>
    storeLogo(tx, parseLogo(png), { base: '', now: new Date() }),
  )
  const hash = schemaId(uri)
  ids = {
    trustRegistry: registry,
    schema: hash,
    schemas: hash,
    revocationRegistry: list,
    revocationId: revocationIdOf(CREDENTIAL),
    digest: hexIn(logo.slice(-64)),
  }
  const { list: participants } = (await call('GET', `/trust-registries/${registry}/participants`)).body
  given = {
    registryId: registry,
    slug: registry,
    schemaId: uri,
    schema: uri,
    ids: uri,
    id: list,
    regId: list,
    revId: ids.revocationId,
    sha256: ids.digest,
    did,
    role: 'issuer',
    index: '1',
    keyNumber: '1',
    from: '0',
    name: 'registrySchemaIds',
    participantId: participants[0].id,
    job: '1',
    hex: 'ab'.repeat(32),
    p: 'cGFzc3dvcmQ=',
    currency: 'EUR',
  }
  const query = { entity_id: another, authority_id: registry, action: 'issue', resource: uri, context: {} }
  bodies = {
    updateTrustRegistry: { name: 'Degrees', ...TEXTS },
    setRegistrySchema: { public: false },
    setSchemaPrice: { currency: 'EUR', digits: 5, issuerDID: did },
    inviteParticipant: {},
    addParticipants: [
      { did: guest, name: 'Guild', issuerSchemas: [uri], prices: [{ currency: 'EUR', digits: 5, schema: uri }] },
    ],
    updateParticipant: {},
    updateParticipantInfo: { infoUrl: '' },
    setDelegates: { delegates: [] },
    updateRegistry: { credentialIds: [CREDENTIAL] },
    changeDelegatableStatus: { action: 'revoke', credentialId: 'urn:uuid:no-such-credential' },
    queryLedger: { registryId: registry, filter: { schemaIds: { AnyOf: [uri] } } },
    queryTrustRegistries: {},
    queryAuthorization: { ...query, entity_id: did },
    queryRecognition: query,
    issueCredential: { credential: { issuer: did, subject: { id: 'urn:x:1' } } },
  }
})
afterAll(async () => {
  await world.close()
  await signer.close()
})

function hexIn(text: string): Hex32 {
  const id = parseHex32(text)
  if (id === undefined) throw new Error(`${text} is no id`)
  return id
}

async function hostSchema(): Promise<string> {
  const document = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    name: 'Degree',
    type: 'object',
    properties: {},
  }
  return (await call('POST', '/schemas', document)).body.data.uri
}

const makeList = async (did: string | undefined): Promise<Hex32> =>
  hexIn((await call('POST', '/registries', { policy: [did] })).body.data.id)

/** An operation that takes a thing away gets a new one each time. */
async function idOf({ operation: { operationId }, kind }: Place): Promise<Hex32> {
  if (operationId === 'deleteSchema') return schemaId(await hostSchema())
  if (operationId === 'deleteRegistry') return makeList(given.did)
  return ids[kind]
}

/** `['filter', 'schemaIds', 'AnyOf', '[]']` */
const steps = (path: string): string[] => path.replaceAll('[]', '.[]').split('.').slice(1)

function put(target: unknown, [step, ...rest]: string[], value: string): unknown {
  if (step === undefined) return value
  if (step === '[]') return [put(Array.isArray(target) ? target[0] : undefined, rest, value)]
  const members: Record<string, unknown> = { ...(target as Record<string, unknown> | undefined) }
  return { ...members, [step]: put(members[step], rest, value) }
}

/** The answer of an operation when an id stands in a place, without the parts that differ each time. */
async function answerTo({ operation, path }: Place, id: Hex32, written: string): Promise<string> {
  const [where, name] = [path.split(/[.[]/)[0], steps(path)[0] ?? '']
  const values = where === 'body' ? given : { ...given, [name]: written }
  const shape = operation.querystring as { properties?: object; required?: string[] } | undefined
  const query = Object.keys(shape?.properties ?? {}).filter(
    // A parameter with a default is required for the handler, and left out by callers.
    (key) => (shape?.required?.includes(key) && key in values) || (where === 'query' && key === name),
  )
  const asked = new URLSearchParams(query.map((key): [string, string] => [key, values[key] ?? '']))
  const url = operation.url.replace(/:(\w+)/g, (_, key) => encodeURIComponent(values[key] ?? ''))
  const present = bodies[operation.operationId]
  const body = where === 'body' ? put(present, steps(path), written) : present
  const answer = await world.app.inject({
    method: operation.method,
    url: `${url}?${asked}`,
    headers: { authorization: `Bearer ${team.apiKey}` },
    ...(body !== undefined && { payload: body as object }),
  })
  const job = answer.headers['accredit-job']?.toString()
  if (job !== undefined && job !== '0') await world.refuse(job)
  const text = answer.body.replaceAll(new RegExp(`(0x)?${id.slice(2)}`, 'gi'), 'ID')
  const settled = text.replace(/token=[\w.-]+/g, 'token').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f-]{36}/g, '')
  const told = /<title>.*<\/title>/.exec(settled)?.[0] ?? settled
  return `${answer.statusCode} ${told.replace(/\d+/g, '#')}`
}

const nameOf = ({ operation: { operationId }, path }: Place): string => `${operationId} ${path}`

test('an id of 32 bytes is marked as one wherever an operation takes it', () => {
  const isOther = /^(participantId|did|job|issuerDid|jobId|templateId|keyId|pluginId)$/
  const unmarked = operations.flatMap((operation) =>
    inputs(operation)
      .filter(([path, shape]) => {
        const name = path.replaceAll('[]', '').split('.').at(-1) ?? ''
        const looksLikeId = /(^id|Id|^ids|hash|hex|sha256|slug|locator|[sS]chemas?|[sS]chemaIds\.AnyOf)$/.test(name)
        return (looksLikeId || shape.pattern?.includes('{64}')) && !shape['x-identifier'] && !isOther.test(name)
      })
      .map(([path]) => `${operation.operationId} ${path}`),
  )
  expect(unmarked).toEqual(NO_IDS_OF_THE_LEDGER)
})

/** Ids that callers choose, which are text, and those of the service's own rows. */
const NO_IDS_OF_THE_LEDGER = [
  'getJob params.id',
  'retryJob params.id',
  'watchJob params.id',
  'getDid query.versionId',
  'createSchema body.$schema',
  'issueCredential body.credential.id',
  'getCredential params.id',
  'deleteCredential params.id',
  'revokeCredential params.id',
  'unrevokeCredential params.id',
  'changeDelegatableStatus body.credentialId',
  'changeWalletRevocations body.credentialId',
  'changeVcApiStatus body.credentialId',
  'getWebhook params.id',
  'updateWebhook params.id',
  'deleteWebhook params.id',
  'rotateWebhookSecret params.id',
  'testWebhook params.id',
  'listWebhookDeliveries params.id',
  'replayWebhookDelivery params.id',
  'replayWebhookDelivery params.deliveryId',
  'replayWebhookDeliveries params.id',
  'getErasure params.id',
  'getDeletion params.id',
]

/** Places that may name what does not exist, or for which this world has no thing. */
const SAME_FOR_UNKNOWN = new Set([
  'getRevocationWitness params.revId',
  'listSchemaPrices query.ids',
  'setRegistrySchema params.schemaId',
  'inviteParticipant body.issuerSchemas[]',
  'inviteParticipant body.verifierSchemas[]',
  'addParticipants body[].verifierSchemas[]',
  'updateParticipant body.verifierSchemas[]',
  'withdrawWaitingAction params.registryId',
  'listRegistryHistory query.schema',
  'getPersistedCredential params.hex',
  // No wallet signs here: its own tests are about that.
  'changeWalletRevocations params.registryId',
  // No signer proves anything here: proofs.test.ts writes ids in several ways.
  'getAuthorizationProof params.registryId',
  'getAuthorizationProof query.schema',
  'getTrustRegistryProof params.registryId',
  'getStatusProof params.id',
])

test('each place takes an id with or without 0x, in one case or the other, and answers the same', async () => {
  expect(places.length).toBeGreaterThan(50)
  const wrong: string[] = []
  for (const [n, place] of places.entries()) {
    const first = await idOf(place)
    const expected = await answerTo(place, first, first)
    for (const spelling of inTurn(SPELLINGS, n, 2)) {
      const id = await idOf(place)
      const written = spelling(id)
      const answer = await answerTo(place, id, written)
      if (answer !== expected) wrong.push(`${nameOf(place)} ${written}: ${answer}, not ${expected}`)
    }
    const unknown = random()
    if ((await answerTo(place, unknown, unknown)) === expected && !SAME_FOR_UNKNOWN.has(nameOf(place)))
      wrong.push(`${nameOf(place)} does not look at the id: ${expected}`)
  }
  expect(wrong).toEqual([])
})

const graph = async (query: string) => {
  const answer = await world.app.inject({ method: 'POST', url: '/graphql', payload: { query } })
  return answer.body.replaceAll(/"time":"[^"]*"/g, '')
}

test('GraphQL takes ids likewise, in every argument', async () => {
  const { trustRegistry, schema, revocationRegistry } = ids
  const asked: [Hex32, (id: string) => string][] = [
    [trustRegistry, (id) => `{ registry(id: "${id}") { id name } }`],
    [trustRegistry, (id) => `{ participants(registryId: "${id}") { nodes { did { id } } } }`],
    [trustRegistry, (id) => authorizationOf(id, schema)],
    [schema, (id) => authorizationOf(trustRegistry, id)],
    [schema, (id) => `{ participants(registryId: "${trustRegistry}", schema: "${id}") { nodes { did { id } } } }`],
    [schema, (id) => `{ registries(filter: { schemas: ["${id}"] }) { nodes { id } } }`],
    [schema, (id) => `{ events(filter: { schema: "${id}" }) { nodes { id } } }`],
    [revocationRegistry, (id) => `{ revocationRegistry(id: "${id}") { id } }`],
  ]
  for (const [id, query] of asked) {
    const expected = await graph(query(id))
    expect(expected).not.toContain('errors')
    for (const spelling of SPELLINGS) expect(await graph(query(spelling(id)))).toBe(expected)
    expect(await graph(query(random()))).not.toBe(expected)
  }
})

const authorizationOf = (registry: string, schema: string) =>
  `{ authorization(registryId: "${registry}", did: "${given.did}", schema: "${schema}", role: issuer) { authorized reason } }`

test('a registry whose name is another’s id neither gets it as slug nor answers for it', async () => {
  const { trustRegistry } = ids
  const stranger = await world.team()
  const did = await world.organisation(stranger, 'Impostor')
  for (const name of [trustRegistry.slice(2), trustRegistry.slice(2).toUpperCase()]) {
    const made = await world.registry(stranger, did, name)
    const { slug } = (await world.call(undefined, 'GET', `/trust-registries/${made}/public`)).body
    expect(slug).toBe(`${trustRegistry.slice(2)}-${made.slice(2, 8)}`)
    expect((await world.call(undefined, 'GET', `/trust-registries/${name}/public`)).body.id).toBe(trustRegistry)
    expect((await world.call(undefined, 'GET', `/trust-registries/${slug}/public`)).body.id).toBe(made)
  }
})
