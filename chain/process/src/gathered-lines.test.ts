import { execFileSync } from 'node:child_process'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gathered } from './gathered-lines.js'

let written: string[] = []
beforeEach(() => {
  written = []
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

const logOf = () => {
  const lines = gathered({ write: (text) => void written.push(text) })
  return { lines, log: pino({ base: null, timestamp: false, level: 'debug' }, lines) }
}
const messages = (text = ''): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).msg)

test('lines of one moment are written together, in their order, and each once', () => {
  const { log } = logOf()
  for (const message of ['one', 'two', 'three']) log.info(message)
  expect(written).toEqual([])
  vi.advanceTimersByTime(50)
  expect(written.map(messages)).toEqual([['one', 'two', 'three']])
  vi.advanceTimersByTime(1000)
  expect(written).toHaveLength(1)
})

test.each(['warn', 'error', 'fatal'] as const)(
  'a line of level %s is written at once, after those before it',
  (level) => {
    const { log } = logOf()
    log.info('before')
    log[level]('grave')
    expect(written.map(messages)).toEqual([['before', 'grave']])
    log.info('after')
    vi.advanceTimersByTime(50)
    expect(written.map(messages)).toEqual([['before', 'grave'], ['after']])
  },
)

test('lines that fill a write do not wait', () => {
  const { log } = logOf()
  log.info('x'.repeat(20_000))
  expect(written).toHaveLength(1)
})

test('a process that ends at once has written its last line', () => {
  const program = `require('@accredit/process/log').createLog({ name: 'test' }).info('the last one'); process.exit(0)`
  expect(messages(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }))).toEqual(['the last one'])
})
