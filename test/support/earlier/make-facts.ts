import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { schemaId } from '@accredit/chain'
import { builders, type Degree } from '../ecosystem.js'
import { operations, requestsWith } from '../requests.js'

/** The things that an installation of an earlier version holds. */
export interface Facts {
  convener: string
  /** The DID that issued all credentials, and may. */
  issuer: string
  schema: string
  /** The subject of a credential with that schema. */
  subject: Record<string, string>
  registry: string
  /** Two credentials of each way to issue that the version has. */
  credentials: Issued[]
  /** Questions whose answers stay, but for members that later versions add. */
  answers: Answered[]
}

/** The members of a request to issue that tell the way. */
interface Way {
  format: string
  algorithm: string
  context?: string[]
  /** The registry of its status; when absent, the one that the service makes by itself. */
  status?: string
}

export interface Issued extends Way {
  good: Kept
  revoked: Kept
}

interface Kept {
  id: string
  credential: Degree | string
}

interface Answered {
  path: string
  /** The key that asks; when absent, the first one of the installation. */
  key?: string
  answer: unknown
}

/*
 * The command fills a running installation, of this version or an earlier one, with what that version can do, and prints
 * the facts: npx tsx test/support/earlier/make-facts.ts STATE_FOLDER > facts.json
 */
const stateDir = process.argv[2] ?? '.accredit'
const { apiUrl, apiKey } = JSON.parse(await readFile(join(stateDir, 'ready.json'), 'utf8'))
const { client, request, organisation, did, schema, registry, accredit } = builders(apiUrl, apiKey)
const offered = new Set((await operations(apiUrl)).map(({ operationId }) => operationId))
const answers: Answered[] = []
const PASSWORD = 'correct horse'
const subject = { degree: 'M.Sc.', graduate: 'Łucja Öztürk' }

const convener = await organisation('Council')
const issuer = await organisation('University')
const former = await organisation('Former University')
const uri = await schema()
const ecosystem = await registry(convener, 'Degrees')
const inEcosystem = `/trust-registries/${ecosystem}`
await accredit(ecosystem, issuer, [uri], [uri])
const { id: left } = await accredit(ecosystem, former, [uri])
if (offered.has('setDelegates'))
  await client.settled('PUT', `${inEcosystem}/issuers/${issuer}/delegates`, { delegates: [await did()] })
const price = { issuerDID: issuer, currency: 'EUR', digits: '1' }
if (offered.has('setSchemaPrice')) await client.settled('POST', `${inEcosystem}/schemas/${schemaId(uri)}/price`, price)
const { time: before } = await client.call<{ time: string }>('GET', mayIssue(former))
await client.settled('PATCH', `${inEcosystem}/participants/${left}`, { status: 'suspended' })

const credentials: Issued[] = []
for (const way of await ways()) {
  const good = await issue(way)
  if (good !== undefined) credentials.push({ ...way, good, revoked: await issueRevoked(way) })
}
if (offered.has('createWebhook')) await makeHook()
if (offered.has('createSession')) await makePeople()

for (const made of [convener, issuer, former]) await keep(`/dids/${made}`)
await keep(`/profiles/${issuer}`)
await keep(new URL(uri).pathname)
await keep(inEcosystem)
await keep(`${inEcosystem}/participants`)
if (offered.has('setDelegates')) await keep(`${inEcosystem}/issuers/${issuer}/delegates`)
if (offered.has('setSchemaPrice')) await keep(`/trust-registries/schema-prices?ids=${schemaId(uri)}`)
// One says for all that they open: that is slow on purpose.
for (const { good } of credentials.slice(0, 1)) {
  const path = `/credentials/${encodeURIComponent(good.id)}?password=${encodeURIComponent(PASSWORD)}`
  answers.push({ path, answer: { credential: good.credential } })
}
answers.push({ path: mayIssue(issuer), answer: { authorized: true } })
answers.push({ path: mayIssue(former), answer: { authorized: false } })
answers.push({ path: mayIssue(former, before), answer: { authorized: true } })

const facts: Facts = { convener, issuer, schema: uri, subject, registry: ecosystem, credentials, answers }
console.log(JSON.stringify(facts, null, 1))

function mayIssue(member: string, at?: string): string {
  const question = new URLSearchParams({ did: member, schema: uri, role: 'issuer', ...(at && { at }) })
  return `${inEcosystem}/authorization?${question}`
}

/** Keeps a question with its answer. */
async function keep(path: string, key?: string): Promise<void> {
  const answer = await builders(apiUrl, key ?? apiKey).client.call('GET', path)
  answers.push({ path, ...(key !== undefined && { key }), answer })
}

