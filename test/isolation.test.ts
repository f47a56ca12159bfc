import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { didKey, didSvc, encodeBase58, hex32Of } from '@accredit/chain'
import { beforeAll, describe, expect, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { peopleOf } from './support/people.js'
import {
  type Answer,
  isOfSponsors,
  type NamedOperation,
  operations,
  type Request,
  requestsWith,
} from './support/requests.js'
import { apiKey, apiUrl, databaseUrl } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

/** Ids as they stand in a path or a body, by the kind of thing. */
interface Ids {
  did: string
  schema: string
  registry: string
  revocation: string
  ecosystem: string
  participant: string
  credential: string
  job: string
  webhook: string
  delivery: string
  /** The public part of a key. */
  key: string
  team: string
  person: string
  invitation: string
  subAccount: string
  subAccountKey: string
  erasure: string
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const unknownIds = (): Ids => ({
  did: didSvc(hex32Of(randomBytes(32))),
  schema: `${apiUrl}/schema-documents/Nothing-V1-1700000000000.json`,
  registry: hex(32),
  revocation: hex(32),
  ecosystem: `0x${hex(32)}`,
  participant: '4c2f9a52-6a1e-4f6e-9d0c-2f4d7c1b8e11',
  credential: `https://creds.example/${hex(8)}`,
  job: '1234567890123',
  webhook: '3210987654321',
  delivery: `msg_${hex(16)}`,
  key: `ak_test_${hex(6)}`,
  team: '1234567890124',
  person: '1234567890125',
  invitation: '1234567890126',
  subAccount: '1234567890127',
  subAccountKey: `ak_test_${hex(6)}`,
  erasure: '9b1f0d6e-2a4c-4f0a-8f55-1d1f5a0c7e21',
})

const all = await operations(apiUrl)
const guarded = all.filter((operation) => ['owned', 'shared'].includes(operation['x-tenancy'] ?? ''))
/** The operations whose paths name no resource of a team: a DID that nobody here holds, a month. */
const NAMES_NOTHING = ['importDidDocument', 'getStatement']
const withIds = guarded.filter(
  (operation) =>
    operation.path.includes('{') && !NAMES_NOTHING.includes(operation.operationId) && !isOfSponsors(operation),
)
const lists = guarded.filter(
  ({ method, path, operationId }) => method === 'GET' && !path.includes('{') && operationId !== 'exportData',
)

/** The operations whose bodies name things that they use, with the answer to a stranger. */
const USED_IN_BODY: Record<string, readonly [status: number, message: RegExp]> = {
  acceptInvitation: [404, /DID/],
  actOnLedger: [404, /DID/],
  changeDelegatableStatus: [404, /Registry/],
  createProfile: [404, /DID/],
  // A policy without a DID of one's own is a bad request, no matter whose DIDs are in it.
  createRegistry: [400, /policy/],
  createTrustRegistry: [404, /DID/],
  // Any DID may be asked for, and its private keys decide: without them nobody learns whether it is held here.
  importDid: [400, /none of its keys is/],
  importDidDocument: [400, /none of its keys is/],
  issueCredential: [404, /DID/],
  issueVcApiCredential: [404, /DID/],
  changeVcApiStatus: [404, /Credential/],
}
const byBody = all.filter(({ operationId }) => Object.hasOwn(USED_IN_BODY, operationId))

/**
 * All other operations but public reads, with the reason for which they cannot touch another team. A new one needs its
 * line here or above.
 */
const EXEMPT: Record<string, string> = {
  changeWalletRevocations: 'a DID signs each request: those of others are tried in the tests of delegation',
  createDid: 'no DID can be chosen: a given one is refused, and any DID of the ledger may be named as controller',
  issueBatch: 'each of its rows is a request of its own, and tried as issueCredential',
  revokeBatch: 'each id is looked at as that of revokeCredential: tried beside it, in revoke-batch.test',
  createSchema: 'the body is a schema, and refers to no other',
  createWebhook: 'the body refers to nothing of a team',
  createKey: 'a key is made for the team of the caller: no team can be named',
  createSubAccount: 'it is made below the team of the caller: no other can be named',
  createSignInLink: 'its mail goes to the address, and whoever reads it may sign in',
  createSession: 'its token is the right; a team of somebody else is 404 in the tests of sign-in',
  exportData: 'a zip of all tables: compared with that of a stranger in the tests of data',
  getStatement: 'it names a month, and is about the team of the caller',
  markNotificationsRead: 'it names nothing, and is about the team of the caller',
  storeOnboarding: 'for sessions: it is about the person alone',
  updateOwnProfile: 'it names nothing, and is about the person or the team of the caller',
  updateSubscription: 'it names a plan, and is about the team of the caller',
  createTemporaryKey: 'for sessions: those of strangers are tried in the tests of teams and sub-accounts',
  createTeam: 'for sessions: a new team is the person’s own',
  deleteSession: 'for sessions: it ends those of the person alone',
  acceptTeamInvitation: 'for sessions: its token is the right, for the invited person alone',
  createErasure: 'it reaches the rows of the caller’s team alone: the hashes that it looks for name the team',
  deleteData: 'it ends the team of the caller: no other can be named',
  deleteAccount: 'it ends the team of the caller, or the person who calls',
  declineInvitation: 'its token is the right: whoever holds it may answer',
  snoozeInvitation: 'its token is the right, and nothing changes',
  prepareLedgerAction: 'any DID of the ledger may be asked for; what comes of it without its key is tested on its own',
  verifyCredential: 'public, and changes nothing',
  verifyVcApiCredential: 'public, and changes nothing',
  verifyVcApiPresentation: 'public, and changes nothing',
  queryAuthorization: 'public, and changes nothing',
  queryGraphql: 'public, and changes nothing',
  queryLedger: 'public, and changes nothing',
  queryRecognition: 'public, and changes nothing',
  queryTrustRegistries: 'public, and changes nothing',
}

/** Fills in the path parameters. A new operation with another parameter adds its line here. */
function pathOf({ path }: NamedOperation, ids: Ids): string {
  const ofAccounts: Record<string, Record<string, string>> = {
    keys: { publicKey: ids.key },
    teams: { id: ids.team, user_id: ids.person, invitation_id: ids.invitation },
    'delegatable-revocations': { registryId: ids.registry },
    webhooks: { id: ids.webhook, deliveryId: ids.delivery },
    subaccounts: { id: ids.subAccount, keyId: ids.subAccountKey },
    data: { id: ids.erasure, month: '2026-01' },
  }
  const ofPath: Record<string, string> =
    ofAccounts[path.split('/')[1] ?? ''] ??
    (path.startsWith('/trust-registries')
      ? { registryId: ids.ecosystem, participantId: ids.participant, schemaId: ids.schema, did: ids.did, job: ids.job }
      : path.startsWith('/jobs')
        ? { id: ids.job }
        : path.startsWith('/credentials')
          ? { id: ids.credential, jobId: ids.job }
          : {
              id: ids.registry,
              regId: ids.registry,
              revId: ids.revocation,
              did: ids.did,
              schemaId: ids.schema,
            })
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = ofPath[name]
    if (value === undefined) throw new Error(`which id is {${name}} of ${path}?`)
    return encodeURIComponent(value)
  })
}

