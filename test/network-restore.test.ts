import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Manifest } from '../scripts/backup/archive.js'
import { startTestDatabase } from '../scripts/start/test-database.js'
import { programOf } from './support/compose.js'
import { emptyServer } from './support/emptied-server.js'
import { type ProductionPlace, productionPlace, settingsOf } from './support/production-services.js'
import { root } from './support/repository-files.js'
import { settingsIn } from './support/settings-file.js'

const PROGRAM = 'scripts/dist/backup/production.js'

/**
 * No service runs: the database and the key files tell what a copy and its restore do. Each test goes on with what the
 * one before left.
 */
describe('a copy of the production shape on a network of validators', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof startTestDatabase>>
  let place: ProductionPlace
  let network: Record<string, string>
  let elsewhere: Record<string, string>

  /** Runs a program with the settings that docker-compose.yml gives a service; returns its words. */
  async function run(service: string, program: string[]): Promise<string> {
    const env = settingsOf(service, place)
    const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root, env })
    return stdout
  }
  const backUp = (copy: string) => run('prepare', [PROGRAM, 'backup', join(folder, copy)])
  const restore = (copy: string) => run('prepare', [PROGRAM, 'restore', join(folder, copy)])
  const prepare = () => run('prepare', programOf('prepare'))
  const choose = (given: Record<string, string>) => {
    place = { ...place, chosen: { given, nodePort: 9 } }
  }

  async function ask(query: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      return (await client.query(query)).rows
    } finally {
      await client.end()
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-network-restore-'))
    database = await startTestDatabase()
    network = await settingsIn('scripts/operate/network.env')
    elsewhere = await settingsIn('scripts/operate/signer-elsewhere.env')
    place = await productionPlace(folder, database.url)
    choose(network)
  })
  afterAll(async () => {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Makes the tables of an index, and a team: the product has begun. */
  async function beginProduct(): Promise<void> {
    await run('indexer', ['indexer/lib/make-tables.js'])
    await run('api', ['api/dist/team.js', '--name', 'First team'])
  }

  let losses = 0
  async function loseEverything(): Promise<void> {
    const lost = join(folder, `lost-${losses++}`)
    await mkdir(lost)
    for (const name of ['service', 'signer', 'ledger', 'secrets']) await rename(join(folder, name), join(lost, name))
    await emptyServer(database.url)
    place = await productionPlace(folder, database.url, place.chosen)
  }

  const manifestOf = async (copy: string): Promise<Manifest> =>
    JSON.parse(await readFile(join(folder, copy, 'manifest.json'), 'utf8')).content

  it('is refused of a database that holds nothing', async () => {
    await expect(backUp('copy')).rejects.toThrow(/no whole installation: schema signer, ledger, service is empty/)
    expect(existsSync(join(folder, 'copy'))).toBe(false)
  })

  let keys: Record<string, unknown>[]
  let feeAccount: string
  const feeAccountNow = () => readFile(join(folder, 'ledger', 'fee-account'), 'utf8')

  it('is made of the signer alone on its own host', async () => {
    await prepare()
    expect(await backUp('signer-copy')).toMatch(/rows of signer \([\s\S]*1 key files[\s\S]*a signer alone/)
    expect((await manifestOf('signer-copy')).rooms).toEqual(['signer'])
    expect(await readdir(join(folder, 'signer-copy', 'keys'))).toEqual(['master.key'])
    keys = await ask('select * from signer.data_keys')
    expect(keys.length).toBeGreaterThan(0)
    feeAccount = await feeAccountNow()
  })

  it('is refused of a database that holds half an installation, and says which', async () => {
    await beginProduct()
    choose({})
    await expect(backUp('copy')).rejects.toThrow(/schema chain is empty\. .*LEDGER_URLS/)
    choose(network)
    await ask('alter schema ledger rename to away')
    await expect(backUp('copy')).rejects.toThrow(/schema ledger is empty/)
    await ask('alter schema signer rename to away_too')
    await expect(backUp('copy')).rejects.toThrow(/schema signer, ledger is empty\. .*SIGNER_URL/)
    expect(existsSync(join(folder, 'copy'))).toBe(false)
    await ask('alter schema away rename to ledger; alter schema away_too rename to signer')
  })

  it('has all but the ledger, says so, and is restored with its signer and its teams', async () => {
    expect(await backUp('copy')).toMatch(
      /rows of signer, ledger, service \([\s\S]*no chain here: a network of validators has/,
    )
    expect((await manifestOf('copy')).rooms).toEqual(['signer', 'ledger', 'service'])
    expect(await manifestOf('copy')).toMatchObject({ height: null })
    await loseEverything()

    choose({})
    await expect(restore('copy')).rejects.toThrow(/The copy has no chain, which this place needs .*LEDGER_URLS/)
    choose(network)
    expect(await restore('copy')).toMatch(/Restored as of/)
    expect(await ask('select * from signer.data_keys')).toEqual(keys)
    expect(await ask('select name from service.teams')).toEqual([{ name: 'First team' }])
    expect(await ask("select from pg_tables where schemaname = 'chain'")).toEqual([])
    await prepare()
  })

  it('of the signer alone is restored with its keys', async () => {
    await loseEverything()
    choose({ ...network, ...elsewhere })
    await expect(restore('signer-copy')).rejects.toThrow(/The copy is of the host of a signer/)
    choose(network)
    expect(await restore('signer-copy')).toMatch(
      /It is a signer alone[\s\S]*docker compose up -d signer-tls brings it back/,
    )
    expect(await ask('select * from signer.data_keys')).toEqual(keys)
    expect(await ask("select from pg_tables where schemaname = 'service'")).toEqual([])
    await prepare()
    expect(await feeAccountNow()).toBe(feeAccount)
  })

  it('has no signer where that is on another host, and is restored without', async () => {
    await loseEverything()
    choose({ ...network, ...elsewhere })
    await prepare()
    await beginProduct()
    expect(await backUp('elsewhere')).toMatch(
      /rows of ledger, service \([\s\S]*the host of its signer is copied by itself/,
    )
    expect(await readdir(join(folder, 'elsewhere', 'keys'))).toEqual(['service.key'])
    await loseEverything()
    expect(await restore('elsewhere')).toMatch(/Restored as of/)
    expect(await ask('select name from service.teams')).toEqual([{ name: 'First team' }])
    await prepare()
  })
})