async function ways(): Promise<Way[]> {
  const legacy = { policy: [issuer], type: 'CredentialStatusList2017' }
  const list = await client.settled<{ data: { id: string } }>('POST', '/registries', legacy)
  const algorithms = ['ed25519', 'ed25519-2018', 'eddsa-jcs-2022', 'bjj-2021', 'svcbbs', 'svcbbs+', 'bbdt16']
  return [
    ...algorithms.map((algorithm) => ({ format: 'jsonld', algorithm })),
    { format: 'jsonld', algorithm: 'eddsa-rdfc-2022', context: ['https://www.w3.org/ns/credentials/v2'] },
    { format: 'jsonld', algorithm: 'ed25519', status: list.data.id },
    { format: 'jwt', algorithm: 'ed25519' },
    { format: 'sdjwt', algorithm: 'ed25519' },
  ]
}

/** Issues with a status and a password; returns undefined where the version does not have this way. */
async function issue({ format, algorithm, ...way }: Way): Promise<Kept | undefined> {
  const id = `urn:uuid:${randomUUID()}`
  const credential = {
    id,
    issuer,
    schema: uri,
    type: ['UniversityDegreeCredential'],
    subject: { id: `did:example:${randomUUID()}`, ...subject },
    ...way,
  }
  const asked = {
    format,
    algorithm,
    revocable: way.status === undefined,
    persist: true,
    password: PASSWORD,
    credential,
  }
  const { status, body, headers } = await request('POST', '/credentials', asked, { 'idempotency-key': id })
  if (body.type === 'unsupported_format') {
    console.error(`Not in this version: ${body.message}`)
    return undefined
  }
  if (status !== 200) throw new Error(`${format} ${algorithm}: ${status} ${JSON.stringify(body)}`)
  await client.finished(headers.get('accredit-job'))
  return { id, credential: body }
}

async function issueRevoked(way: Way): Promise<Kept> {
  const kept = await issue(way)
  if (kept === undefined) throw new Error(`${way.algorithm} was issued once`)
  const job = await client.call<{ id: string }>('POST', `/credentials/${encodeURIComponent(kept.id)}/revoke`)
  await client.finished(job.id)
  // A list is stored when somebody reads it.
  const verification = await client.call<{ verified: boolean }>('POST', '/verify', { data: kept.credential })
  if (verification.verified) throw new Error(`${way.algorithm}: it was revoked`)
  const list = typeof kept.credential === 'string' ? undefined : kept.credential.credentialStatus.statusListCredential
  if (list !== undefined) await client.call('GET', new URL(list).pathname)
  return kept
}

/** A receiver of an event that no test causes: it stands nowhere. */
async function makeHook(): Promise<void> {
  const hook = { url: 'https://hooks.example.org/accredit', events: ['did_delete'], description: 'Registrar' }
  const { id } = await client.call<{ id: string }>('POST', '/webhooks', hook)
  await keep(`/webhooks/${id}`)
}

/** A person with a team of her own, a sub-account of it, and a key of each. */
async function makePeople(): Promise<void> {
  const email = `${randomUUID()}@example.org`
  const logged = (await log()).length
  await client.call('POST', '/auth/links', { email })
  const asked = { token: await signInToken(logged), name: 'Ayşe', teamName: 'Bilkent' }
  const { token, teamId } = await post('/auth/sessions', asked)
  const asPerson = { 'SVC-WEB-TOKEN': String(token) }
  const role = { alias: 'Registrar’s office', role: 'administrator' }
  const key = String((await post('/keys', role, asPerson)).jwt)
  const { id: faculty } = await post('/subaccounts', { name: 'Faculty', monthlyLimit: 100_000 }, asPerson)
  const ofFaculty = String((await post(`/subaccounts/${faculty}/keys`, role, asPerson)).token)
  const change = { name: 'Bilkent University', storeSubjectRef: true, retentionPolicy: { credentials: 3_000_000_000 } }
  await builders(apiUrl, key).client.call('PATCH', `/teams/${teamId}`, change)
  await keep(`/teams/${teamId}`, key)
  await keep(`/teams/${teamId}/members`, key)
  await keep(`/subaccounts/${faculty}`, key)
  await keep(`/dids/${await builders(apiUrl, ofFaculty).did()}/metadata`, ofFaculty)
}

async function post(path: string, body: unknown, headers?: Record<string, string>): Promise<Record<string, unknown>> {
  const answer = await requestsWith(undefined, apiUrl)('POST', path, body, headers)
  if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

function log(): Promise<string> {
  return readFile(join(stateDir, 'accredit.log'), 'utf8')
}

/** Without a mail server the mail stands in the log, after what was logged before. */
async function signInToken(logged: number): Promise<string> {
  for (;;) {
    const token = /#token=(\w+)/.exec((await log()).slice(logged))?.[1]
    if (token !== undefined) return token
    await setTimeout(100)
  }
}
