import { readFileSync } from 'node:fs'
import { buildersOn, type Verification } from './builders.js'
import { type Client, connect, each } from './client.js'

/**
 * Shows what Accredit is for: an ecosystem accredits real universities on the ledger, each issues a degree,
 * all are verified, one university is suspended, one degree revoked, and the past is asked what it knew.
 */
export async function tour(
  stack: { apiUrl: string; apiKey: string },
  names: readonly string[],
  print: (line: string) => void,
): Promise<void> {
  const client = connect(stack.apiUrl, stack.apiKey)
  const begun = Date.now()
  print(`The tour: an ecosystem of ${names.length} real institutions, on a ledger that everyone can check.\n`)
  const convener = await makeConvener(client)
  const universities = await makeUniversities(client, names, print)
  const schema = await buildersOn(client).schema()
  const { id: registry, slug } = await makeRegistry(client, convener)
  const members = await accredit(client, registry, schema, universities, print)
  const degrees = await issueDegrees(client, schema, members, print)
  await verifyAll(client, registry, degrees, print)
  await suspendAndAsk(client, registry, members, degrees, print)
  await revokeOne(client, registry, degrees, print)
  print(`\nAll of it in ${((Date.now() - begun) / 1000).toFixed(1)} s. See for yourself:`)
  print(`  ${stack.apiUrl}/ecosystems/${slug}   (its page: who takes part, what happened, now or as it was)`)
  print(`  The same for programs: ${stack.apiUrl}/trust-registries/${registry}/public and …/history`)
}

interface University {
  name: string
  did: string
}
interface Member extends University {
  participant: string
}
interface Credential {
  id: string
}

/** The logo is a cap, as of graduates. A participant has no picture, and is shown by its initials. */
const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAABlBMVEUSP23///8B+jzEAAAAR0lEQVR42mNgGByANQCJExqKYIuGhobA2IyhQOCAkIBLgSVgUqFQADYWxglAkgBLsSJz4FKsyKaxIhnHMIAcWKgEUMgZDAAA0fEv5ZGMWUYAAAAASUVORK5CYII='

