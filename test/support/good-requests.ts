import { randomUUID } from 'node:crypto'
import { schemaId } from '@accredit/chain'
import { builders } from './ecosystem.js'
import type { People } from './people.js'

/** The place that a request goes to, and bodies as they should be. Writes to the ledger are only tried. */
export interface Good {
  path: string
  bodies: unknown[]
}

/** One good request, at least, for each operation that takes a body, on an ecosystem of its own. */
export const goodRequests = async (apiUrl: string, apiKey: string, people: People): Promise<Record<string, Good>> =>
  (await goodWorld(apiUrl, apiKey, people)).requests

/** Good requests, and what they are about. */
export async function goodWorld(apiUrl: string, apiKey: string, people: People) {
  const { did, organisation, schema, registry, accredit, degree, client } = builders(apiUrl, apiKey)
  const [convener, member, spare] = [await organisation('Bilkent'), await organisation('UCL'), await did()]
  const uri = await schema()
  const ecosystem = await registry(convener, 'Degrees')
  const participant = await accredit(ecosystem, member, [uri])
  const { data: list } = await client.settled<{ data: { id: string } }>('POST', '/registries', { policy: [convener] })
  const delegated = 'urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e'
  await people.giveList(list.id, convener)
  await client.settled('POST', `/registries/${list.id}`, { credentialIds: [delegated] })
  const rights = { issuerSchemas: [uri], verifierSchemas: [uri] }
  const invitation = { maxAge: 3600, ...rights }
  const inEcosystem = `/trust-registries/${ecosystem}`
  const invite = async () => {
    const { link } = await client.call<{ link: string }>('POST', `${inEcosystem}/participants`, invitation)
    return link.split('?token=')[1]
  }
  const issued = await degree(member, uri)
  const receiver = { url: 'https://hooks.example.org/accredit', events: ['did_create'] }
  const [hook, replayed] = [
    await client.call<{ id: string }>('POST', '/webhooks', receiver),
    await client.call<{ id: string }>('POST', '/webhooks', receiver),
  ]
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
  const unsigned = { '@context': ['https://www.w3.org/2018/credentials/v1'], type: ['VerifiablePresentation'] }
  const presentation = {
    ...unsigned,
    holder: member,
    verifiableCredential: [issued],
    proof: issued.proof,
  }
  const password = 'correct horse'
  const wallet = await client.call<object>('POST', `/dids/${spare}/export`, { password })
  const at = (path: string, ...bodies: unknown[]): Good => ({ path, bodies })
  const dry = (path: string, ...bodies: unknown[]): Good => at(`${path}?dryRun=true`, ...bodies)
  const about = { convener, issuer: member, newcomer: spare, schema: uri, trustRegistry: ecosystem, issued, wallet }
  const accounts = await goodAccountRequests(client, people)
  const requests: Record<string, Good> = {
    ...accounts,
    createDid: dry('/dids', { type: null, keyType: 'ed25519', controller: convener, includeDidcommService: false }),
    rotateDid: dry(`/dids/${convener}`, { keyType: 'ed25519' }),
    exportDid: at(`/dids/${spare}/export`, { password }),
    importDid: at('/dids/import', { data: wallet, password }),
    importDidDocument: at(`/dids/${spare}/import`, { data: wallet, password }, { ...wallet, password }),
    actOnLedger: dry('/ledger/actions', ...actions.map((action) => ({ did: convener, ...action })), {
      did: convener,
      actions,
    }),
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
    createWebhook: at('/webhooks', { ...receiver, description: 'd', status: 1, includePersonalData: false }),
    updateWebhook: at(`/webhooks/${hook.id}`, { ...receiver, description: 'd', status: 1, includePersonalData: true }),
    replayWebhookDeliveries: at(`/webhooks/${replayed.id}/replay`, {
      from: '2026-01-31T12:00:00Z',
      to: '2026-01-31T13:00:00Z',
      state: 'dead',
    }),
    createRegistry: dry(
      '/registries',
      { policy: [convener], addOnly: false, type: 'StatusList2021Entry', ttlSeconds: 60 },
      {
        policy: [convener],
        type: 'BitstringStatusListEntry',
        purpose: 'message',
        statusMessage: [
          { status: '0x0', message: 'open' },
          { status: '0x1', message: 'done' },
        ],
      },
    ),
    updateRegistry: dry(`/registries/${list.id}`, { action: 'revoke', credentialIds: ['urn:one', 'urn:two'] }),
    changeDelegatableStatus: dry('/delegatableRevocation', {
      action: 'revoke',
      credentialId: delegated,
      registryId: list.id,
    }),
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
    snoozeInvitation: at('/trust-registries/invitations/snooze', { token: await invite() }),
    declineInvitation: at('/trust-registries/invitations/decline', { token: await invite() }),
    queryLedger: at(
      '/ledger/queries/registrySchemasMetadata',
      { registryId: ecosystem, filter: { issuersOrVerifiers: among, schemaIds: { AnyOf: [uri] } } },
      { registryId: ecosystem, filter: { issuers: among, verifiers: among } },
    ),
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
    issueBatch: at('/credentials/batch', { rows: [{ credential: { issuer: member, subject: { degree: 'M.Sc.' } } }] }),
    revokeBatch: dry('/credentials/batch/revoke', { credentialIds: ['urn:one', 'urn:two'] }),
    verifyCredential: at('/verify', { data: issued, trustRegistryId: ecosystem, verifierDID: member }, presentation),
    issueVcApiCredential: at('/vc-api/credentials/issue', {
      credential: {
        '@context': ['https://www.w3.org/2018/credentials/v1'],
        type: ['VerifiableCredential'],
        issuer: member,
        issuanceDate: '2026-01-01T00:00:00Z',
        credentialSubject: { id: 'did:example:1' },
      },
      options: { cryptosuite: 'ed25519', credentialStatus: { type: 'StatusList2021Entry' } },
    }),
    verifyVcApiCredential: at('/vc-api/credentials/verify', {
      verifiableCredential: issued,
      options: { checks: ['proof'], returnCredential: true },
    }),
    verifyVcApiPresentation: at('/vc-api/presentations/verify', {
      verifiablePresentation: { ...unsigned, verifiableCredential: [issued] },
      options: { checks: ['proof'], returnPresentation: true },
    }),
    // Nothing of it is revoked: it stays good for the others.
    changeVcApiStatus: at('/vc-api/credentials/status', {
      credentialId: issued.id,
      credentialStatus: { type: 'StatusList2021Entry', statusPurpose: 'revocation' },
      status: false,
    }),
    queryGraphql: at('/graphql', {
      query: 'query Named($id: ID!) { registry(id: $id) { id name } }',
      variables: { id: ecosystem },
      operationName: 'Named',
    }),
  }
  return { requests, about }
}

