import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Finding } from '../scripts/doctor/finding.js'
import { freePort } from '../scripts/start/processes/ports.js'
import { isAlive } from '../scripts/start/state/lock.js'
import { localCommand } from './support/local-command.js'
import { type Serving, startServing } from './support/npm-start.js'
import { type ScratchDatabase, scratchDatabase } from './support/scratch-database.js'

/** An operator reads more of the logs of an installation that runs, and asks what is wrong with it. */
describe('the processes of an installation that runs', () => {
  let folder: string
  let database: ScratchDatabase
  let serving: Serving

  const state = () => join(folder, '.accredit')
  const pidOf = (name: string): number => serving.ready.pids[name] ?? 0
  const log = () => readFile(join(state(), 'accredit.log'), 'utf8')

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-running-'))
    database = await scratchDatabase()
    serving = await startServing(['--state', state(), '--port', String(await freePort())], database.url)
  })
  afterAll(async () => {
    if (serving?.child.exitCode === null) await serving.stop()
    await database?.drop()
    await rm(folder, { recursive: true })
  })

  it('write more into the log at a signal, each of them, and less again at a second one', async () => {
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
    const { said } = await localCommand('doctor', ['--json'], { stateDir: state(), databaseUrl: database.url })
    return JSON.parse(said).findings
  }

  it('are well in the eyes of the doctor', async () => {
    expect((await findings()).filter(({ state: how }) => how === 'fault')).toEqual([])
  })

  it.each(['ledger', 'signer'])(
    'are told apart by the doctor when the %s stands still: that one is to be mended first',
    async (name) => {
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
    },
  )

  it('end all the same where ready.json cannot be taken away, which is told in a sentence', async () => {
    const ready = join(state(), 'ready.json')
    const pids = Object.values(serving.ready.pids)
    await rm(ready)
    await mkdir(ready)
    const ended = once(serving.child, 'exit')
    serving.child.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
    expect(serving.said()).toMatch(/"msg":"All processes have ended, and something is left: [^"]*ready\.json/)
    expect(serving.said()).not.toMatch(/^\s+at /m)
    expect(pids.filter(isAlive)).toEqual([])
  })
})
