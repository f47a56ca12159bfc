import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFolder } from '../scripts/start/postgres.js'
import { freePort } from '../scripts/start/settings.js'
import { launch, type Serving, startServing } from './support/npm-start.js'
import { requestsWith } from './support/requests.js'
import { scratchDatabase } from './support/scratch-database.js'

let state: string
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'accredit-interrupted-'))
  // The embedded database's own user passes through it.
  await chmod(state, 0o755)
})
afterAll(() => rm(state, { recursive: true, force: true }))

const answers = async ({ ready }: Serving) => (await requestsWith(ready.apiKey, ready.apiUrl)('GET', '/dids')).body
const listing = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Kills a start with the embedded database as soon as it came so far. */
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

it('a start that is killed, however early, leaves nothing behind that holds up the next one', async () => {
  const home = join(state, 'embedded')
  const args = ['--state', home, '--port', String(await freePort())]
  /** Where the data lies when its user cannot reach the state folder, and where it lies else. */
  const places = [home, openFolder(home)]
  const inData = (...path: string[]) => places.some((place) => existsSync(join(place, 'postgres', ...path)))
  const unfinished = () =>
    places.flatMap((place) =>
      listing(place)
        .filter((name) => /^postgres\.\d+$/.test(name))
        .map((name) => join(place, name)),
    )
  try {
    await killWhen(args, () => existsSync(join(home, 'supervisor.lock')))
    await killWhen(args, () => existsSync(join(home, 'settings.json')))
    // Half made: a database's version is among the first things that its folder holds.
    await killWhen(args, () => unfinished().some((folder) => existsSync(join(folder, 'PG_VERSION'))))
    expect(inData('PG_VERSION')).toBe(false)
    await killWhen(args, () => inData('PG_VERSION'))
    await killWhen(args, () => existsSync(join(home, 'keys', 'master.key')))
    const serving = await startServing(args, '')
    expect(await answers(serving)).toEqual([])
    expect(unfinished()).toEqual([])
    await serving.stop()
  } finally {
    await rm(openFolder(home), { recursive: true, force: true })
  }
})

it('a lost key of the first team is made anew for the same team, and one that another database does not know is replaced', async () => {
  const home = join(state, 'keys')
  const file = join(home, 'keys', 'api-key')
  const args = ['--state', home, '--port', String(await freePort())]
  const [kept, replaced] = [await scratchDatabase(), await scratchDatabase()]
  try {
    const first = await startServing(args, kept.url)
    const { body } = await requestsWith(first.ready.apiKey, first.ready.apiUrl)('POST', '/dids', { type: 'key' })
    await first.stop()

    await rm(file)
    const second = await startServing(args, kept.url)
    expect(second.ready.apiKey).not.toBe(first.ready.apiKey)
    expect(await answers(second)).toMatchObject([{ did: body.did }])
    await second.stop()

    const third = await startServing(args, replaced.url)
    expect(await answers(third)).toEqual([])
    expect(third.said()).toContain(`The key in ${file} is not known to this database`)
    expect((await readFile(file, 'utf8')).trim()).toBe(third.ready.apiKey)
    await third.stop()
  } finally {
    await kept.drop()
    await replaced.drop()
  }
})
