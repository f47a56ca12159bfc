import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Good, goodRequests } from '../../test/support/good-requests.js'
import { type People, peopleOf } from '../../test/support/people.js'
import { type Request, requestsWith } from '../../test/support/requests.js'
import { questionsOf } from './audit/plans/questions.testing.js'
import { TestService } from './credentials/loop.testing.js'
import { type Loop, startLoop } from './dids/loop.testing.js'
import { sweeps } from './effects.js'
import { allServed } from './platform/testing/all-served.js'
import { type ScratchDatabase, serviceDatabase } from './platform/testing/scratch-database.js'
import { unusedIndexes } from './platform/testing/unused-indexes.js'

/** Those that the requests below do not come to, each with the statement that needs it. */
const OTHERS: Readonly<Record<string, string>> = {
  audit_invited: 'the deletion of an account looks for invitations of the address',
  credentials_persisted: 'a persisted credential is found by the link to it',
  display_names_order: 'pages of participants by name: Postgres sorts a few by itself',
  invitation_uses_job: 'an invitation is free again when the job that used it failed',
  ledger_actions_expiring: 'actions that wait for a signature end after a day',
  ledger_actions_retried: 'the jobs whose end could not be stored are listed, and tried again',
  ledger_actions_waiting: 'actions that wait for a signature are held against what a block changed in their registry',
  mac_keys_of_did: 'a credential is checked with the key that made it, also where that is retired',
  outgoing_events_resource: 'the events of a credential go with it',
  prepared_actions_call: 'a signed action is held against what was prepared for it',
  prepared_actions_job: 'prepared actions go with their jobs',
  prepared_actions_wish: 'a signed action of another version is held against what was prepared for it',
  registry_slugs_registry: 'the slugs of a registry that was refused are free again',
  revocation_registries_policy: 'the lists that a DID signs are signed before it ends',
  team_members_user: 'a session tells the teams of its person',
  trust_registry_versions_reference:
    'the texts of a version are found by what the ledger has of them, among many versions',
  verifier_prices_issuer: 'service.deals_for begins at the DIDs of a team: those that issue',
  verifier_prices_place: 'service.deals_for and set_deal look at one schema of one registry',
  verifier_prices_verifier: 'service.deals_for begins at the DIDs of a team: those that verify',
  webhook_deliveries_event: 'deliveries go with their events',
  webhook_deliveries_listed: 'pages of the deliveries of a web hook, among many',
}

let scratch: ScratchDatabase
let loop: Loop
let service: TestService
let admin: pg.Client
let people: People
let good: Record<string, Good>
let request: Request
beforeAll(async () => {
  scratch = await serviceDatabase()
  admin = new pg.Client({ connectionString: scratch.adminUrl })
  await admin.connect()
  const database = admin.escapeIdentifier(new URL(scratch.adminUrl).pathname.slice(1))
  // A table of few rows would be read as a whole. Without that Postgres takes an index wherever one serves a statement.
  for (const url of [scratch.tenantUrl, scratch.systemUrl])
    await admin.query(`alter role ${new URL(url).username} in database ${database} set enable_seqscan = off`)
  loop = await startLoop(scratch)
  service = await TestService.open(allServed, {}, { ...loop, scratch })
  const apiUrl = await service.app.listen({ port: 0 })
  people = await peopleOf(scratch.adminUrl, service.team.apiKey)
  good = await goodRequests(apiUrl, service.team.apiKey, people)
  request = requestsWith(service.team.apiKey, apiUrl, people.newSession)
})
afterAll(async () => {
  await service?.close()
  await loop?.close()
  await admin.end()
  await scratch.close()
})

const operations = allServed.flatMap((part) => part.operations)

/** Each operation that takes a body, as it is tried and as it is done. */
async function writeAll(): Promise<void> {
  for (const { operationId, method } of operations)
    for (const body of good[operationId]?.bodies ?? [])
      for (const path of new Set([
        good[operationId]?.path ?? '',
        good[operationId]?.path.replace('?dryRun=true', '') ?? '',
      ]))
        await request(method, path, body)
}

/** One index of a table with a row is as good as another: only among many is a credential found by its id. */
async function manyCredentials(): Promise<void> {
  await admin.query(`
    insert into service.credentials (team_id, id, issuer, issuer_key, type, algorithm, issuance_date, byte_size, created)
      select c.team_id, c.id || '-' || more, c.issuer, c.issuer_key, c.type, c.algorithm, c.issuance_date, c.byte_size,
        c.created from (select * from service.credentials limit 1) c, generate_series(1, 300) more`)
  await admin.query('analyze service.credentials')
}

