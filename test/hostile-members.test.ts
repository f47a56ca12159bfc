import { randomUUID } from 'node:crypto'
import { schemaId } from '@accredit/chain'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { builders } from './support/ecosystem.js'
import { operations, requestsWith } from './support/requests.js'
import { anotherTeam } from './support/team.js'

/** What stands where something else belongs: it breaks code that only looks whether a member is there. */
const HOSTILE: unknown[] = [
  { toString: 2 },
  [{ toString: 2 }],
  { id: { toString: 2 }, type: { toString: 2 }, length: -1 },
]

/** Nothing in its body is read. */
const UNREAD = new Set(['importDidDocument'])

type Place = readonly (string | number)[]
/** Where a request goes, and bodies as they should be. What would be written to the ledger is only tried. */
interface Good {
  path: string
  bodies: unknown[]
}

const writing = (await operations()).filter(
  ({ requestBody, operationId }) => requestBody !== undefined && !UNREAD.has(operationId),
)
const apiKey = await anotherTeam('Hostile members')
const request = requestsWith(apiKey)

let good: Record<string, Good>
beforeAll(async () => {
  good = await goodRequests()
})

async function goodRequests(): Promise<Record<string, Good>> {
  const { did, organisation, schema, registry, accredit, degree, client } = builders(inject('apiUrl'), apiKey)
  const [convener, member, spare] = [await organisation('Bilkent'), await organisation('UCL'), await did()]
  const uri = await schema()
  const ecosystem = await registry(convener, 'Degrees')
  const participant = await accredit(ecosystem, member, [uri])
  const { data: list } = await client.settled<{ data: { id: string } }>('POST', '/registries', { policy: [convener] })
  const rights = { issuerSchemas: [uri], verifierSchemas: [uri] }
  const invitation = { maxAge: 3600, ...rights }
  const inEcosystem = `/trust-registries/${ecosystem}`
  const invite = async () => {
    const { link } = await client.call<{ link: string }>('POST', `${inEcosystem}/participants`, invitation)
    return link.split('?token=')[1]
  }
  const issued = await degree(member, uri)
  const texts = {
    name: 'Degrees',
    description: 'Who may award degrees',
    logoUrl: 'https://example.org/logo.png',
    ecosystemUrl: 'https://example.org',
    governanceFramework: '# Rules',
    governanceFrameworkVersion: '1.0',
  }
  const price = { currency: 'EUR', digits: '1' }
  const listed = { Modify: { issuers: { Modify: { [member]: { Set: { EUR: '1' } } } } } }
  const actions = [
    { action: 'Revocation.set_status', params: { registryId: `0x${list.id}`, revoke: [1], unrevoke: ['2'] } },
    {
      action: 'TrustRegistry.set_schemas_metadata',
      params: { registryId: ecosystem, update: { Modify: { [schemaId(uri)]: listed } } },
    },
    {
      action: 'Did.set_service',
      params: { did: convener, service: { id: 'files', serviceType: 'Files', endpoints: ['https://example.org'] } },
    },
  ]
  const question = {
    entity_id: member,
    authority_id: ecosystem,
    resource: uri,
    context: { time: issued.proof.created },
  }
  const among = { AnyOf: [member] }
  const presentation = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiablePresentation'],
    holder: member,
    verifiableCredential: [issued],
    proof: issued.proof,
  }
  const password = 'correct horse'
  const wallet = await client.call('POST', `/dids/${spare}/export`, { password })
  const at = (path: string, ...bodies: unknown[]): Good => ({ path, bodies })
  const dry = (path: string, ...bodies: unknown[]): Good => at(`${path}?dryRun=true`, ...bodies)
  return {
    createDid: dry('/dids', { type: null, keyType: 'ed25519', controller: convener, includeDidcommService: false }),
    rotateDid: dry(`/dids/${convener}`, { keyType: 'ed25519' }),
    exportDid: at(`/dids/${spare}/export`, { password }),
    importDid: at('/dids/import', { data: wallet, password }),
    actOnLedger: dry('/ledger/actions', ...actions.map((action) => ({ did: convener, ...action }))),
    prepareLedgerAction: at(
      '/ledger/actions/prepare',
      { did: convener, keyId: 1, ...actions[2] },
      { did: convener, keyId: 1, actions },
    ),
    createProfile: at('/profiles', { did: spare, name: 'Spare', description: 'd', logo: null }),
    updateProfile: at(`/profiles/${member}`, { name: 'UCL', description: 'd' }),
    createSchema: at('/schemas', {
      $schema: 'http://json-schema.org/draft-07/schema#',
      name: `Degree ${randomUUID()}`,
      type: 'object',
      properties: { id: { type: 'string', pattern: '^a' }, year: { type: 'number', minimum: 1 } },
      required: ['year'],
      additionalProperties: false,
    }),
    createRegistry: dry('/registries', { policy: [convener], addOnly: false, type: 'StatusList2021Entry' }),
    updateRegistry: dry(`/registries/${list.id}`, { action: 'revoke', credentialIds: ['urn:one', 'urn:two'] }),
    createTrustRegistry: dry('/trust-registries', { convener, ...texts }),
    queryTrustRegistries: at('/trust-registries/query', { issuerDID: member, schema: uri, at: issued.proof.created }),
    updateTrustRegistry: dry(inEcosystem, texts),
    setRegistrySchema: dry(`${inEcosystem}/schemas/${schemaId(uri)}`, { public: true }),
    setSchemaPrice: dry(`${inEcosystem}/schemas/${schemaId(uri)}/price`, { issuerDID: member, ...price }),
    inviteParticipant: at(`${inEcosystem}/participants`, invitation),
    addParticipants: dry(`${inEcosystem}/participants/bulk`, [
      {
        did: spare,
        name: 'Spare',
        logoUrl: 'https://example.org/l.png',
        ...rights,
        prices: [{ schema: uri, ...price }],
      },
    ]),
    updateParticipant: dry(`${inEcosystem}/participants/${participant.id}`, { status: 'suspended', ...rights }),
    updateParticipantInfo: at(`${inEcosystem}/participants/${participant.id}/info`, { infoUrl: 'https://example.org' }),
    setDelegates: dry(`${inEcosystem}/issuers/${member}/delegates`, { delegates: [spare] }),
    acceptInvitation: dry('/trust-registries/invitations/accept', {
      token: await invite(),
      did: convener,
      infoUrl: '',
    }),
    snoozeInvitation: at('/trust-registries/invitations/snooze', { token: await invite(), maxAge: 60 }),
    declineInvitation: at('/trust-registries/invitations/decline', { token: await invite() }),
    queryLedger: at('/ledger/queries/registrySchemasMetadata', {
      registryId: ecosystem,
      did: member,
      filter: { issuersOrVerifiers: among, schemaIds: { AnyOf: [uri] } },
    }),
    queryAuthorization: at('/trqp/authorization', { action: 'issue', ...question }),
    queryRecognition: at('/trqp/recognition', { action: 'recognize', ...question }),
    issueCredential: at('/credentials', {
      credential: {
        id: 'urn:hostile:1',
        issuer: { id: member, name: 'UCL' },
        schema: uri,
        context: ['https://www.w3.org/2018/credentials/v1'],
        type: ['UniversityDegreeCredential'],
        subject: { id: 'did:example:1', degree: 'M.Sc.', graduate: 'Łucja' },
        issuanceDate: '2026-01-01T00:00:00Z',
        expirationDate: '2060-01-01T00:00:00Z',
      },
      algorithm: 'ed25519',
      format: 'jsonld',
      password: 'abcd',
      persist: true,
    }),
    verifyCredential: at('/verify', { data: issued, trustRegistryId: ecosystem, verifierDID: member }, presentation),
    queryGraphql: at('/graphql', {
      query: 'query Named($id: ID!) { registry(id: $id) { id name } }',
      variables: { id: ecosystem },
      operationName: 'Named',
    }),
  }
}

