import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stopLeftover } from './start/database/postgres.js'
import { isAlive, lockName, replacementOf } from './start/state/lock.js'

const built = join(dirname(fileURLToPath(import.meta.url)), 'dist', 'start', 'state', 'lock.js')

/** A process that takes the lock of each given folder, and tells whether it holds it. */
const starter = `import('${built}').then(({ lock }) => {
  process.on('message', async (folder) => {
    const said = await lock(folder).then(() => 'held', ({ message }) => message)
    process.send(said)
  })
  process.send('ready')
})`

/** A lock whose process is gone: no process was born in the first tick of a machine. */
const LEFT_BEHIND = '999999 1\n'

let folder: string
const starters: ChildProcess[] = []
const answerOf = async (child: ChildProcess): Promise<string> => String((await once(child, 'message'))[0])
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-lock-'))
  for (let n = 0; n < 3; n++)
    starters.push(spawn(process.execPath, ['-e', starter], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }))
  await Promise.all(starters.map(answerOf))
})
afterAll(async () => {
  for (const child of starters) child.kill()
  await rm(folder, { recursive: true, force: true })
})

/** Starts all of them at once; returns the words of those that do not hold it. */
async function allStart(place: string): Promise<string[]> {
  const answers = starters.map(answerOf)
  for (const child of starters) child.send(place)
  return (await Promise.all(answers)).filter((answer) => answer !== 'held')
}

describe('exactly one of three starts at once in one folder holds it, and the others tell that it runs', () => {
  const ROUNDS = Number(process.env.SOAK_LOCK_ROUNDS ?? 20)
  const path = (place: string) => join(place, lockName)
  it.each<[string, (place: string) => Promise<void>]>([
    ['without a lock', async () => {}],
    ['after a killed process', (place) => writeFile(path(place), LEFT_BEHIND)],
    ['with an empty lock', (place) => writeFile(path(place), '')],
    [
      'after a killed process, and another that was killed while it replaced the lock',
      async (place) => {
        await writeFile(path(place), LEFT_BEHIND)
        await writeFile(replacementOf(path(place), LEFT_BEHIND), '999998 1\n')
      },
    ],
  ])('%s', async (what, prepare) => {
    for (let round = 0; round < ROUNDS; round++) {
      const place = join(folder, `${what}-${round}`)
      await mkdir(place)
      await prepare(place)
      const refused = await allStart(place)
      expect(refused).toHaveLength(2)
      for (const sentence of refused) expect(sentence).toMatch(/^Accredit already runs here \(process \d+\)/)
      expect(await readdir(place)).toEqual([lockName])
      const holder = Number((await readFile(path(place), 'utf8')).split(' ')[0])
      expect(starters.map(({ pid }) => pid)).toContain(holder)
    }
  })
})

/** Other systems do not tell the arguments that a process was started with. */
it.runIf(process.platform === 'linux')(
  'a leftover server is stopped only when it serves this very folder',
  async () => {
    const data = await mkdtemp(join(folder, 'postgres-'))
    const serve = async (place: string) => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'postgres', '-D', place])
      await writeFile(join(data, 'postmaster.pid'), `${child.pid}\n`)
      return child
    }
    const other = await serve(`${data}-of-others`)
    await stopLeftover(data)
    expect(other.signalCode).toBeNull()
    expect(isAlive(other.pid ?? 0)).toBe(true)
    other.kill()
    const own = await serve(data)
    await stopLeftover(data)
    expect(isAlive(own.pid ?? 0)).toBe(false)
  },
)
