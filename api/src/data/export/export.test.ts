import { createHash, randomBytes } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { accounts } from '../../accounts/operations.js'
import { accountsWorld, withSession } from '../../accounts/people.testing.js'
import type { TeamId } from '../../platform/database/ids.js'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import { systemRandom } from '../../platform/process/random.js'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { data } from '../operations.js'
import { RowWriter } from '../rows.testing.js'
import { TABLES } from './export-rows.js'
import { EXPORTED } from './exported-tables.js'
import { openSpool } from './spool.js'

/** `npm run soak -- export` exports more. All rows together have to be much larger than what an export may hold. */
const LARGE = Number(process.env.SOAK_EXPORTED ?? 40_000)
const ROW_BYTES = 1_600

const world = forAllTests(() => accountsWorld({}, [accounts, data]))

/** Opens a zip: its files as text. */
async function filesOf(zip: Buffer): Promise<Record<string, string>> {
  const opened = await fromBufferPromise(zip)
  const files: Record<string, string> = {}
  for await (const entry of opened.eachEntry())
    files[entry.fileName] = (await buffer(await opened.openReadStreamPromise(entry))).toString()
  return files
}

/** Reads the manifest alone, and the sizes of the other files. */
async function contentsOf(zip: Buffer) {
  const opened = await fromBufferPromise(zip)
  const sizes: Record<string, number> = {}
  let manifest = ''
  for await (const entry of opened.eachEntry()) {
    sizes[entry.fileName] = entry.uncompressedSize
    if (entry.fileName === 'manifest.json')
      manifest = (await buffer(await opened.openReadStreamPromise(entry))).toString()
  }
  return { sizes, manifest: JSON.parse(manifest) }
}

const linesOf = (text = ''): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function exportOf(session: string): Promise<Record<string, string>> {
  const answer = await withSession(world().app, session, 'GET', '/data/export')
  expect(answer.statusCode).toBe(200)
  return filesOf(answer.rawPayload)
}

test('every table with rows of teams is exported, and no column that is left out has another name', async () => {
  const { rows } = await world().scratch.db.read('system', (reader) =>
    sql<{ table: string; columns: string[] }>`
      select c.table_name as "table", array_agg(c.column_name::text) as columns
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'service' and t.table_type = 'BASE TABLE' group by 1`.execute(reader),
  )
  const columns = new Map(rows.map((row) => [row.table, row.columns]))
  const owned = [...columns].filter(([, names]) => names.includes('team_id')).map(([table]) => table)
  expect(Object.keys(EXPORTED).sort()).toEqual([...owned, 'teams', 'users'].sort())
  expect(owned.filter((table) => !Object.hasOwn(KEPT_DATA, table))).toEqual([])
  expect(Object.keys(EXPORTED).filter((table) => !TABLES.has(table))).toEqual(['outgoing_mails', 'deletions'])
  for (const [table, exported] of TABLES)
    for (const column of [...(exported.without ?? []), ...(exported.sealed ?? '').split(' ').filter(Boolean)])
      expect(columns.get(table), `${table}.${column}`).toContain(column)
})

test('no column of bytes is exported as it stands: those are secrets, hashes, or sealed', async () => {
  const { rows } = await world().scratch.db.read('system', (reader) =>
    sql<{ table: string; column: string }>`
      select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = 'service' and udt_name in ('bytea', '_bytea')`.execute(reader),
  )
  const open = rows.filter(({ table, column }) => {
    const { without = [], sealed } = TABLES.get(table) ?? { without: [column] }
    return !without.includes(column) && sealed !== column
  })
  expect(open).toEqual([])
})

test('each thing of a team is in its export, and no thing of another team', async () => {
  const owner = await world().signIn('owner@export.example')
  const stranger = await world().signIn('stranger@export.example')
  const team = owner.teamId as TeamId
  const { db } = world().scratch
  await db.transaction({ teams: [team], actor: 'key:1' }, async (tx) => {
    await tx.emit('credential_create', { id: 'urn:credential:1', secret: 'told to hooks' })
    tx.notify('plan_changed', { from: 'a', to: 'b' })
  })
  const writer = await RowWriter.open(world().scratch.adminUrl)
  // Sessions name a member.
  writer.rows.set('team_members', { team_id: team, user_id: owner.userId })
  const filled = [...TABLES.keys()].filter((table) => !['teams', 'users', 'team_members'].includes(table))
  try {
    for (const table of filled) await writer.insert(table, { team_id: team })
  } finally {
    await writer.close()
  }
  const files = await exportOf(owner.session)
  expect(Object.keys(files).sort()).toEqual(
    [...TABLES.keys()]
      .map((table) => `${table}.ndjson`)
      .concat('manifest.json')
      .sort(),
  )
  for (const table of filled) expect(linesOf(files[`${table}.ndjson`]).length, table).toBeGreaterThan(0)
  const manifest = JSON.parse(files['manifest.json'] ?? '')
  expect(manifest.team).toBe(team)
  for (const [table, count] of Object.entries(manifest.rows))
    expect(linesOf(files[`${table}.ndjson`]), table).toHaveLength(Number(count))
  expect(linesOf(files['outgoing_events.ndjson'])).toContainEqual(
    expect.objectContaining({
      event: 'credential_create',
      content: { id: 'urn:credential:1', secret: 'told to hooks' },
    }),
  )
  expect(linesOf(files['team_members.ndjson'])).toMatchObject([{ user_id: owner.userId, role: 'owner' }])
  const all = Object.values(files).join('\n')
  expect(all).not.toContain('stranger@export.example')
  expect(all).toContain('owner@export.example')
  // A hash of a session or a key is not in it in any form.
  for (const secret of [owner.session, stranger.session]) {
    const hash = createHash('sha256').update(secret).digest()
    for (const form of [secret, hash.toString('hex'), hash.toString('base64')]) expect(all).not.toContain(form)
  }
  const others = await exportOf(stranger.session)
  expect(others['credentials.ndjson']).toBe('')
  expect(Object.values(others).join()).not.toContain('owner@export.example')
})

