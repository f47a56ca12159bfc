import { randomBytes } from 'node:crypto'
import { didSvc, hex32Of } from '@accredit/chain'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { type Answer, type NamedOperation, operations, type Request, requestsWith } from './support/requests.js'
import { anotherTeam } from './support/team.js'

/** Ids as they stand in a path or a body, by what they name. */
interface Ids {
  did: string
  schema: string
  registry: string
  revocation: string
  ecosystem: string
  participant: string
  credential: string
  job: string
}

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const unknownIds = (): Ids => ({
  did: didSvc(hex32Of(randomBytes(32))),
  schema: `${inject('apiUrl')}/schema-documents/Nothing-V1-1700000000000.json`,
  registry: hex(32),
  revocation: hex(32),
  ecosystem: `0x${hex(32)}`,
  participant: '4c2f9a52-6a1e-4f6e-9d0c-2f4d7c1b8e11',
  credential: `https://creds.example/${hex(8)}`,
  job: '1234567890123',
})

const all = await operations()
const guarded = all.filter((operation) => ['owned', 'shared'].includes(operation['x-tenancy'] ?? ''))
// An import is of a DID that nobody here holds: its path names no resource of a team.
const withIds = guarded.filter(({ path, operationId }) => path.includes('{') && operationId !== 'importDidDocument')

/** What each path parameter names. A new operation with another parameter adds its line here. */
function pathOf({ path }: NamedOperation, ids: Ids): string {
  const ofPath: Record<string, string> = path.startsWith('/trust-registries')
    ? { registryId: ids.ecosystem, participantId: ids.participant, schemaId: ids.schema }
    : path.startsWith('/jobs')
      ? { id: ids.job }
      : path.startsWith('/credentials')
        ? { id: ids.credential }
        : { id: ids.registry, regId: ids.registry, revId: ids.revocation, did: ids.did, schemaId: ids.schema }
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

/** A body that would be accepted, had the caller the right: its ids are those given. */
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
    updateParticipant: { status: 'suspended' },
    updateParticipantInfo: { infoUrl: 'https://example.org/taken' },
    issueCredential: { credential: { issuer: ids.did, subject: { degree: 'x', graduate: 'y' } } },
  }
  return bodies[operationId] ?? {}
}

const ask = (request: Request, operation: NamedOperation, ids: Ids): Promise<Answer> =>
  request(operation.method, pathOf(operation, ids), operation.method === 'GET' ? undefined : bodyOf(operation, ids))

/** An answer without the ids that were asked for, so that two can be compared. */
function comparable({ status, body }: Answer, ids: Ids): string {
  let text = JSON.stringify({ status, body })
  for (const [name, id] of Object.entries(ids)) text = text.replaceAll(id, name).replaceAll(id.replace(/^0x/, ''), name)
  return text
}

let mine: Ids
let stranger: Request
const owner = requestsWith(inject('apiKey'))

beforeAll(async () => {
  const make = builders(inject('apiUrl'), inject('apiKey'))
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
  const { id: job } = (await owner('POST', '/dids', {})).body
  mine = {
    did: issuer,
    schema,
    registry: String(registry.body.data.id ?? registry.body.data.registryId).replace(/^0x/, ''),
    revocation: hex(32),
    ecosystem,
    participant: participant.id,
    credential: degree.id,
    job,
  }
  stranger = requestsWith(await anotherTeam('Strangers'))
})

it('every operation says whose rows it touches', () => {
  expect(all.filter((operation) => operation['x-tenancy'] === undefined).map(({ operationId }) => operationId)).toEqual(
    [],
  )
  expect(withIds.length).toBeGreaterThan(10)
})

describe("another team's resource answers exactly like a missing one", () => {
  it.each(withIds.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    async (_name, operation) => {
      const missing = unknownIds()
      const [theirs, nothing] = [await ask(stranger, operation, mine), await ask(stranger, operation, missing)]
      expect(theirs.status).toBe(404)
      expect(comparable(theirs, mine)).toBe(comparable(nothing, missing))
    },
  )
})

describe('what belongs to another team cannot be used in a body', () => {
  const creating = guarded.filter(({ method, path }) => method !== 'GET' && !path.includes('{'))
  const usable = ['createProfile', 'createRegistry', 'createTrustRegistry', 'issueCredential']
  it.each(
    creating
      .filter(({ operationId }) => usable.includes(operationId))
      .map((operation) => [operation.operationId, operation] as const),
  )('%s', async (_name, operation) => {
    const missing = unknownIds()
    const [theirs, nothing] = [await ask(stranger, operation, mine), await ask(stranger, operation, missing)]
    // A policy without a DID of one's own is a bad request, whosever the DIDs in it are.
    expect(theirs.status).toBe(operation.operationId === 'createRegistry' ? 400 : 404)
    expect(comparable(theirs, mine)).toBe(comparable(nothing, missing))
  })
})

it('no list of a team shows anything of another one', async () => {
  const lists = guarded.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  expect(lists.length).toBeGreaterThan(4)
  const neededQuery: Record<string, string> = {
    '/trust-registries/schema-dids': `?ids=${encodeURIComponent(mine.schema)}`,
  }
  for (const list of lists) {
    const asked = neededQuery[list.path] ?? ''
    const { status, body } = await stranger('GET', list.path + asked)
    expect([list.path, status]).toEqual([list.path, 200])
    for (const id of Object.values(mine).filter((one) => !asked.includes(encodeURIComponent(one))))
      expect(JSON.stringify(body)).not.toContain(id)
  }
})

it('after all attempts of strangers everything stands as it was', async () => {
  const reads = withIds.filter(({ method }) => method === 'GET')
  const snapshot = () =>
    Promise.all(reads.map(async (operation) => [operation.path, comparable(await ask(owner, operation, mine), mine)]))
  const before = await snapshot()
  for (const operation of withIds.filter(({ method }) => method !== 'GET')) await ask(stranger, operation, mine)
  expect(await snapshot()).toEqual(before)
})

it('a missing or wrong key opens nothing', async () => {
  for (const request of [requestsWith(undefined), requestsWith(`ak_test_${hex(32)}`)]) {
    for (const operation of guarded) {
      const { status, body } = await ask(request, operation, mine)
      expect([operation.operationId, status, body.type]).toEqual([operation.operationId, 401, 'unauthorized'])
    }
  }
})
