import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Manifest } from '../scripts/backup/archive.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { builders, type Degree, type Verification } from './support/ecosystem.js'
import { localCommand } from './support/local-command.js'
import { type Serving, startServing } from './support/npm-start.js'
import { typed } from './support/programs.js'
import { commandsOf } from './support/readme.js'
import { type ScratchDatabase, scratchDatabase } from './support/scratch-database.js'

interface Written {
  did: string
  jobId: string
  /** True where the answer came before the copy was begun. */
  isBefore: boolean
}

let folder: string
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
  ;[original, empty] = await Promise.all([scratchDatabase(), scratchDatabase()])
  await mkdir(here())
  copy = join(folder, 'copy')
  serving = await startServing(['--state', state(), '--port', String(await freePort())], original.url)
})
afterAll(async () => {
  if (serving?.child.exitCode === null) await serving.stop()
  await Promise.all([original.drop(), empty.drop()])
  await rm(folder, { recursive: true })
})

const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000, interval: 50 })

/** Makes DIDs, one after the other, until it is told to stop. */
function writer(): { written: Written[]; begin(): void; stop(): Promise<void> } {
  const { client } = world()
  const written: Written[] = []
  let [isBefore, isStopping] = [true, false]
  const ended = (async () => {
    while (!isStopping) {
      const wasBefore = isBefore
      const { did, id: jobId } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
      written.push({ did, jobId, isBefore: wasBefore && isBefore })
    }
  })()
  return {
    written,
    begin: () => {
      isBefore = false
    },
    stop: () => {
      isStopping = true
      return ended
    },
  }
}

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

  const verify = (data: Degree) =>
    world().client.call<Verification>('POST', '/verify', { data, trustRegistryId: ecosystem })

  beforeAll(async () => {
    const { organisation, schema, registry, accredit, degree } = world()
    const convener = await organisation('Council')
    university = await organisation('University')
    schemaUri = await schema()
    ecosystem = await registry(convener, 'Degrees')
    await accredit(ecosystem, university, [schemaUri])
    credential = await degree(university, schemaUri)
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
    const writers = [writer(), writer()]
    await until(() => writers.every((one) => one.written.length > 3))
    for (const one of writers) one.begin()
    expect((await asInReadme('Backup.', 'backup', original.url)).said).toMatch(
      /^Copied to .* ledger up to block \d+[\s\S]*The journal of erasures .*erasures\.jsonl\) is no part of it/,
    )
    await until(() => writers.every((one) => one.written.some(({ isBefore }) => !isBefore)))
    await Promise.all(writers.map((one) => one.stop()))
    written = writers.flatMap((one) => one.written)
    await forgetAndRevoke(subject.id)
    typed(commandsOf('Backup.', 'The journal, locally'), here())
    await rename(state(), join(folder, 'lost'))
    await original.drop()
  })

  /** Erases a person and revokes keys, after the copy was made, and stops. */
  async function forgetAndRevoke(subjectRef: string): Promise<void> {
    const { call } = world().client
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
    await vi.waitFor(
      async () => expect(await call('GET', `/data/erasures/${erasure}`)).toMatchObject({ status: 'finalized' }),
      {
        timeout: 60_000,
        interval: 100,
      },
    )
    await expect(call('GET', erased)).rejects.toThrow(/404/)
  }

  it('is refused when a byte of it is another, a file is cut off or missing, or it is of a newer version, and says which', async () => {
    const table = 'tables/service.credentials.copy.gz'
    const spoilt = join(folder, 'spoilt')
    // A part of the journal lies in the place already.
    const [line] = (await readFile(join(folder, 'erasures.jsonl'), 'utf8')).split('\n')
    await mkdir(state())
    await writeFile(join(state(), 'erasures.jsonl'), `${line}\n`)
    const spoil = async (how: () => Promise<unknown>, reason: RegExp) => {
      await cp(copy, spoilt, { recursive: true })
      await how()
      const { code, said } = await restore(spoilt)
      expect(said).toMatch(reason)
      expect(code).toBe(1)
      await rm(spoilt, { recursive: true })
    }
    const bytes = await readFile(join(copy, table))
    const other = Buffer.from(bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte)))
    await spoil(() => writeFile(join(spoilt, table), other), /service\.credentials\.copy\.gz is damaged: its checksum/)
    await spoil(() => truncate(join(spoilt, table), 30), /service\.credentials\.copy\.gz is truncated: 30 bytes of \d+/)
    await spoil(() => rm(join(spoilt, 'keys', 'master.key')), /master\.key is missing/)
    await spoil(() => rm(join(spoilt, 'manifest.json')), /is no copy, or not a whole one/)
    const manifest = await readFile(join(copy, 'manifest.json'), 'utf8')
    await spoil(() => truncate(join(spoilt, 'manifest.json'), 500), /manifest\.json is damaged/)
    await spoil(
      () => writeFile(join(spoilt, 'manifest.json'), manifest.replace('"rows": 1', '"rows": 2')),
      /is damaged/,
    )
    const written: Manifest = JSON.parse(manifest).content
    const rewrite = (change: Partial<Manifest>) => {
      const content = { ...written, ...change }
      const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex')
      return writeFile(join(spoilt, 'manifest.json'), JSON.stringify({ sha256, content }))
    }
    await spoil(() => rewrite({ version: '99.0.0' }), /made by a newer version of Accredit \(99\.0\.0/)
    const { migrations } = written
    const unknown = { ...migrations, service: [...(migrations.service ?? []), '9999_unknown.sql'] }
    await spoil(() => rewrite({ migrations: unknown }), /cannot make the tables of the copy/)
    const journal = join(state(), 'erasures.jsonl')
    await spoil(() => writeFile(journal, `${line}\nno line\n`), /Line 2 of .*erasures\.jsonl is no line of a journal/)
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

    const later = await degree(university, schemaUri)
    expect((await verify(later)).verified).toBe(true)
    await client.finished(
      (await client.call<{ id: string }>('POST', `/credentials/${encodeURIComponent(credential.id)}/revoke`)).id,
    )
    expect((await verify(credential)).verified).toBe(false)
    expect((await verify(later)).verified).toBe(true)
  })

  it('has neither what was erased after it was made, nor opens to a key that was revoked since', async () => {
    const statusWith = async (key: string) =>
      (await fetch(`${serving.ready.apiUrl}/dids`, { headers: { 'svc-api-token': key } })).status
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
})
