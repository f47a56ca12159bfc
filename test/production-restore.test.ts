import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { secretsFrom } from '@accredit/process/secret-files'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../scripts/doctor/finding.js'
import { roomNames } from '../scripts/start/database/roles.js'
import { startTestDatabase } from '../scripts/start/test-database.js'
import { programOf } from './support/compose.js'
import { emptyServer } from './support/emptied-server.js'
import { type ProductionPlace, productionPlace, settingsOf } from './support/production-services.js'
import { commandAmongWords, commandsOf, programIn } from './support/readme.js'
import { root } from './support/repository-files.js'

/** No service runs: the database and the key files tell what a restore does. The ledger has made no key yet. */
describe('a copy of the production shape, made and restored as README says', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof startTestDatabase>>
  let place: ProductionPlace

  /** Runs a program with the settings that docker-compose.yml gives a service; returns its words. */
  async function run(service: string, program: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, program, {
      cwd: root,
      // Programs that a restore runs are given their passwords, not the files of them.
      env: program.some((word) => word.includes('make-tables'))
        ? secretsFrom(settingsOf(service, place))
        : settingsOf(service, place),
    })
    return stdout
  }
  const inReadme = (title: string): Promise<string> => {
    const line =
      commandsOf(title, 'Compose')
        .split('\n')
        .find((one) => one.includes('backup/production.js')) ?? ''
    return run('prepare', programIn(line, { '/copies/': `${folder}/` }))
  }
  const keys = () => run('api', ['api/dist/key.js', 'list'])
  const newKey = async (): Promise<string> =>
    /Key (\S+) of team/.exec(await run('api', ['api/dist/key.js', 'create']))?.[1] ?? ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-production-restore-'))
    database = await startTestDatabase()
    place = await productionPlace(folder, database.url)
    await run('prepare', programOf('prepare'))
    await run('ledger', ['chain/embedded/dist/make-tables.js'])
    await run('indexer', ['indexer/lib/make-tables.js'])
    await run('api', ['api/dist/team.js', '--name', 'First team'])
  })
  afterAll(async () => {
    await database?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Another machine, or the same with new volumes, where the database's server is empty too. */
  async function loseEverything(): Promise<void> {
    await copyFile(join(folder, 'service', 'erasures.jsonl'), join(folder, 'erasures.jsonl'))
    for (const name of ['service', 'signer', 'ledger', 'secrets'])
      await rename(join(folder, name), join(folder, `lost-${name}`))
    await emptyServer(database.url)
    place = await productionPlace(folder, database.url)
  }

  it('has the keys of the API but for those that were revoked since, which the journal tells', async () => {
    const [kept, revoked] = [await newKey(), await newKey()]
    expect(await inReadme('Backup.')).toMatch(/2 key files[\s\S]*The journal of erasures .* is no part of it/)
    await run('api', ['api/dist/key.js', 'revoke', revoked])
    await loseEverything()

    const said = await inReadme('Restore')
    expect(said).toMatch(/journal of erasures .* 0 erasures and deletions, .* 1 keys/)
    expect(said).toMatch(/Restored as of .*docker compose up -d brings it back/)
    await run('prepare', programOf('prepare'))
    const listed = await keys()
    expect(listed).toMatch(new RegExp(`^${kept} (?!.*expired)`, 'm'))
    expect(listed).toMatch(new RegExp(`^${revoked} .* expired`, 'm'))
    const doctor = programIn(commandAmongWords('Is something wrong?', 'docker compose'), {})
    const found = await run('prepare', [...doctor, '--json']).catch(({ stdout }: { stdout: string }) => stdout)
    const findings: Finding[] = JSON.parse(found).findings
    const faults = findings.filter(({ state }) => state === 'fault').map(({ check }) => check)
    expect(findings.filter(({ check, state }) => check === 'role' && state === 'ok')).toHaveLength(roomNames.length)
    expect([...new Set(faults)].sort()).toEqual(['api', 'certificate', 'keys', 'redis'])
    await expect(inReadme('Restore')).rejects.toThrow(/The database holds an installation already/)
  })
  it('has the journal applied before anything serves, where its disk was put back', async () => {
    const line = commandAmongWords('Backup.', 'docker compose run --rm --no-deps worker')
    expect(await run('worker', programIn(line, {}))).toMatch(/journal of erasures .* was applied .* 0 keys/)
  })
})
