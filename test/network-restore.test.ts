import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Manifest } from '../scripts/backup/archive.js'
import { startTestDatabase } from '../scripts/start/test-database.js'
import { programOf } from './support/compose.js'
import { type ProductionPlace, productionPlace, settingsOf } from './support/production-services.js'
import { root } from './support/repository-files.js'
import { settingsIn } from './support/settings-file.js'

const PROGRAM = 'scripts/dist/backup/production.js'

/** No service runs: the database and the key files tell what a copy and its restore do. */
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
  const backUp = () => run('prepare', [PROGRAM, 'backup', join(folder, 'copy')])
  const restore = () => run('prepare', [PROGRAM, 'restore', join(folder, 'copy')])
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

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-network-restore-'))
    database = await startTestDatabase()
    network = await settingsIn('scripts/operate/network.env')
    elsewhere = await settingsIn('scripts/operate/signer-elsewhere.env')
    place = await productionPlace(folder, database.url)
    choose(network)
  })
  afterEach(async () => {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Makes a host on which the product has begun: an index, and a team. */
  async function beginProduct(): Promise<void> {
    await prepare()
    await run('indexer', ['indexer/lib/make-tables.js'])
    await run('api', ['api/dist/team.js', '--name', 'First team'])
  }

  async function loseEverything(): Promise<void> {
    for (const name of ['service', 'signer', 'ledger', 'secrets'])
      await rename(join(folder, name), join(folder, `lost-${name}`))
    await database.stop()
    database = await startTestDatabase()
    place = await productionPlace(folder, database.url, place.chosen)
  }

  async function manifest(): Promise<Manifest> {
    return JSON.parse(await readFile(join(folder, 'copy', 'manifest.json'), 'utf8')).content
  }

  it('has all but the ledger, says so, and is restored with its signer and its teams', async () => {
    await beginProduct()
    expect(await backUp()).toMatch(
      /rows of signer, ledger, service \([\s\S]*no chain here: a network of validators has/,
    )
    expect((await manifest()).rooms).toEqual(['signer', 'ledger', 'service'])
    expect(await manifest()).toMatchObject({ height: null })
    const account = await ask('select * from signer.data_keys')
    expect(account.length).toBeGreaterThan(0)
    await loseEverything()

    choose({})
    await expect(restore()).rejects.toThrow(/The copy has no chain, which this place needs .*LEDGER_URLS/)
    choose(network)
    expect(await restore()).toMatch(/Restored as of/)
    expect(await ask('select * from signer.data_keys')).toEqual(account)
    expect(await ask('select name from service.teams')).toEqual([{ name: 'First team' }])
    expect(await ask("select from pg_tables where schemaname = 'chain'")).toEqual([])
    await prepare()
  })

  it('has the signer alone on its own host, and is restored with its keys', async () => {
    await prepare()
    expect(await backUp()).toMatch(/rows of signer \([\s\S]*1 key files[\s\S]*a signer alone/)
    expect((await manifest()).rooms).toEqual(['signer'])
    expect(await readdir(join(folder, 'copy', 'keys'))).toEqual(['master.key'])
    const keys = await ask('select * from signer.data_keys')
    const feeAccount = await readFile(join(folder, 'ledger', 'fee-account'), 'utf8')
    await loseEverything()

    choose({ ...network, ...elsewhere })
    await expect(restore()).rejects.toThrow(/The copy is of the host of a signer/)
    choose(network)
    expect(await restore()).toMatch(/It is a signer alone[\s\S]*docker compose up -d signer-tls brings it back/)
    expect(await ask('select * from signer.data_keys')).toEqual(keys)
    expect(await ask("select from pg_tables where schemaname = 'service'")).toEqual([])
    await prepare()
    expect(await readFile(join(folder, 'ledger', 'fee-account'), 'utf8')).toBe(feeAccount)
  })

  it('has no signer where that is on another host, and is restored without', async () => {
    choose({ ...network, ...elsewhere })
    await beginProduct()
    expect(await backUp()).toMatch(/rows of ledger, service \([\s\S]*the host of its signer is copied by itself/)
    expect(await readdir(join(folder, 'copy', 'keys'))).toEqual(['service.key'])
    await loseEverything()
    expect(await restore()).toMatch(/Restored as of/)
    expect(await ask('select name from service.teams')).toEqual([{ name: 'First team' }])
    await prepare()
  })

  it('is refused of a database that holds nothing, or half an installation, and says which', async () => {
    await expect(backUp()).rejects.toThrow(/no whole installation: schema signer, ledger, service is empty/)
    await beginProduct()
    choose({})
    await expect(backUp()).rejects.toThrow(/schema chain is empty\. .*LEDGER_URLS/)
    choose(network)
    await ask('drop schema ledger cascade')
    await expect(backUp()).rejects.toThrow(/schema ledger is empty/)
    await ask('drop schema signer cascade')
    await expect(backUp()).rejects.toThrow(/schema signer, ledger is empty\. .*SIGNER_URL/)
    expect(existsSync(join(folder, 'copy'))).toBe(false)
  })
})