const partOf = (operationId: string, place: number): string => good[operationId]?.path.split(/[/?]/)[place] ?? ''

/** Each operation that reads, with each of its parameters. */
async function readAll(): Promise<void> {
  const registry = partOf('updateTrustRegistry', 2)
  const did = partOf('setDelegates', 4)
  const [{ id: credential, job } = { id: '', job: '' }] = (
    await admin.query('select c.id, j.id as job from service.credentials c, service.jobs j limit 1')
  ).rows
  const ids: Record<string, string> = {
    jobs: job,
    credentials: credential,
    webhooks: partOf('updateWebhook', 2),
    teams: String(people.team),
    subaccounts: partOf('updateSubAccount', 2),
    keys: partOf('updateKey', 2),
  }
  for (const operation of operations.filter(({ method, url }) => method === 'GET' && !url.endsWith('/events'))) {
    const [, first = ''] = operation.url.split('/')
    const values = new Proxy<Record<string, readonly (string | number)[]>>(
      {
        did: [did],
        registryId: [first === 'registries' ? partOf('updateRegistry', 2) : registry],
        schemaId: [partOf('setRegistrySchema', 4)],
        id: [ids[first] ?? partOf('updateRegistry', 2)],
        limit: [5],
        offset: [0],
        cursor: [],
        before: [],
        month: ['2026-11'],
        role: ['issuer', 'verifier'],
        from: ['2026-01-01T00:00:00Z'],
        order: ['asc', 'desc'],
        stuck: ['true'],
      },
      // A name with a point means one operation's parameter.
      { get: (known, name) => Reflect.get(known, name) ?? (String(name).includes('.') ? undefined : ['1']) },
    )
    for (const { url } of questionsOf(operation, values)) await request('GET', url)
  }
}

const indexes = async (): Promise<string[]> => {
  // Those of a unique index keep rows apart, whether it is read or not.
  const { rows } = await admin.query<{ name: string }>(
    `select i.indexrelname as name from pg_stat_user_indexes i join pg_index x on x.indexrelid = i.indexrelid
     where i.schemaname = 'service' and not x.indisunique order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('each index of the service is used by a statement', async () => {
  await writeAll()
  await manyCredentials()
  await readAll()
  for (const kind of ['afterJobs', 'regular', 'slow', 'outward', 'tenMinutes', 'daily'] as const)
    for (const sweep of sweeps(kind)) await sweep(loop.environment)
  const all = await indexes()
  expect(all.length).toBeGreaterThan(80)
  expect(Object.keys(OTHERS).filter((name) => !all.includes(name))).toEqual([])
  await expect
    .poll(async () => (await unusedIndexes(scratch, 'service')).filter((name) => !Object.hasOwn(OTHERS, name)))
    .toEqual([])
})

test('no index begins as another one of its table does that finds the same rows', async () => {
  const { rows } = await admin.query<{ one: string; other: string }>(
    `select a.indexrelid::regclass::text as one, b.indexrelid::regclass::text as other
     from pg_index a join pg_index b on b.indrelid = a.indrelid and b.indexrelid <> a.indexrelid
     join pg_class c on c.oid = a.indrelid and c.relnamespace = 'service'::regnamespace
     join pg_class ac on ac.oid = a.indexrelid join pg_class bc on bc.oid = b.indexrelid
     where not a.indisunique and ac.relam = bc.relam
       and coalesce(pg_get_expr(a.indpred, a.indrelid), '') = coalesce(pg_get_expr(b.indpred, b.indrelid), '')
       and a.indexprs is null and b.indexprs is null and a.indnkeyatts <= b.indnkeyatts
       and (b.indkey::int2[])[0 : a.indnkeyatts - 1] = (a.indkey::int2[])[0 : a.indnkeyatts - 1]
       and (b.indcollation::oid[])[0 : a.indnkeyatts - 1] = (a.indcollation::oid[])[0 : a.indnkeyatts - 1]
       and (a.indnkeyatts < b.indnkeyatts or b.indisunique or a.indexrelid < b.indexrelid)
     order by 1, 2`,
  )
  expect(rows).toEqual([])
})
