import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { freePort } from '../scripts/start/processes/ports.js'
import { type Ending, expectOneSentence, startToEnd } from './support/npm-start.js'
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

describe('npm start refuses with a sentence', () => {
  it('when the port is taken', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    const exit = await start(['--state', join(state, 'taken'), '--port', String(port)])
    server.close()
    expectOneSentence(exit, new RegExp(`Port ${port} is taken by another program`))
  })

  it('when the database cannot be reached', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/nothing'
    const exit = await start(['--state', join(state, 'unreachable'), '--port', String(await freePort())], {
      DATABASE_URL: url,
    })
    expectOneSentence(exit, /The database of DATABASE_URL cannot be reached/)
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

  it('when its lock cannot be written', async () => {
    expectOneSentence(await start(['--state', '/proc']), /cannot be (made|written)/)
  })

  it.for(['16k', '1m', '30m'])('when its disk of %s becomes full', async (size, { skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'accredit-disk-'))
    // The embedded database's own user passes through it.
    await chmod(disk, 0o755)
    try {
      if (!isMounted(disk, size)) skip('only root can mount a small disk')
      const exit = await start(['--state', join(disk, 'state'), '--port', String(await freePort())], {
        DATABASE_URL: '',
      })
      expectOneSentence(exit, /The embedded database could not be made in .+: .*No space left on device$/m)
    } finally {
      spawnSync('umount', ['--lazy', disk])
      await rm(disk, { recursive: true })
    }
  })

  it.each([
    ['an unknown option', ['--sideways'], /sideways/],
    ['an unknown environment', ['--env', 'moon'], /sandbox or production/],
    ['a port that is none', ['--port', '70000'], /--port is a number/],
  ])('when it is given %s', async (_what, args, sentence) => {
    expectOneSentence(await start(['--state', join(state, 'options'), ...args]), sentence)
  })
})

const isMounted = (disk: string, size: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', disk]).status === 0
