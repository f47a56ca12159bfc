import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../chain/artifact/manifest.json' with { type: 'json' }
import { copyCommand } from './support/copy-command.js'
import { builders, type Degree, type Verification } from './support/ecosystem.js'
import { type Serving, startServing } from './support/npm-start.js'
import { root } from './support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from './support/scratch-database.js'

const EARLIER = join(root, 'test/support/earlier')
const COPIES = (await readdir(EARLIER)).filter((name) => name.endsWith('.tar'))

/** The things that an installation of an earlier version holds. */
interface Facts {
  convener: string
  issuer: string
  schema: string
  registry: string
  good: Degree
  revoked: Degree
}

describe.each(COPIES)('an installation of an earlier version, %s, under the present one', (name) => {
  let folder: string
  let database: ScratchDatabase
  let serving: Serving
  let facts: Facts
  const world = () => builders(serving.ready.apiUrl, serving.ready.apiKey)
  const verify = (data: Degree) =>
    world().client.call<Verification>('POST', '/verify', { data, trustRegistryId: facts.registry })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-upgrade-'))
    database = await scratchDatabase()
    const copy = join(folder, 'copy')
    await mkdir(copy)
    execFileSync('tar', ['-xf', join(EARLIER, name), '-C', copy])
    facts = JSON.parse(await readFile(join(copy, 'facts.json'), 'utf8'))
    const stateDir = join(folder, '.accredit')
    const { said, code } = await copyCommand('restoreHere', [copy, '--complete'], {
      stateDir,
      databaseUrl: database.url,
    })
    expect(said).toMatch(/Restored as of/)
    expect(code).toBe(0)
    serving = await startServing(['--state', stateDir], database.url)
  })
  afterAll(async () => {
    await serving?.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('has every migration and the newest runtime of the ledger', async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select name from service.migrations order by name')
    await client.end()
    expect(rows.map((row) => row.name)).toEqual((await readdir(join(root, 'api/migrations'))).sort())
    const { ledgerUrl } = JSON.parse(await readFile(join(folder, '.accredit', 'ready.json'), 'utf8'))
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'state_getRuntimeVersion', params: [] })
    const answer = await fetch(ledgerUrl.replace(/^ws/, 'http'), { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ result: { specVersion: manifest.specVersion } })
  })

  it('says of what was issued what it said before, and shows who may issue', async () => {
    expect((await verify(facts.good)).verified).toBe(true)
    expect((await verify(facts.revoked)).verified).toBe(false)
    const { client } = world()
    const participants = await client.call<{ total: number; list: { did: string }[] }>(
      'GET',
      `/trust-registries/${facts.registry}/participants`,
    )
    expect(participants).toMatchObject({ total: 1, list: [{ did: facts.issuer, issuerSchemas: [facts.schema] }] })
    expect(await client.call('GET', `/trust-registries/${facts.registry}`)).toMatchObject({ convener: facts.convener })
    expect(await client.call<object[]>('GET', '/webhooks')).toMatchObject([{ events: ['did_create'], status: 1 }])
    expect((await client.call<object[]>('GET', '/jobs')).length).toBeGreaterThan(0)
  })

  it('issues, revokes and accredits with the keys that it had', async () => {
    const { client, organisation, accredit } = world()
    const issued = await client.call<Degree>('POST', '/credentials', {
      revocable: true,
      credential: {
        issuer: facts.issuer,
        schema: facts.schema,
        type: ['DegreeCredential'],
        subject: { degree: 'B.A.' },
      },
    })
    expect((await verify(issued)).verified).toBe(true)
    const path = `/credentials/${encodeURIComponent(facts.good.id)}/revoke`
    await client.finished((await client.call<{ id: string }>('POST', path)).id)
    expect((await verify(facts.good)).verified).toBe(false)
    const second = await organisation('Second University')
    await accredit(facts.registry, second, [facts.schema])
    const [first, last] = [facts.issuer, second].map(async (issuer) => {
      const query = { issuerDID: issuer, schemaId: facts.schema }
      return client.call<object[]>('POST', '/trust-registries/query', query)
    })
    expect(await first).toMatchObject([{ id: facts.registry }])
    expect(await last).toMatchObject([{ id: facts.registry }])
  })
})
