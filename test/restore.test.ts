import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Manifest } from '../scripts/backup/archive.js'
import { openCopy } from '../scripts/backup/restore.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { didWriter, type Written } from './support/did-writer.js'
import { builders, type Degree, type Verification } from './support/ecosystem.js'
import { emptyServer } from './support/emptied-server.js'
import { localCommand } from './support/local-command.js'
import { type Serving, startServing } from './support/npm-start.js'
import { type OwnPostgres, ownPostgres } from './support/own-postgres.js'
import { needsProgram, POSTGRES_BIN, typed } from './support/programs.js'
import { commandsOf } from './support/readme.js'
import { root } from './support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from './support/scratch-database.js'

const OF_YOURS = 'With a database of yours'

needsProgram('PostgreSQL', POSTGRES_BIN !== undefined)

let folder: string
/** The server of the original, where PostgreSQL's client tools are installed. */
let postgres: OwnPostgres | undefined
let original: ScratchDatabase
let empty: ScratchDatabase
let serving: Serving
let copy: string

/** The folder in which the commands are typed. */
const here = () => join(folder, 'here')
const state = () => join(here(), '.accredit')
const world = () => builders(serving.ready.apiUrl, serving.ready.apiKey)

async function ask<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Row>(query)
  await client.end()
  return rows
}

/** Runs a command that README shows, with the places of this test for those beside its folder. */
function asInReadme(title: string, name: 'backup' | 'restore', databaseUrl: string) {
  const [, args] = new RegExp(`npm run ${name} -- ([^&]+)`).exec(commandsOf(title, 'Locally')) ?? []
  const moved = (args ?? '').trim().replaceAll('../', `${folder}/`)
  return localCommand(name, moved.split(' '), { stateDir: state(), databaseUrl })
}
const manageKeys = (...args: string[]) => localCommand('key', args, { stateDir: state(), databaseUrl: original.url })
const restore = (from: string, ...args: string[]) =>
  localCommand('restore', [from, ...args], { stateDir: state(), databaseUrl: empty.url })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-restore-'))
  postgres = POSTGRES_BIN === undefined ? undefined : await ownPostgres(POSTGRES_BIN)
  ;[original, empty] = await Promise.all([postgres ? databaseOf(postgres) : scratchDatabase(), scratchDatabase()])
  await mkdir(here())
  copy = join(folder, 'copy')
  serving = await startServing(['--state', state(), '--port', String(await freePort())], original.url)
})
afterAll(async () => {
  if (serving?.child.exitCode === null) await serving.stop()
  await Promise.all([original.drop(), empty.drop()])
  await postgres?.stop()
  await rm(folder, { recursive: true })
})

const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000, interval: 50 })

/** The drop of a database makes its server that of another machine. */
function databaseOf(server: OwnPostgres): ScratchDatabase {
  const url = server.urlOf('accredit')
  typed(`createdb --maintenance-db ${server.addressOf('postgres')} accredit`, folder, toolsOf(server))
  return { url, drop: () => emptyServer(url) }
}

/** No `DATABASE_URL`: its password would be an argument, which everybody on the machine reads. */
const toolsOf = (server: OwnPostgres) => ({
  ADDRESS: server.addressOf('accredit'),
  PGPASSWORD: server.password,
  PATH: `${POSTGRES_BIN}:${process.env.PATH}`,
})