test('a member exports nothing, and the audit tells who exported', async () => {
  const owner = await world().signIn('audited@export.example')
  const { jwt } = (await withSession(world().app, owner.session, 'POST', '/keys', { role: 'member' })).json()
  const asMember = await withSession(world().app, undefined, 'GET', '/data/export', undefined, { 'svc-api-token': jwt })
  expect(asMember.statusCode).toBe(403)
  const files = await exportOf(owner.session)
  expect(linesOf(files['audit.ndjson']).filter(({ action }) => action === 'exportData')).toHaveLength(1)
})

test(`an export of ${LARGE.toLocaleString('en')} credentials is as it was at its beginning, takes little memory, and waits for no reader`, async () => {
  const owner = await world().signIn('large@export.example')
  const { scratch, app } = world()
  const team = owner.teamId as TeamId
  const insert = (first: number, count: number) =>
    scratch.db.transaction('system', (tx) =>
      sql`insert into service.credentials (team_id, id, issuer, issuer_key, issuer_name, type, subject_ref, algorithm, issuance_date, byte_size, created)
        select ${team}, 'urn:large:' || n, 'did:example:issuer', 'did:example:issuer#keys-1', repeat(md5(n::text), 40), 'Degree', 'did:example:' || md5(n::text),
          'ed25519', now(), 1000, now() from generate_series(${first}::int, ${first + count - 1}::int) n`.execute(tx),
    )
  await insert(1, LARGE)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(url).port)
  const begin = () =>
    new Promise<IncomingMessage>((resolve, reject) =>
      request({ port, path: '/data/export', headers: { 'svc-web-token': owner.session } }, resolve)
        .on('error', reject)
        .end(),
    )
  const answer = await begin()
  expect(answer.statusCode).toBe(200)
  // Another one of the team is refused meanwhile; what is issued meanwhile is not in it.
  const second = await begin()
  expect(second.statusCode).toBe(429)
  second.resume()
  await insert(LARGE + 1, 10)
  const before = memory()
  let most = 0
  let samples = 0
  const chunks: Buffer[] = []
  let received = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    received += chunk.length
    if (received < samples * 200_000) continue
    samples += 1
    most = Math.max(most, memory() - before - received)
  }
  const zip = Buffer.concat(chunks)
  expect(samples).toBeGreaterThan(5)
  // A piece of rows, twice, and what goes through the zip: the rows together have three times as much, or more.
  expect(most).toBeLessThan(20_000_000)
  const { sizes, manifest } = await contentsOf(zip)
  expect(manifest.rows.credentials).toBe(LARGE)
  expect(sizes['credentials.ndjson']).toBeGreaterThan(LARGE * ROW_BYTES)
  // A reader that leaves gives the place back.
  const left = await begin()
  left.destroy()
  await expect
    .poll(async () => {
      const again = await begin()
      again.destroy()
      return again.statusCode
    })
    .toBe(200)
})

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** The bytes that are in use. The second collection waits until the first has given back the buffers that it found. */
function memory(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('a spool gives what it was given, in order, and ends with whichever side ends early', async () => {
  const given = randomBytes(1_000_000)
  const { writable, readable } = await openSpool(tmpdir(), systemRandom)
  const read = buffer(readable)
  Readable.from([given.subarray(0, 10), given.subarray(10, 700_000), given.subarray(700_000)]).pipe(writable)
  expect((await read).equals(given)).toBe(true)

  const early = await openSpool(tmpdir(), systemRandom)
  const failing = buffer(early.readable)
  early.writable.write(given)
  early.writable.destroy(new Error('the database is gone'))
  await expect(failing).rejects.toThrow('the database is gone')

  const leaving = await openSpool(tmpdir(), systemRandom)
  leaving.writable.write(given)
  for await (const _ of leaving.readable) break
  await expect.poll(() => leaving.writable.destroyed).toBe(true)
})
