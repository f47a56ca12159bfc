import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../scripts/start/settings.js'
import { type Ending, type Serving, startServing, startToEnd } from './support/npm-start.js'
import { scratchDatabase } from './support/scratch-database.js'

let state: string
let database: Awaited<ReturnType<typeof scratchDatabase>>
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'accredit-start-'))
  database = await scratchDatabase()
})
afterAll(async () => {
  await database.drop()
  await rm(state, { recursive: true, force: true })
})

const start = (args: string[], env: Record<string, string> = {}): Promise<Ending> =>
  startToEnd(args, { DATABASE_URL: database.url, ...env })
const serve = (args: string[], databaseUrl = database.url): Promise<Serving> => startServing(args, databaseUrl)

function expectOneSentence({ code, output }: Ending, sentence: RegExp): void {
  expect(output).toMatch(sentence)
  expect(output).not.toMatch(/^\s+at /m)
  expect(code).toBe(1)
}

describe('npm start refuses with a sentence', () => {
  it('when the port is taken', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    const ending = await start(['--state', join(state, 'taken'), '--port', String(port)])
    server.close()
    expectOneSentence(ending, new RegExp(`Port ${port} is taken by another program`))
  })

  it('when the database cannot be reached', async () => {
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/nothing`
    const ending = await start(['--state', join(state, 'unreachable'), '--port', String(await freePort())], {
      DATABASE_URL: url,
    })
    expectOneSentence(ending, /The database of DATABASE_URL cannot be reached/)
  })

  it('when its folder cannot be made', async () => {
    await writeFile(join(state, 'file'), '')
    expectOneSentence(await start(['--state', join(state, 'file', 'below')]), /cannot be made/)
  })

  it('when its settings are damaged', async () => {
    const damaged = await mkdtemp(join(state, 'damaged-'))
    await writeFile(join(damaged, 'settings.json'), '{"port":')
    expectOneSentence(await start(['--state', damaged]), /settings\.json is damaged/)
  })

  it('when its disk is full or its lock cannot be written', async () => {
    expectOneSentence(await start(['--state', '/proc']), /cannot be (made|written)/)
  })

  it.each([
    ['an unknown option', ['--sideways'], /sideways/],
    ['an unknown environment', ['--env', 'moon'], /sandbox or production/],
    ['a port that is none', ['--port', '70000'], /--port is a number/],
  ])('when it is given %s', async (_what, args, sentence) => {
    expectOneSentence(await start(['--state', join(state, 'options'), ...args]), sentence)
  })
})

describe('npm start --fresh', () => {
  it('takes another port, and forgets what it had in a database of its owner', async () => {
    const home = join(state, 'fresh')
    const first = await serve(['--state', home, '--port', String(await freePort())])
    await first.stop()
    const port = await freePort()
    expectOneSentence(await start(['--state', home, '--port', String(port)]), /Start with --fresh to change it/)
    const second = await serve(['--state', home, '--port', String(port), '--fresh'])
    expect(second.ready.apiUrl).toBe(`http://127.0.0.1:${port}`)
    expect(second.ready.apiKey).not.toBe(first.ready.apiKey)
    const answer = await fetch(`${second.ready.apiUrl}/dids`, { headers: { 'SVC-API-TOKEN': second.ready.apiKey } })
    expect(await answer.json()).toEqual([])
    await second.stop()
  })

  it('neither uses nor forgets an installation that its folder does not know', async () => {
    const stranger = ['--state', join(state, 'stranger'), '--port', String(await freePort())]
    expectOneSentence(await start(stranger), /belongs to another installation/)
    expectOneSentence(await start([...stranger, '--fresh']), /knows nothing of/)
  })
})

describe('npm start', () => {
  it('writes ready.json last and privately, refuses a second start beside it, and leaves no orphan when it is killed', async () => {
    const own = await scratchDatabase()
    const home = join(state, 'first')
    const args = ['--state', home, '--port', String(await freePort())]
    const { child, ready } = await serve(args, own.url)
    const readyFile = join(home, 'ready.json')
    expect((await stat(readyFile)).mode & 0o777).toBe(0o600)
    expect((await fetch(`${ready.apiUrl}/health`)).status).toBe(200)
    expectOneSentence(await start(args), /already runs here/)
    child.kill('SIGKILL')
    await expect
      .poll(() => Object.values(ready.pids).filter((pid) => isAlive(Number(pid))), { timeout: 60_000 })
      .toEqual([])
    await own.drop()
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
