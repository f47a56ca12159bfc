import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { logLine } from './start/processes/log-lines.js'
import { Supervisor } from './start/processes/supervisor.js'

/** A supervisor, the lines of its log, and what it told. */
function supervised(longestBackOffMs?: number) {
  const lines: string[] = []
  const told: string[] = []
  const log = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)).msg)
      done()
    },
  })
  const tell = (sentence: string) => void told.push(sentence)
  return { supervisor: new Supervisor(log, tell, () => undefined, longestBackOffMs), lines, told }
}

test('two stops at once end the processes in reverse order, and restart none', async () => {
  const { supervisor, lines, told } = supervised()
  const falls = 'process.on("SIGUSR2", () => process.exit(1));'
  for (const name of ['database', 'index', 'api']) {
    const ends = `process.on("SIGTERM", () => setTimeout(() => { console.log("${name}-ends"); process.exit() }, 100));`
    const args = ['-e', `${falls}${ends} setInterval(() => {}, 1000); console.log("${name}-ready")`]
    await supervisor.start({
      name,
      command: process.execPath,
      args,
      readyLine: (line) => (line.endsWith('-ready') ? {} : undefined),
    })
  }
  const { index } = supervisor.pids()
  if (index === undefined) throw new Error('the index runs')
  const stops = [supervisor.stop(), supervisor.stop()]
  process.kill(index, 'SIGUSR2')
  await Promise.all(stops)
  const said = () => lines
  // The last words of a process are heard after its end.
  await expect.poll(said).toEqual(['database-ready', 'index-ready', 'api-ready', 'api-ends', 'database-ends'])
  expect(told).toEqual([])
})

test('a process that falls again and again waits longer each time, until it waits the longest', async () => {
  const { supervisor, told } = supervised(300)
  const args = ['-e', 'console.log("here"); setTimeout(() => process.exit(3), 20)']
  await supervisor.start({ name: 'weak', command: process.execPath, args, readyLine: () => ({}) })
  const waits = () => told.flatMap((sentence) => /starting it again in (\S+) s/.exec(sentence)?.[1] ?? [])
  await expect.poll(() => waits().length).toBeGreaterThan(2)
  await supervisor.stop()
  expect(waits().slice(0, 3)).toEqual(['0.25', '0.3', '0.3'])
})

test('a process that waits for another to be ready is not started any more after a stop', async () => {
  const { supervisor, lines } = supervised()
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
  expect(lines).toEqual([])
})

test('a process that cannot be spawned is a sentence, and nothing waits for its end', async () => {
  const { supervisor } = supervised()
  const started = supervisor.start({ name: 'absent', command: '/no/such/command', args: [], readyLine: () => ({}) })
  await expect(started).rejects.toThrow(/^absent did not start: spawn \/no\/such\/command ENOENT/)
  await supervisor.stop()
})

test('a refusal holds the last output of a process that does not start, also what arrives after its end', async () => {
  const { supervisor } = supervised()
  const args = ['-c', '(sleep 0.2; echo "the key is missing" >&2) & exit 1']
  const started = supervisor.start({ name: 'late', command: '/bin/sh', args, readyLine: () => undefined })
  await expect(started).rejects.toThrow('late did not start: it ended with exit code 1. the key is missing')
})

test.each([
  ['{"level":50,"time":1,"msg":"it fails","id":7}', { level: 50, time: 1, name: 'api', msg: 'it fails', id: 7 }],
  ['{"level":30,"time":1,"name":"migrate","msg":"done"}', { level: 30, time: 1, name: 'migrate', msg: 'done' }],
  ['{"ready":"api"}', { level: 30, name: 'api', ready: 'api' }],
  ['2026-01-01 UTC [7] LOG:  checkpoint complete', { level: 30, name: 'api', msg: /LOG/ }],
  ['2026-01-01 UTC [7] WARNING:  no space', { level: 40, name: 'api', msg: /no space/ }],
  ['2026-01-01 UTC [7] FATAL:  no entry', { level: 60, name: 'api', msg: /no entry/ }],
  ['{ half of an object', { level: 30, name: 'api', msg: '{ half of an object' }],
  ['    at a frame of a stack', { level: 30, name: 'api', msg: '    at a frame of a stack' }],
])('a line of a process is an object in the log: %s', (text, expected) => {
  const line = JSON.parse(logLine('api', text))
  expect(new Date(line.time).getTime()).not.toBeNaN()
  for (const [name, value] of Object.entries(expected))
    if (value instanceof RegExp) expect(line[name]).toMatch(value)
    else expect(line[name]).toBe(value)
})
