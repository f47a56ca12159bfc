import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort } from '../scripts/start/processes/ports.js'
import { copyCommand } from './support/copy-command.js'
import { builders, type Degree, type Verification } from './support/ecosystem.js'
import { type Serving, startServing } from './support/npm-start.js'
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

const state = () => join(folder, '.accredit')
const world = () => builders(serving.ready.apiUrl, serving.ready.apiKey)

async function ask<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Row>(query)
  await client.end()
  return rows
}

const backUp = (to: string) => copyCommand('backUpHere', ['--to', to], { stateDir: state(), databaseUrl: original.url })
const restore = (from: string, ...args: string[]) =>
  copyCommand('restoreHere', [from, ...args], { stateDir: state(), databaseUrl: empty.url })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-restore-'))
  ;[original, empty] = await Promise.all([scratchDatabase(), scratchDatabase()])
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
    const writers = [writer(), writer()]
    await until(() => writers.every((one) => one.written.length > 3))
    for (const one of writers) one.begin()
    expect((await backUp(copy)).said).toMatch(/^Copied to .* ledger up to block \d+/)
    await until(() => writers.every((one) => one.written.some(({ isBefore }) => !isBefore)))
    await Promise.all(writers.map((one) => one.stop()))
    written = writers.flatMap((one) => one.written)
    await serving.stop()
    await rename(state(), join(folder, 'lost'))
    await original.drop()
  })

  it('is refused when a byte of it is another, a file is cut off or missing, or it is of a newer version, and says which', async () => {
    const table = 'tables/service.credentials.copy.gz'
    const spoilt = join(folder, 'spoilt')
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
    await spoil(async () => {
      const { createHash } = await import('node:crypto')
      const content = { ...JSON.parse(manifest).content, version: '99.0.0' }
      const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex')
      await writeFile(join(spoilt, 'manifest.json'), JSON.stringify({ sha256, content }))
    }, /made by a newer version of Accredit \(99\.0\.0/)
    expect(
      await ask(empty.url, `select from pg_namespace where nspname in ('chain', 'signer', 'ledger', 'service')`),
    ).toEqual([])
    expect(existsSync(join(state(), 'settings.json'))).toBe(false)
  })

  it('has every write that was answered before it began, each once, and all keys act', async () => {
    const { code, said } = await restore(copy)
    expect(said).toMatch(/1 registries give no more places[\s\S]*Restored as of/)
    expect(code).toBe(0)
    expect((await restore(copy)).said).toMatch(/An installation is here already/)
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