describe('a copy that is made while others write, and restored where nothing is left', () => {
  let university: string
  let ecosystem: string
  let schemaUri: string
  let credential: Degree
  let listOf: string
  let written: Written[]
  /** A person's credential, erased after the copy. */
  let erased: string
  let erasure: string
  /** Keys that were revoked after the copy, each in another way. */
  let revoked: { key: string; jwt: string }[]
  let kept: { key: string; jwt: string }
  /** The answer to who may do what. */
  let authorized: object
  /** A DID that no copy has. */
  let late: string

  const verify = (data: Degree) =>
    world().client.call<Verification>('POST', '/verify', { data, trustRegistryId: ecosystem })

  const mayIssue = async () => {
    const question = new URLSearchParams({ did: university, schema: schemaUri, role: 'issuer' })
    const path = `/trust-registries/${ecosystem}/authorization?${question}`
    const { block: _, time: __, ...answer } = await world().client.call<{ block: number; time: string }>('GET', path)
    return answer
  }

  beforeAll(async () => {
    const { organisation, schema, registry, accredit, degree } = world()
    const convener = await organisation('Council')
    university = await organisation('University')
    schemaUri = await schema()
    ecosystem = await registry(convener, 'Degrees')
    await accredit(ecosystem, university, [schemaUri])
    credential = await degree(university, schemaUri)
    authorized = await mayIssue()
    expect(authorized).toMatchObject({ authorized: true, reason: 'direct' })
    ;[{ id: listOf = '' } = {}] = await ask<{ id: string }>(
      original.url,
      'select id from service.revocation_registries',
    )
    const { call } = world().client
    const newKey = () => call<{ key: string; jwt: string }>('POST', '/keys', { alias: 'a key' })
    revoked = [await newKey(), await newKey(), await newKey()]
    kept = await newKey()
    const subject = { id: 'did:example:zeynep', degree: 'M.Sc.', graduate: 'Zeynep', year: 2026 }
    const { id } = await call<{ id: string }>('POST', '/credentials', {
      persist: true,
      password: 'a password of hers',
      credential: { issuer: university, schema: schemaUri, type: ['DegreeCredential'], subject },
    })
    erased = `/credentials/${encodeURIComponent(id)}`
    await ask(
      original.url,
      `insert into service.team_invitations (team_id, email, role, hash, created, sent, expires)
        select id, 'invited@company.example', 'member', sha256('invited'), now(), now(), now() + interval '7 days'
        from service.teams limit 1`,
    )
    const writers = [didWriter(world().client), didWriter(world().client)]
    await until(() => writers.every((one) => one.written.length > 3))
    for (const one of writers) one.begin()
    expect((await asInReadme('Backup.', 'backup', original.url)).said).toMatch(
      /^Copied to .* ledger up to block \d+[\s\S]*The journal of erasures .*erasures\.jsonl\) is no part of it/,
    )
    await until(() => writers.every((one) => one.written.some(({ isBefore }) => !isBefore)))
    await Promise.all(writers.map((one) => one.stop()))
    written = writers.flatMap((one) => one.written)
    if (postgres) typed(commandsOf('Backup.', OF_YOURS), here(), toolsOf(postgres))
    await forgetAndRevoke(subject.id)
    typed(commandsOf('Backup.', 'The journal, locally'), here())
    await rename(state(), join(folder, 'lost'))
    await original.drop()
  })

  /** Erases a person and revokes keys, after the copy was made, and stops. */
  async function forgetAndRevoke(subjectRef: string): Promise<void> {
    const { call, finished } = world().client
    const { did, id } = await call<{ did: string; id: string }>('POST', '/dids', {})
    await finished(id)
    late = did
    await call('GET', erased)
    ;({ id: erasure } = await call<{ id: string }>('POST', '/data/erasures', { subjectRef }))
    await isErased()
    const [byRest, byCommand, whenStopped] = revoked.map(({ key }) => key)
    await call('DELETE', `/keys/${byRest}`)
    expect((await manageKeys('revoke', byCommand ?? '')).said).toMatch(/is revoked/)
    await serving.stop()
    expect((await manageKeys('revoke', whenStopped ?? '')).said).toMatch(/is revoked/)
  }

  async function isErased(): Promise<void> {
    const { call } = world().client
    const isDone = async () =>
      expect(await call('GET', `/data/erasures/${erasure}`)).toMatchObject({ status: 'finalized' })
    await vi.waitFor(isDone, { timeout: 60_000, interval: 100 })
    await expect(call('GET', erased)).rejects.toThrow(/404/)
  }

  it('is refused when a byte of it is another, a file is cut off or missing, or it is of a newer version, and says which', async () => {
    const table = 'tables/service.credentials.copy.gz'
    const spoilt = join(folder, 'spoilt')
    // A part of the journal lies in the place already.
    const [line] = (await readFile(join(folder, 'erasures.jsonl'), 'utf8')).split('\n')
    await mkdir(state())
    await writeFile(join(state(), 'erasures.jsonl'), `${line}\n`)
    const spoil = async (how: () => Promise<unknown>, isRefused: () => Promise<void>) => {
      await cp(copy, spoilt, { recursive: true })
      await how()
      await isRefused()
      await rm(spoilt, { recursive: true })
    }
    /** The command refuses in words, and by its code, what is refused when a copy is opened and what is later. */
    const byCommand = (reason: RegExp) => async () => {
      const { code, said } = await restore(spoilt)
      expect(said).toMatch(reason)
      expect(code).toBe(1)
    }
    const whenOpened = (reason: RegExp) => async () => {
      const opened = openCopy(spoilt, join(spoilt, 'keys'), { projectRoot: root, environment: 'sandbox' })
      await expect(opened).rejects.toThrow(reason)
    }
    const bytes = await readFile(join(copy, table))
    const other = Buffer.from(bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte)))
    await spoil(
      () => writeFile(join(spoilt, table), other),
      byCommand(/service\.credentials\.copy\.gz is damaged: its checksum/),
    )
    await spoil(
      () => truncate(join(spoilt, table), 30),
      whenOpened(/service\.credentials\.copy\.gz is truncated: 30 bytes of \d+/),
    )
    await spoil(() => rm(join(spoilt, 'keys', 'master.key')), whenOpened(/master\.key is missing/))
    await spoil(() => rm(join(spoilt, 'manifest.json')), whenOpened(/is no copy, or not a whole one/))
    const manifest = await readFile(join(copy, 'manifest.json'), 'utf8')
    await spoil(() => truncate(join(spoilt, 'manifest.json'), 500), whenOpened(/manifest\.json is damaged/))
    await spoil(
      () => writeFile(join(spoilt, 'manifest.json'), manifest.replace('"rows": 1', '"rows": 2')),
      whenOpened(/is damaged/),
    )
    const written: Manifest = JSON.parse(manifest).content
    const rewrite = (change: Partial<Manifest>) => {
      const content = { ...written, ...change }
      const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex')
      return writeFile(join(spoilt, 'manifest.json'), JSON.stringify({ sha256, content }))
    }
    await spoil(() => rewrite({ version: '99.0.0' }), whenOpened(/made by a newer version of Accredit \(99\.0\.0/))
    const { migrations } = written
    const unknown = { ...migrations, service: [...(migrations.service ?? []), '9999_unknown.sql'] }
    await spoil(() => rewrite({ migrations: unknown }), byCommand(/cannot make the tables of the copy/))
    const journal = join(state(), 'erasures.jsonl')
    await spoil(
      () => writeFile(journal, `${line}\nno line\n`),
      byCommand(/Line 2 of .*erasures\.jsonl is no line of a journal/),
    )
    await writeFile(journal, `${line}\n`)
    expect(
      await ask(empty.url, `select from pg_namespace where nspname in ('chain', 'signer', 'ledger', 'service')`),
    ).toEqual([])
    expect(existsSync(join(state(), 'settings.json'))).toBe(false)
    expect(await readFile(journal, 'utf8')).toBe(`${line}\n`)
  })

  it('has every write that was answered before it began, each once, and all keys act', async () => {
    const { code, said } = await asInReadme('Restore', 'restore', empty.url)
    expect(said).toMatch(/1 registries give no more places[\s\S]*Restored as of/)
    expect(said).toMatch(/1 invitations to teams were canceled/)
    expect(said).toMatch(/journal .* was applied to the copy: 1 erasures and deletions, 0 people .*, 3 keys/)
    expect(code).toBe(0)
    expect((await restore(copy)).said).toMatch(/An installation is here already .* --journal FOLDER\/erasures\.jsonl/)
    serving = await startServing(['--state', state()], empty.url)
    const { client, degree } = world()

    const before = written.filter(({ isBefore }) => isBefore)
    expect(before.length).toBeGreaterThan(5)
    for (const { did, jobId } of before) {
      await client.finished(jobId)
      expect(JSON.stringify(await client.call('GET', `/dids/${did}`))).toContain(did)
    }
    // Each action has one nonce, and each DID was made once on the ledger.
    expect(
      await ask(
        empty.url,
        `select did, nonce from signer.actions where nonce is not null group by 1, 2 having count(*) > 1`,
      ),
    ).toEqual([])
    expect(await ask(empty.url, `select did from signer.actions where state = 'refused'`)).toEqual([])
    expect((await verify(credential)).verified).toBe(true)
    await expect(client.call('GET', `/dids/${late}`)).rejects.toThrow(/404/)

    const later = await degree(university, schemaUri)
    expect((await verify(later)).verified).toBe(true)
    await client.finished(
      (await client.call<{ id: string }>('POST', `/credentials/${encodeURIComponent(credential.id)}/revoke`)).id,
    )
    expect((await verify(credential)).verified).toBe(false)
    expect((await verify(later)).verified).toBe(true)
  })

  const statusWith = async (key: string) =>
    (await fetch(`${serving.ready.apiUrl}/dids`, { headers: { 'svc-api-token': key } })).status

  it('has neither what was erased after it was made, nor opens to a key that was revoked since', async () => {
    const statuses = await Promise.all([...revoked, kept].map(({ jwt }) => statusWith(jwt)))
    expect(statuses).toEqual([401, 401, 401, 200])
    await isErased()
  })

  it('gives no place of a list again that a credential after the copy may have', async () => {
    const lists = await ask<{ id: string; closed: boolean }>(
      empty.url,
      'select id, closed from service.revocation_registries order by n',
    )
    expect(lists.map(({ closed }) => closed)).toEqual([true, false])
    expect(lists[0]?.id).toBe(listOf)
    const named = {
      credential: {
        issuer: university,
        schema: schemaUri,
        status: listOf,
        type: ['DegreeCredential'],
        subject: { id: 'did:example:graduate', degree: 'M.Sc.', graduate: 'Ada', year: 2026 },
      },
    }
    await expect(world().client.call('POST', '/credentials', named)).rejects.toThrow(/409[\s\S]*gives no more places/)
    expect((await readdir(copy)).sort()).toEqual(['keys', 'manifest.json', 'tables'])
  })

  it.runIf(POSTGRES_BIN)('holds the same where it was made and restored by the database’s own tools', async () => {
    if (!postgres) throw new Error('there is no server')
    for (const section of ['Backup.', 'Restore']) expect(commandsOf(section, OF_YOURS)).not.toContain('DATABASE_URL')
    await serving.stop()
    await rename(state(), join(folder, 'restored'))
    typed(`dropdb --maintenance-db ${postgres.addressOf('postgres')} accredit`, folder, toolsOf(postgres))
    expect(await ask(postgres.urlOf('postgres'), 'select from pg_roles where oid >= 16384')).toEqual([])
    typed(commandsOf('Restore', OF_YOURS), here(), toolsOf(postgres))
    serving = await startServing(['--state', state()], original.url)
    const { client, organisation, accredit, degree } = world()

    expect(await mayIssue()).toEqual(authorized)
    expect((await verify(credential)).verified).toBe(true)
    await expect(client.call('GET', `/dids/${late}`)).rejects.toThrow(/404/)
    for (const { jwt } of revoked) await expect.poll(() => statusWith(jwt)).toBe(401)
    // Both DIDs act on the ledger with the keys that they had.
    expect((await verify(await degree(university, schemaUri))).verified).toBe(true)
    await accredit(ecosystem, await organisation('Newcomer'), [schemaUri])
    const path = `/credentials/${encodeURIComponent(credential.id)}/revoke`
    await client.finished((await client.call<{ id: string }>('POST', path)).id)
    expect((await verify(credential)).verified).toBe(false)
  })
})