/** The whole, and every member in it. */
function placesIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return [place, ...keys.flatMap((key) => placesIn(Reflect.get(value, key), [...place, key]))]
}

function withAt(value: unknown, [head, ...rest]: Place, other: unknown): unknown {
  if (head === undefined || typeof value !== 'object' || value === null) return other
  const changed = withAt(Reflect.get(value, head), rest, other)
  return Array.isArray(value) ? value.with(Number(head), changed) : { ...value, [head]: changed }
}

describe.each(writing.map((operation) => [operation.operationId, operation] as const))('%s', (id, { method }) => {
  it('is done as it should be, and refuses or bears anything else in each place of its body', async () => {
    const { path, bodies } = good[id] ?? { path: '', bodies: [] }
    expect(bodies, `a good body of ${id}`).not.toEqual([])
    for (const body of bodies) {
      const first = await request(method, path, body)
      // Understood: what is imported is held here already.
      expect([200, 201, ...(id === 'importDid' ? [409] : [])], JSON.stringify(first.body)).toContain(first.status)
      const hostile = placesIn(body).flatMap((place) => HOSTILE.map((value) => withAt(body, place, value)))
      for (const changed of hostile) {
        const answer = await request(method, path, changed)
        expect(answer.status, `${JSON.stringify(changed)}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
      }
    }
  })
})