const texts = {
  description: '',
  logoUrl: 'https://example.org/l.png',
  ecosystemUrl: 'https://example.org',
  governanceFramework: '# Rules',
  governanceFrameworkVersion: '1',
}

interface Pair {
  publicKey: KeyObject
  privateKey: KeyObject
}

const rawHalf = (key: KeyObject, half: 'x' | 'd'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[half] ?? '', 'base64url')

const strangersKey: Pair = generateKeyPairSync('ed25519')

/** A wallet of a DID, with a key that is not the DID's. */
const walletOf = (did: string) => [
  { didDocument: { id: did } },
  {
    type: 'Ed25519VerificationKey2018',
    controller: did,
    privateKeyBase58: encodeBase58(rawHalf(strangersKey.privateKey, 'd')),
  },
]

/** A ledger call by the DID, on itself. */
const deed = (did: string) => ({
  did,
  action: 'Did.set_service',
  params: { did, service: { id: 'taken', serviceType: 'Files', endpoints: ['https://taken.example'] } },
})

/** Returns a body that would be accepted, had the caller the right, with the given ids. */
function bodyOf({ operationId }: NamedOperation, ids: Ids): unknown {
  const bodies: Record<string, unknown> = {
    rotateDid: { keyType: 'ed25519' },
    exportDid: { password: 'stolen' },
    createProfile: { did: ids.did, name: 'Taken over' },
    updateProfile: { did: ids.did, name: 'Taken over' },
    createRegistry: { policy: [ids.did] },
    updateRegistry: { action: 'revoke', credentialIds: [ids.credential] },
    createTrustRegistry: { convener: ids.did, name: 'Taken over', ...texts },
    updateTrustRegistry: { name: 'Taken over', ...texts },
    inviteParticipant: { maxAge: 60, issuerSchemas: [ids.schema], verifierSchemas: [] },
    addParticipants: [{ did: ids.did, name: 'Taken over', issuerSchemas: [ids.schema] }],
    setDelegates: { delegates: [] },
    setSchemaPrice: { currency: 'EUR', digits: 1, issuerDID: ids.did },
    updateParticipant: { status: 'suspended' },
    updateParticipantInfo: { infoUrl: 'https://example.org/taken' },
    issueCredential: { credential: { issuer: ids.did, subject: { degree: 'x', graduate: 'y' } } },
    issueVcApiCredential: {
      credential: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential'],
        issuer: ids.did,
        credentialSubject: { id: 'did:example:1' },
      },
    },
    changeVcApiStatus: {
      credentialId: ids.credential,
      credentialStatus: { type: 'StatusList2021Entry' },
      status: true,
    },
    changeDelegatableStatus: { action: 'revoke', credentialId: ids.credential },
    acceptInvitation: { token: invitation, did: ids.did, infoUrl: '' },
    actOnLedger: deed(ids.did),
    updateWebhook: { url: 'https://hooks.example.org/taken' },
    replayWebhookDeliveries: { from: '2026-01-31T12:00:00Z' },
    updateKey: { alias: 'Taken over' },
    updateTeam: { name: 'Taken over' },
    transferTeam: { userId: Number(ids.person) },
    updateTeamMember: { role: 'member' },
    inviteTeamMembers: { emails: ['thief@example.org'] },
    updateSubAccount: { name: 'Taken over' },
    importDid: { data: walletOf(ids.did) },
    importDidDocument: { data: walletOf(ids.did) },
  }
  return bodies[operationId] ?? {}
}

