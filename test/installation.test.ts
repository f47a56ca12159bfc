import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chmod, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Finding } from '../scripts/doctor/finding.js'
import { openFolder } from '../scripts/start/database/postgres.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { isAlive } from '../scripts/start/state/lock.js'
import { connect } from '../scripts/tour/client.js'
import { localCommand } from './support/local-command.js'
import { expectOneSentence, launch, type Serving, startServing, startToEnd } from './support/npm-start.js'
import { typed } from './support/programs.js'
import { requestsWith } from './support/requests.js'
import { scratchDatabase } from './support/scratch-database.js'

interface DidStarted {
  did: string
  id: string
}

/** A start of everything is slow: each test goes on with the installation as the one before left it. */
describe('an installation, from starts that are broken off to one that forgets it', () => {
  let state: string
  let home: string
  let copy: string
  let args: string[]
  /** A database of its owner's, in the place of the embedded one. */
  let given: Awaited<ReturnType<typeof scratchDatabase>>
  let serving: Serving
  const started: Serving[] = []
  /** The DIDs that were there when a backup was made. */
  const atTheCopy: string[] = []

  beforeAll(async () => {
    state = await mkdtemp(join(tmpdir(), 'accredit-installation-'))
    // The embedded database's own user passes through it.
    await chmod(state, 0o755)
    home = join(state, '.accredit')
    copy = join(state, 'copy')
    args = ['--state', home, '--port', String(await freePort())]
    given = await scratchDatabase()
  })
  afterAll(async () => {
    for (const { child, stop } of started) if (child.exitCode === null && child.signalCode === null) await stop()
    await given.drop()
    await rm(openFolder(home), { recursive: true, force: true })
    await rm(state, { recursive: true, force: true })
  })

  async function serve(databaseUrl: string, more: string[] = args): Promise<void> {
    serving = await startServing(more, databaseUrl)
    started.push(serving)
  }
  const start = (more: string[]) => startToEnd(more, { DATABASE_URL: given.url })
  const client = () => connect(serving.ready.apiUrl, serving.ready.apiKey)
  const create = (type?: 'key') => client().call<DidStarted>('POST', '/dids', { type })
  const ownDids = async (): Promise<string[]> => {
    const { body } = await requestsWith(serving.ready.apiKey, serving.ready.apiUrl)('GET', '/dids')
    return body.map(({ id }: { id: string }) => id)
  }
  const aliveOf = ({ ready }: Serving) => Object.values(ready.pids).filter(isAlive)

  it('comes up after starts that were killed however early, and nothing of theirs is left', async () => {
    /** The folders where the data may lie; the second is used when its user cannot reach the state folder. */
    const places = [home, openFolder(home)]
    const inData = (...path: string[]) => places.some((place) => existsSync(join(place, 'postgres', ...path)))
    const unfinished = () =>
      places.flatMap((place) =>
        namesIn(place)
          .filter((name) => /^postgres\.\d+$/.test(name))
          .map((name) => join(place, name)),
      )
    await killWhen(args, () => existsSync(join(home, 'supervisor.lock')))
    await killWhen(args, () => existsSync(join(home, 'settings.json')))
    // The database is half made: its version is among the first files of its folder.
    await killWhen(args, () => unfinished().some((folder) => existsSync(join(folder, 'PG_VERSION'))))
    expect(inData('PG_VERSION')).toBe(false)
    await killWhen(args, () => inData('PG_VERSION'))
    await killWhen(args, () => existsSync(join(home, 'keys', 'master.key')))
    await serve('')
    expect(await ownDids()).toEqual([])
    expect(unfinished()).toEqual([])
  })

  it('tells soon after its first start that everything works', async () => {
    const shown = async () => (await fetch(`${serving.ready.apiUrl}/status`)).text()
    await expect.poll(shown, { timeout: 20_000 }).toContain('Everything works')
  })

  it('writes ready.json last and privately, and refuses a second start beside it', async () => {
    expect((await stat(join(home, 'ready.json'))).mode & 0o777).toBe(0o600)
    expect((await fetch(`${serving.ready.apiUrl}/health`)).status).toBe(200)
    expectOneSentence(await start(args), /already runs here/)
  })

  it('knows everything again after all its processes were killed at once, and makes a lost key anew for the same team', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => create()))
    const killed = serving
    for (const pid of Object.values(killed.ready.pids)) process.kill(pid, 'SIGKILL')
    await expect.poll(() => aliveOf(killed)).toEqual([])
    inProject(`npm run backup -- --state ${home} --to ${copy}`)
    atTheCopy.push(...made.map(({ did }) => did))
    await rm(join(home, 'keys', 'api-key'))
    await serve('')
    expect(serving.ready.apiKey).not.toBe(killed.ready.apiKey)
    for (const { did, id } of made) {
      await client().finished(id)
      expect(await client().call<{ id: string }>('GET', `/dids/${did}`)).toMatchObject({ id: did })
    }
    expect((await ownDids()).sort()).toEqual(made.map(({ did }) => did).sort())
  })

  it('comes back from the copy that was made when it had been killed, as it was then, and goes on', async () => {
    const late = await create()
    await client().finished(late.id)
    await serving.stop()
    for (const folder of [home, openFolder(home)]) await rm(folder, { recursive: true, force: true })
    expect(inProject(`npm run restore -- ${copy} --state ${home}`)).toContain(
      `There is no journal of erasures (${join(home, 'erasures.jsonl')}): what was erased after the copy was made is back`,
    )
    await serve('')
    expect((await ownDids()).sort()).toEqual(atTheCopy.sort())
    const { did, id } = await create()
    await client().finished(id)
    expect(await client().call<{ id: string }>('GET', `/dids/${did}`)).toMatchObject({ id: did })
  })

  it('leaves no orphan when its supervisor is killed', async () => {
    serving.child.kill('SIGKILL')
    await expect.poll(() => aliveOf(serving)).toEqual([])
  })

  it('replaces a key that another database does not know', async () => {
    const file = join(home, 'keys', 'api-key')
    await serve(given.url)
    expect(await ownDids()).toEqual([])
    expect(serving.said()).toContain(`The key in ${file} is not known to this database`)
    expect((await readFile(file, 'utf8')).trim()).toBe(serving.ready.apiKey)
    await create('key')
  })

  const pidOf = (name: string): number => serving.ready.pids[name] ?? 0

  it('has processes that write more into the log at a signal, each of them, and less again at a second one', async () => {
    const log = () => readFile(join(home, 'accredit.log'), 'utf8')
    const names = Object.keys(serving.ready.pids).filter((name) => name !== 'supervisor')
    expect(names.sort()).toEqual(['api', 'indexer', 'ledger', 'signer', 'worker'])
    for (const level of ['debug', 'info']) {
      const { length } = await log()
      for (const name of names) process.kill(pidOf(name), 'SIGUSR2')
      const switched = async () => {
        const lines = (await log())
          .slice(length)
          .split('\n')
          .filter((line) => line.includes('"nowAt"'))
        const told = lines.map((line) => JSON.parse(line)).filter(({ nowAt }) => nowAt === level)
        expect([...new Set(told.map(({ name }) => name))].sort()).toEqual(names)
      }
      await vi.waitFor(switched, { timeout: 20_000, interval: 100 })
    }
    expect(names.filter((name) => !isAlive(pidOf(name)))).toEqual([])
  })

  const findings = async (): Promise<Finding[]> => {
    const { said } = await localCommand('doctor', ['--json'], { stateDir: home, databaseUrl: given.url })
    return JSON.parse(said).findings
  }

  it('is well in the eyes of the doctor', async () => {
    expect((await findings()).filter(({ state: how }) => how === 'fault')).toEqual([])
  })

  it.each(['ledger', 'signer'])('whose %s stands still has that to be mended first, says the doctor', async (name) => {
    process.kill(pidOf(name), 'SIGSTOP')
    try {
      const advice = async () => {
        const faults = (await findings()).filter(({ state: how }) => how === 'fault')
        const remedies = Object.fromEntries(faults.map(({ says, remedy }) => [says.split(':')[0], remedy]))
        expect(remedies[name]).toContain(`See the log of the ${name}`)
        expect(remedies.fees).toBe('Mend the ledger first: without it nothing is known of this.')
      }
      await vi.waitFor(advice, { timeout: 60_000, interval: 500 })
    } finally {
      process.kill(pidOf(name), 'SIGCONT')
    }
  })

  it('ends all the same where ready.json cannot be taken away, which is told in a sentence', async () => {
    const ready = join(home, 'ready.json')
    await rm(ready)
    await mkdir(ready)
    const ended = once(serving.child, 'exit')
    serving.child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
    expect(serving.said()).toMatch(/"msg":"All processes have ended, and something is left: [^"]*ready\.json/)
    expect(serving.said()).not.toMatch(/^\s+at /m)
    expect(aliveOf(serving)).toEqual([])
    await rm(ready, { recursive: true })
  })

  it.each([
    ['settings.json', /settings\.json is missing, but .+master\.key is there/],
    ['keys/master.key', /master\.key is missing\. Without it the private keys in this database are lost/],
    ['keys/service.key', /service\.key is missing\. Without it invitations that were sent are refused/],
    ['keys/ledger.key', /ledger\.key of this chain is missing\. Without its own keys the chain can never get a newer/],
  ])('does not start without its %s, says what is lost and what to do, and makes no other', async (name, sentence) => {
    const file = join(home, name)
    await rename(file, `${file}.away`)
    const exit = await start(args)
    expectOneSentence(exit, sentence)
    expect(exit.output).toContain('--fresh')
    expect(existsSync(file)).toBe(false)
    await rename(`${file}.away`, file)
  })

  it('is neither used nor forgotten by a folder that does not know it', async () => {
    const stranger = ['--state', join(state, 'stranger'), '--port', String(await freePort())]
    expectOneSentence(await start(stranger), /belongs to another installation/)
    expectOneSentence(await start([...stranger, '--fresh']), /knows nothing of/)
  })

  it('takes another port with --fresh only, which forgets its data in a database of the owner’s, but for the journal', async () => {
    const forgotten = serving
    const journal = join(home, 'erasures.jsonl')
    const line = `${JSON.stringify({ id: 'ak_test_0123456789ab', at: '2026-01-01T00:00:00Z', key: { ends: null } })}\n`
    await appendFile(journal, line)
    const port = await freePort()
    const elsewhere = ['--state', home, '--port', String(port)]
    expectOneSentence(await start(elsewhere), /Start with --fresh to change it/)
    await serve(given.url, [...elsewhere, '--fresh'])
    expect(serving.ready.apiUrl).toBe(`http://127.0.0.1:${port}`)
    expect(serving.ready.apiKey).not.toBe(forgotten.ready.apiKey)
    expect(await ownDids()).toEqual([])
    expect(serving.said()).toContain(`the journal of erasures and revoked keys (${journal})`)
    expect(await readFile(journal, 'utf8')).toContain(line)
    await serving.stop()
    expect(aliveOf(serving)).toEqual([])
  })
})

/** Runs a command of README's in the project's folder. */
const inProject = (command: string) => typed(command, fileURLToPath(new URL('..', import.meta.url)))

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Kills a start with the embedded database as soon as the condition holds. */
async function killWhen(args: string[], cameSoFar: () => boolean): Promise<void> {
  const child = launch(args, '')
  const ended = once(child, 'exit')
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  while (!cameSoFar() && !hasEnded) await new Promise((next) => setTimeout(next, 1))
  expect(hasEnded).toBe(false)
  child.kill('SIGKILL')
  await ended
}