/** Those about keys, people, teams and sub-accounts. */
async function goodAccountRequests(
  client: Pick<ReturnType<typeof builders>['client'], 'call'>,
  people: People,
): Promise<Record<string, Good>> {
  const { team, members, newLink, newInvitation } = people
  const at = (path: string, ...bodies: unknown[]): Good => ({ path, bodies })
  const facts = { alias: 'Server', ips: ['127.0.0.1', '2001:db8::/32'], expires: '2099-01-01' }
  const newKey = () => client.call<{ key: string }>('POST', '/keys', {})
  const [changed, rotated] = [await newKey(), await newKey()]
  const { id: subaccount } = await client.call<{ id: number }>('POST', '/subaccounts', { name: 'Faculty' })
  const [heir, member] = members
  const token = await newLink()
  return {
    createSignInLink: at('/auth/links', { email: `${randomUUID()}@example.org` }),
    createSession: at('/auth/sessions', { token, teamId: team, name: 'Ayşe', teamName: 'Her team' }),
    createTeam: at('/teams', { name: 'Another' }),
    updateTeam: at(
      `/teams/${team}`,
      { name: 'Renamed' },
      { name: 'Renamed', retentionPolicy: { credentials: null, credentialOffers: 3600 }, storeSubjectRef: true },
    ),
    createErasure: at('/data/erasures', { subjectRef: 'did:example:nobody', credentialIds: ['urn:nothing:1'] }),
    transferTeam: at(`/teams/${team}/transfer`, { userId: heir, revokeKeys: false }),
    updateTeamMember: at(`/teams/${team}/members/${member}`, { role: 'member' }),
    inviteTeamMembers: at(`/teams/${team}/invite`, { emails: [`${randomUUID()}@example.org`], role: 'member' }),
    acceptTeamInvitation: at('/teams/accept-member-invite', { accept_invitation_token: await newInvitation() }),
    createKey: at('/keys', { ...facts, role: 'member', kind: 'api' }),
    createTemporaryKey: at('/keys/temporary-key', { selectedTeamId: team, isTestmode: true, subaccount }),
    updateKey: at(`/keys/${changed.key}`, facts),
    rotateKey: at(`/keys/${rotated.key}/rotate`, { overlapSeconds: 86_400 }),
    createSubAccount: at('/subaccounts', { name: 'Faculty', image: 'https://example.org/logo.png', monthlyLimit: 100 }),
    updateSubAccount: at(`/subaccounts/${subaccount}`, { name: 'Faculty', image: 'prose', monthlyLimit: 100 }),
    createSubAccountKey: at(`/subaccounts/${subaccount}/keys`, { ...facts, role: 'member', kind: 'api' }),
    updateOwnProfile: at('/data/profile', { name: 'Ada', image: 'https://example.org/ada.png' }),
    storeOnboarding: at('/data/onboarding', { purpose: 'Diplomas' }),
    updateSubscription: at('/data/subscription', { plan: 'standard' }),
  }
}