/** Returns the query that an operation needs after its path. */
function queryOf({ operationId }: NamedOperation, ids: Ids): string {
  return operationId === 'removeSchemaPrice' ? `?${new URLSearchParams({ currency: 'EUR', issuerDID: ids.did })}` : ''
}

const ask = (request: Request, operation: NamedOperation, ids: Ids): Promise<Answer> =>
  request(
    operation.method,
    pathOf(operation, ids) + queryOf(operation, ids),
    operation.method === 'GET' ? undefined : bodyOf(operation, ids),
  )

/** A short number stands in many texts. */
const isTelling = ([, id]: [string, string]): boolean => id.length > 6

/** Returns an answer without the requested ids, so that two can be compared. */
function comparable({ status, body }: Answer, ids: Ids): string {
  let text = JSON.stringify({ status, body })
  for (const [name, id] of Object.entries(ids).filter(isTelling))
    text = text.replaceAll(id, name).replaceAll(id.replace(/^0x/, ''), name)
  return text
}

/** Returns the id of a delivery to a web hook. */
async function delivered(webhook: string): Promise<string> {
  await owner('POST', `/webhooks/${webhook}/test`)
  return (await owner('GET', `/webhooks/${webhook}/deliveries`)).body[0].id
}

let mine: Ids
/** The token is of a free invitation, which the stranger holds. */
let invitation: string
/** Everything belongs to a sub-account, so that its parent and its sibling are strangers too. */
const STRANGERS = ['another team', 'the parent', 'a sibling'] as const
let strangers: Record<(typeof STRANGERS)[number], Request>
let owner: Request
const parent = requestsWith(apiKey, apiUrl)

async function newSubAccount() {
  const { id } = (await parent('POST', '/subaccounts', { name: 'Isolated' })).body
  const { token } = (await parent('POST', `/subaccounts/${id}/keys`, { role: 'owner' })).body
  return { id: String(id), key: token }
}

