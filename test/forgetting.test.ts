import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { KeptCopies, sealedIn } from './support/kept-copies.js'
import { apiUrl, databaseUrl, stateDir } from './support/shared-stack.js'
import { anotherTeam } from './support/team.js'

const mark = (what: string): string => `${what}-${randomBytes(8).toString('hex')}`

/** The names of a person, which stand here and nowhere else. */
const somebody = (name: string) => ({
  subject: `did:example:${mark(name)}`,
  name: mark(name),
  id: `https://creds.example/${mark(name)}`,
})
const [zeynep, emre] = [somebody('Zeynep'), somebody('Emre')]
const team = {
  name: mark('Team'),
  alias: mark('Alias'),
  hook: mark('Hook'),
  profile: mark('Profile'),
  note: mark('Note'),
}
const PASSWORD = `pw-${randomBytes(6).toString('hex')}`

const ALL = [zeynep, emre, team].flatMap((names) => Object.values(names))

let apiKey: string
let copies: KeptCopies
/** A receiver that is never there: what it should be told waits. */
const receiver = createServer((_request, response) => response.writeHead(503).end())
beforeAll(async () => {
  const before = await sealedIn(databaseUrl)
  apiKey = await anotherTeam(team.name)
  const serviceKey = readFileSync(join(stateDir, 'keys', 'service.key'))
  const secrets = { serviceKey, apiKeys: [apiKey], passwords: [PASSWORD] }
  copies = new KeptCopies(ALL, { databaseUrl, stateDir, secrets }, before)
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void receiver.close())

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: { 'svc-api-token': apiKey, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text || '{}') }
}

async function done(method: string, path: string, body?: object, headers?: Record<string, string>) {
  const answer = await call(method, path, body, headers)
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`)
  return answer.body
}

async function until(path: string, isOver: (body: { status: string }) => boolean): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await call('GET', path)
    if (isOver(body)) return body
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
const ended = ({ status }: { status: string }): boolean => status === 'finalized' || status === 'error'

const retried = () => ({ 'idempotency-key': randomBytes(8).toString('hex') })

/** Everything that one does about a person, so that it stands wherever it can. */
async function useFor(person: ReturnType<typeof somebody>, did: string): Promise<void> {
  const credential = { issuer: did, subject: { id: person.subject, name: person.name } }
  const issued = await done(
    'POST',
    '/credentials',
    { persist: true, password: PASSWORD, revocable: true, credential: { ...credential, id: person.id } },
    retried(),
  )
  await done(
    'POST',
    '/credentials',
    { format: 'jwt', credential: { ...credential, id: `${person.id}-jwt` } },
    retried(),
  )
  await done('POST', '/verify', issued, retried())
  await done('GET', `/credentials/${encodeURIComponent(person.id)}`)
  await call('GET', `/nothing/${person.subject}`)
  const revoked = await done('POST', `/credentials/${encodeURIComponent(person.id)}/revoke`, {}, retried())
  await until(`/jobs/${revoked.id}`, ended)
  const rows = [
    { credential: { ...credential, id: `${person.id}-batch` } },
    { format: 'jwt', credential: { ...credential, id: `${person.id}-batch-jwt` } },
    { credential: { ...credential, id: `${person.id}-refused`, expirationDate: person.name } },
  ]
  const batch = await done('POST', '/credentials/batch', { rows })
  await until(`/jobs/${batch.id}`, ended)
}

it('erased and deleted data stands in no table, no sealed value, no file and no log any more', async () => {
  const serviceTeam = await teamId()
  await done('PATCH', `/teams/${serviceTeam}`, { name: team.name, storeSubjectRef: true })
  await done('POST', '/keys', { alias: team.alias })
  const { port } = receiver.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/${team.hook}`
  await done('POST', '/webhooks', { url, events: ['credential_create', 'credential_issued'], description: team.note })
  const { did, id } = await done('POST', '/dids', {})
  await until(`/jobs/${id}`, ended)
  await done('POST', '/profiles', { did, name: team.profile, description: team.note })
  for (const person of [zeynep, emre]) await useFor(person, did)

  const before = await copies.places()
  // Each of them was there, also where it could not be read without the keys.
  expect(before[zeynep.subject]).toEqual(
    expect.arrayContaining([
      'service.credentials',
      'service.credentials unsealed',
      'service.outgoing_events unsealed',
      'service.idempotency_keys unsealed',
      'service.credential_batch_rows unsealed',
    ]),
  )
  expect(before[zeynep.id]).toEqual(expect.arrayContaining(['service.audit', 'service.credentials']))
  for (const [marker, found] of Object.entries(before)) expect([marker, found.length > 0]).toEqual([marker, true])
  const log = Object.keys(before).filter((marker) => before[marker]?.some((place) => place.endsWith('.log')))
  expect(log).toEqual([])

  const erasure = await done('POST', '/data/erasures', { subjectRef: zeynep.subject })
  const report = await until(`/data/erasures/${erasure.id}`, ended)
  expect(report).toMatchObject({
    status: 'finalized',
    counts: {
      credentials: 4,
      credential_batch_rows: 3,
      audit: expect.any(Number),
      outgoing_events: expect.any(Number),
    },
  })
  const after = await copies.places()
  for (const marker of Object.values(zeynep)) expect([marker, after[marker]]).toEqual([marker, []])
  // Nobody else is gone.
  for (const marker of Object.values(emre)) expect([marker, after[marker]]).not.toEqual([marker, []])

  const privateKeys = await keysOf(did)
  expect(await sealedKeys(privateKeys)).toBe(privateKeys.length)
  const { deletions } = await done('POST', '/data/delete', { validation: team.name })
  // A key is remembered for a second.
  await expect.poll(async () => (await call('GET', '/dids')).status).toBe(401)
  const deletion = await until(`/data/deletions/${deletions[0]}`, ended)
  expect(deletion).toMatchObject({ status: 'finalized', counts: { 'private keys': privateKeys.length } })
  expect(await copies.places()).toEqual(Object.fromEntries(ALL.map((text) => [text, []])))
  expect(await sealedKeys(privateKeys)).toBe(0)
  // The journal, from which a restored copy learns of both, tells nothing but numbers and keyed hashes.
  const journal = readFileSync(join(stateDir, 'erasures.jsonl'), 'utf8').trim().split('\n')
  expect(journal.map((line) => Object.keys(JSON.parse(line)).at(-1))).toEqual(
    expect.arrayContaining(['erasure', 'deletion']),
  )
  expect(existsSync(join(stateDir, 'accredit.log'))).toBe(true)
})

async function ask<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

const teamId = async () =>
  Number((await ask<{ id: string }>('select id from service.teams where name = $1', [team.name]))[0]?.id)
const keysOf = async (did: string) =>
  (await ask<{ key_ref: string }>('select key_ref from service.did_keys where did = $1', [did])).map(
    ({ key_ref }) => key_ref,
  )
const sealedKeys = async (refs: string[]) =>
  (await ask('select from signer.keys where key_ref = any($1) and sealed is not null', [refs])).length