/** Returns the names of a hundred real institutions; only the compiled file finds them. */
export function institutions(): string[] {
  const [, ...rows] = readFileSync(new URL('../../tour/institutions.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return rows.map((row) => row.split('\t')[1] ?? row)
}

/** Prints the progress of a long step on one line: each tenth, and the end with its time. */
function progress(print: (line: string) => void, title: string, total: number): (done: number) => void {
  const begun = Date.now()
  return (done) => {
    if (done === total) print(`  ${title}: ${total} in ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    else if (process.stdout.isTTY && done % 10 === 0) process.stdout.write(`  ${title}: ${done} of ${total}\r`)
  }
}

async function makeDid(client: Client): Promise<{ did: string; job: string }> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  return { did, job: id }
}

async function makeConvener(client: Client): Promise<string> {
  const { did, job } = await makeDid(client)
  await client.call('POST', '/profiles', {
    did,
    name: 'Council of Universities',
    description: 'Convener of the tour',
  })
  await client.finished(job)
  return did
}

function makeUniversities(
  client: Client,
  names: readonly string[],
  print: (line: string) => void,
): Promise<University[]> {
  const made = async (name: string) => {
    const { did, job } = await makeDid(client)
    await client.call('POST', '/profiles', { did, name, description: `Profile of ${name}` })
    await client.finished(job)
    return { name, did }
  }
  return each(names, 50, made, progress(print, 'Identifiers on the ledger, with profiles', names.length))
}

function makeRegistry(client: Client, convener: string): Promise<{ id: string; slug: string }> {
  return client.settled('POST', '/trust-registries', {
    convener,
    name: 'Academic Degrees',
    description: 'Who may award academic degrees',
    logoUrl: logo,
    ecosystemUrl: 'https://example.org',
    governanceFramework: '# Rules\nOnly accredited institutions award degrees.',
    governanceFrameworkVersion: '1.0',
  })
}

function accredit(
  client: Client,
  registry: string,
  schema: string,
  universities: University[],
  print: (line: string) => void,
): Promise<Member[]> {
  const join = async (university: University): Promise<Member> => {
    const path = `/trust-registries/${registry}/participants`
    const invitation = { maxAge: 3600, issuerSchemas: [schema], verifierSchemas: [] }
    const { link } = await client.call<{ link: string }>('POST', path, invitation)
    const acceptance = { token: link, did: university.did, infoUrl: '' }
    const { id } = await client.settled<{ id: string }>('POST', '/trust-registries/invitations/accept', acceptance)
    return { ...university, participant: id }
  }
  return each(
    universities,
    32,
    join,
    progress(print, 'Invited, accepted, accredited on the ledger', universities.length),
  )
}

function issueDegrees(
  client: Client,
  schema: string,
  members: Member[],
  print: (line: string) => void,
): Promise<Credential[]> {
  const issue = ({ did }: Member) =>
    client.call<Credential>('POST', '/credentials', {
      revocable: true,
      credential: {
        type: ['UniversityDegreeCredential'],
        schema,
        issuer: did,
        subject: { id: 'did:example:graduate', degree: 'M.Sc. Physics', graduate: 'Łucja Öztürk', year: 2026 },
      },
    })
  return each(members, 32, issue, progress(print, 'Degrees issued, each revocable', members.length))
}

const verify = (client: Client, registry: string, data: Credential, at?: number | string) =>
  client.call<Verification>('POST', '/verify', { data, trustRegistryId: registry, ...(at === undefined ? {} : { at }) })

const failing = ({ checks }: Verification) =>
  checks.flatMap(({ check, passed, reason }) => (passed === false ? [`${check}: ${reason}`] : [])).join('; ')

async function verifyAll(
  client: Client,
  registry: string,
  degrees: Credential[],
  print: (line: string) => void,
): Promise<void> {
  const answers = await each(
    degrees,
    16,
    (degree) => verify(client, registry, degree),
    progress(print, 'Degrees verified: signature, schema, status, issuer', degrees.length),
  )
  const refused = answers.find(({ verified }) => !verified)
  if (refused) throw new Error(`a degree was not verified (${failing(refused)})`)
}

async function suspendAndAsk(
  client: Client,
  registry: string,
  [member]: Member[],
  [degree]: Credential[],
  print: (line: string) => void,
): Promise<void> {
  if (!member || !degree) return
  const { indexed } = await client.call<{ indexed: { block: number } }>('GET', '/ledger/status')
  await client.settled('PATCH', `/trust-registries/${registry}/participants/${member.participant}`, {
    status: 'suspended',
    reason: 'Its accreditation is under review.',
  })
  const now = await verify(client, registry, degree)
  const before = await verify(client, registry, degree, indexed.block)
  print(`\n  ${member.name} is suspended.`)
  print(`  Its degree now:                     ${now.verified ? 'verified' : `not verified (${failing(now)})`}`)
  print(
    `  And before the suspension (block ${indexed.block})? ${before.verified ? 'verified' : `not verified (${failing(before)})`}`,
  )
  if (now.verified || !before.verified) throw new Error('the ledger did not remember what it should')
}

async function revokeOne(
  client: Client,
  registry: string,
  [, degree]: Credential[],
  print: (line: string) => void,
): Promise<void> {
  if (!degree) return
  const { id } = await client.call<{ id: string }>('POST', `/credentials/${encodeURIComponent(degree.id)}/revoke`)
  await client.finished(id)
  const answer = await verify(client, registry, degree)
  print(`  A revoked degree:                   ${answer.verified ? 'verified' : `not verified (${failing(answer)})`}`)
  if (answer.verified) throw new Error('a revoked degree was verified')
}