beforeAll(async () => {
  const [child, sibling] = [await newSubAccount(), await newSubAccount()]
  owner = requestsWith(child.key, apiUrl)
  const make = builders(apiUrl, child.key)
  const [convener, issuer, schema] = await Promise.all([
    make.organisation('Isolated convener'),
    make.organisation('Isolated issuer'),
    make.schema('Isolated degree'),
  ])
  const ecosystem = await make.registry(convener, `Isolated ${hex(4)}`)
  const participant = await make.accredit(ecosystem, issuer, [schema])
  const degree = await make.degree(issuer, schema)
  const registry = await owner('POST', '/registries', { policy: [issuer], addOnly: false })
  await make.client.finished(registry.body.id)
  const statusList = /[0-9a-f]{64}/.exec(JSON.stringify(degree.credentialStatus))?.[0] ?? ''
  const people = await peopleOf(databaseUrl, child.key)
  await people.giveList(statusList, issuer)
  const { id: job } = (await owner('POST', '/dids', {})).body
  await make.client.finished(job)
  const webhook = (await owner('POST', '/webhooks', { url: 'https://hooks.example.org/isolated' })).body.id
  mine = {
    did: issuer,
    schema,
    registry: String(registry.body.data.id ?? registry.body.data.registryId).replace(/^0x/, ''),
    revocation: hex(32),
    ecosystem,
    participant: participant.id,
    credential: degree.id,
    job,
    webhook,
    delivery: await delivered(webhook),
    erasure: (await owner('POST', '/data/erasures', { subjectRef: 'did:example:nobody' })).body.id,
    ...(await accountIds(child.id)),
    invitation: await people.invitationToTeam(),
  }
  const invited = { maxAge: 3600, issuerSchemas: [schema], verifierSchemas: [] }
  const { body } = await owner('POST', `/trust-registries/${ecosystem}/participants`, invited)
  invitation = new URL(body.link).searchParams.get('token') ?? ''
  strangers = {
    'another team': requestsWith(await anotherTeam('Strangers'), apiUrl),
    'the parent': parent,
    'a sibling': requestsWith(sibling.key, apiUrl),
  }
})

/** Makes the other things that a team has: a person and keys. */
async function accountIds(team: string) {
  const [person] = (await parent('GET', `/teams/${(await parent('GET', '/teams')).body[0].id}/members`)).body
  const { key } = (await owner('POST', '/keys', { alias: 'Isolated' })).body
  const { id: subAccountKey } = (await parent('POST', `/subaccounts/${team}/keys`)).body
  return {
    key,
    team,
    person: String(person.id),
    subAccount: team,
    subAccountKey,
  }
}

/** The management of a sub-account is its parent's right. */
const isForeignTo =
  (who: (typeof STRANGERS)[number]) =>
  (operation: NamedOperation): boolean =>
    who !== 'the parent' || !operation.path.startsWith('/subaccounts')

it('every operation says whose rows it touches', () => {
  expect(all.filter((operation) => operation['x-tenancy'] === undefined).map(({ operationId }) => operationId)).toEqual(
    [],
  )
  expect(withIds.length).toBeGreaterThan(10)
})

it('every operation is tried on what belongs to another team, or says why not', () => {
  const names = (some: NamedOperation[]) => some.map(({ operationId }) => operationId)
  const found = all.filter((operation) => operation.method !== 'GET' || operation['x-tenancy'] !== 'public')
  const known = [...names(withIds), ...names(lists), ...Object.keys(USED_IN_BODY), ...Object.keys(EXEMPT)]
  expect(names(found).sort()).toEqual(known.sort())
})

describe.each(STRANGERS)("a team's resource answers %s exactly like a missing one", (who) => {
  it.each(
    withIds.filter(isForeignTo(who)).map((operation) => [`${operation.method} ${operation.path}`, operation] as const),
  )('%s', async (_name, operation) => {
    const missing = unknownIds()
    const [theirs, nothing] = [
      await ask(strangers[who], operation, mine),
      await ask(strangers[who], operation, missing),
    ]
    expect(theirs.status).toBe(404)
    expect(comparable(theirs, mine)).toBe(comparable(nothing, missing))
  })
})

