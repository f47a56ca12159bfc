import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../chain/artifact/manifest.json' with { type: 'json' }
import { EARLIER, earlierVersions } from './support/earlier/earlier-versions.js'
import type { Facts, Issued } from './support/earlier/make-facts.js'
import { builders, checkOf, type Verification } from './support/ecosystem.js'
import { localCommand } from './support/local-command.js'
import { type Serving, startServing } from './support/npm-start.js'
import { root } from './support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from './support/scratch-database.js'

const COPIES = await earlierVersions()
/** The oldest copy goes through every migration, the newest comes from what people run. */
const ENDS = COPIES.filter((_, at) => at === 0 || at === COPIES.length - 1)
const TRIED = process.env.SOAK_EARLIER_VERSIONS === 'all' ? COPIES : ENDS

describe.each(TRIED)('an installation of an earlier version, %s, under the present one', (name) => {
  let folder: string
  let database: ScratchDatabase
  let serving: Serving
  let facts: Facts
  const world = (key = serving.ready.apiKey) => builders(serving.ready.apiUrl, key)
  const verify = (data: Issued['good']['credential']) =>
    world().client.call<Verification>('POST', '/verify', { data, trustRegistryId: facts.registry })
  /** The ways of the facts, and those whose credential verification takes. */
  const ways = () => facts.credentials.map(({ format, algorithm, status }) => ({ format, algorithm, status }))
  const verifiedWays = async (choose: (issued: Issued) => Issued['good']['credential']) => {
    const said = await Promise.all(facts.credentials.map((issued) => verify(choose(issued))))
    return ways().filter((_, at) => said[at]?.verified)
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-upgrade-'))
    database = await scratchDatabase()
    const copy = join(folder, 'copy')
    await mkdir(copy)
    execFileSync('tar', ['-xzf', join(EARLIER, name), '-C', copy])
    facts = JSON.parse(await readFile(join(copy, 'facts.json'), 'utf8'))
    const stateDir = join(folder, '.accredit')
    const { said, code } = await localCommand('restore', [copy, '--complete'], {
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

  it('says of what was issued, and to every question, what it said before', async () => {
    expect(await verifiedWays(({ good }) => good.credential)).toEqual(ways())
    expect(await verifiedWays(({ revoked }) => revoked.credential)).toEqual([])
    expect(facts.answers.length).toBeGreaterThan(2)
    for (const { path, key, answer } of facts.answers)
      expect(await world(key).client.call('GET', path), path).toMatchObject(Object(answer))
  })

  it('issues in every way that it had, and revokes what was issued', async () => {
    const { request, client } = world()
    const { issuer, schema, subject } = facts
    const issueAndRevoke = async ({ format, algorithm, context, status, good }: Issued) => {
      const way = { ...(context && { context }), ...(status && { status }) }
      const issued = await request('POST', '/credentials', {
        format,
        algorithm,
        revocable: status === undefined,
        credential: { issuer, schema, subject, type: ['DegreeCredential'], ...way },
      })
      expect(issued).toMatchObject({ status: 200 })
      await client.finished(issued.headers.get('accredit-job'))
      const verification = await verify(issued.body)
      expect(verification).toMatchObject({ verified: true })
      expect(checkOf(verification, 'authorisedWhenIssued')).toMatchObject({ passed: true })
      const path = `/credentials/${encodeURIComponent(good.id)}/revoke`
      await client.finished((await client.call<{ id: string }>('POST', path)).id)
    }
    await Promise.all(facts.credentials.map(issueAndRevoke))
    expect(await verifiedWays(({ good }) => good.credential)).toEqual([])
  })

  it('rotates the key of its convener, who accredits with the new one', async () => {
    const { client, organisation, accredit } = world()
    await client.settled('PATCH', `/dids/${facts.convener}`, { keyType: 'ed25519' })
    const second = await organisation('Second University')
    await accredit(facts.registry, second, [facts.schema])
    for (const did of [facts.issuer, second]) {
      const question = new URLSearchParams({ did, schema: facts.schema, role: 'issuer' })
      const path = `/trust-registries/${facts.registry}/authorization?${question}`
      expect(await client.call('GET', path)).toMatchObject({ authorized: true })
    }
  })
})
