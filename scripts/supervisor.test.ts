import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Supervisor } from './start/supervisor.js'

test('a stop that is asked for twice ends each process after those that were started later, and starts none again', async () => {
  const log: string[] = []
  const told: string[] = []
  const supervisor = new Supervisor(
    new Writable({
      write(line, _encoding, done) {
        log.push(String(line).trim().split(' ').at(-1) ?? '')
        done()
      },
    }),
    (sentence) => told.push(sentence),
  )
  const falls = 'process.on("SIGUSR2", () => process.exit(1));'
  for (const name of ['database', 'index', 'api']) {
    const ends = `process.on("SIGTERM", () => setTimeout(() => { console.log("${name}-ends"); process.exit() }, 100));`
    const args = ['-e', `${falls}${ends} setInterval(() => {}, 1000); console.log("${name}-ready")`]
    await supervisor.start({
      ...{ name, command: process.execPath, args },
      readyLine: (line) => (line.endsWith('-ready') ? {} : undefined),
    })
  }
  const { index = 0 } = supervisor.pids()
  const stops = [supervisor.stop(), supervisor.stop()]
  process.kill(index, 'SIGUSR2')
  await Promise.all(stops)
  // What a process said last is heard after its end.
  await expect.poll(() => log).toEqual(['database-ready', 'index-ready', 'api-ready', 'api-ends', 'database-ends'])
  expect(told).toEqual([])
})

test('a process that waits for another to be ready is not started any more after a stop', async () => {
  const log: string[] = []
  const supervisor = new Supervisor(
    new Writable({
      write(line, _encoding, done) {
        log.push(String(line))
        done()
      },
    }),
    () => {},
  )
  let otherIsReady = () => {}
  const started = supervisor.start({
    name: 'late',
    command: process.execPath,
    args: ['-e', 'console.log("here")'],
    before: () =>
      new Promise<void>((resolve) => {
        otherIsReady = resolve
      }),
    readyLine: () => ({}),
  })
  await supervisor.stop()
  otherIsReady()
  await expect(started).rejects.toThrow('late did not start: it was stopped')
  expect(log).toEqual([])
})

test('a process that cannot be spawned is a sentence, and nothing waits for its end', async () => {
  const supervisor = new Supervisor(new Writable({ write: (_line, _encoding, done) => done() }), () => {})
  const started = supervisor.start({ name: 'absent', command: '/no/such/command', args: [], readyLine: () => ({}) })
  await expect(started).rejects.toThrow(/^absent did not start: spawn \/no\/such\/command ENOENT/)
  await supervisor.stop()
})

test('the last words of a process that does not start are in the refusal, also where they are heard after its end', async () => {
  const supervisor = new Supervisor(new Writable({ write: (_line, _encoding, done) => done() }), () => {})
  const args = ['-c', '(sleep 0.2; echo "the key is missing" >&2) & exit 1']
  const started = supervisor.start({ name: 'late', command: '/bin/sh', args, readyLine: () => undefined })
  await expect(started).rejects.toThrow('late did not start: it ended with exit code 1. the key is missing')
})