describe.each(STRANGERS)('a thing of a team cannot be used in a body by %s', (who) => {
  it.each(byBody.map((operation) => [operation.operationId, operation] as const))('%s', async (name, operation) => {
    const missing = name.startsWith('importDid') ? { ...unknownIds(), did: someDidKey() } : unknownIds()
    const [theirs, nothing] = [
      await ask(strangers[who], operation, mine),
      await ask(strangers[who], operation, missing),
    ]
    const [status, message] = USED_IN_BODY[name] ?? []
    expect([theirs.status, theirs.body.message]).toEqual([status, expect.stringMatching(message ?? /^$/)])
    expect(comparable(theirs, mine)).toBe(comparable(nothing, missing))
  })

  it('and nothing comes of an action that a stranger prepares and signs with his own key', async () => {
    const before = await owner('GET', `/dids/${mine.did}`)
    const signed = { ...deed(mine.did), keyId: 1 }
    const prepared = await strangers[who]('POST', '/ledger/actions/prepare', signed)
    expect(prepared.status).toBe(200)
    const payload = Buffer.from(prepared.body.payload.slice(2), 'hex')
    const signature = sign(null, payload, strangersKey.privateKey).toString('hex')
    const brought = await strangers[who]('POST', '/ledger/actions', { ...signed, signature })
    expect([brought.status, brought.body.type]).toEqual([400, 'invalid_request'])
    expect((await owner('GET', `/dids/${mine.did}`)).body).toEqual(before.body)
    // The DID's team succeeds: only the right was missing.
    expect((await owner('POST', '/ledger/actions?dryRun=true', deed(mine.did))).status).toBe(200)
  })
})

it('a delegated credential is revoked by the team whose DID has the list', async () => {
  const { status, body } = await owner('POST', '/delegatableRevocation?dryRun=true', {
    action: 'revoke',
    credentialId: mine.credential,
  })
  expect(status, JSON.stringify(body)).toBe(200)
})

function someDidKey(): string {
  const publicKey = rawHalf(generateKeyPairSync('ed25519').publicKey, 'x')
  const did = didKey({ kind: 'Ed25519', publicKey: `0x${publicKey.toString('hex')}` })
  if (did === undefined) throw new TypeError('an Ed25519 key is a did:key')
  return did
}

it.each(STRANGERS)('no list shows %s anything of a team', async (who) => {
  expect(lists.length).toBeGreaterThan(4)
  const neededQuery: Record<string, string> = {
    '/trust-registries/schema-dids': `?ids=${encodeURIComponent(mine.schema)}`,
  }
  for (const list of lists) {
    const asked = neededQuery[list.path] ?? ''
    const { status, body } = await strangers[who]('GET', list.path + asked)
    expect([list.path, status]).toEqual([list.path, 200])
    const told = Object.entries(mine)
      .filter(isTelling)
      .map(([, id]) => id)
    for (const id of told.filter((one) => !asked.includes(encodeURIComponent(one))))
      expect(JSON.stringify(body)).not.toContain(id)
  }
})

it.each(STRANGERS)('everything stands as it was after all attempts of %s', async (who) => {
  const reads = withIds.filter(({ method }) => method === 'GET')
  const snapshot = () =>
    Promise.all(reads.map(async (operation) => [operation.path, comparable(await ask(owner, operation, mine), mine)]))
  // The first tries of the delivery come seconds after each other; then the service pauses for longer than this takes.
  const deliveries = () => owner('GET', `/webhooks/${mine.webhook}/deliveries`)
  await expect.poll(async () => (await deliveries()).body[0].tries.length).toBeGreaterThan(1)
  const before = await snapshot()
  const writes = [...withIds.filter(({ method }) => method !== 'GET').filter(isForeignTo(who)), ...byBody]
  for (const operation of writes) await ask(strangers[who], operation, mine)
  expect(await snapshot()).toEqual(before)
})

it('a missing or wrong key opens nothing', async () => {
  for (const request of [requestsWith(undefined, apiUrl), requestsWith(`ak_test_${hex(32)}`, apiUrl)]) {
    for (const [n, operation] of guarded.entries()) {
      // The requests come from an address each: one alone may not send so many wrong ones.
      const from: Request = (method, path, content) =>
        request(method, path, content, { 'x-forwarded-for': `198.51.100.${n}` })
      const { status, body } = await ask(from, operation, mine)
      // A problem document has a type of its standard, and ours as its code.
      expect([operation.operationId, status, body.code ?? body.type]).toEqual([
        operation.operationId,
        401,
        'unauthorized',
      ])
    }
  }
})
