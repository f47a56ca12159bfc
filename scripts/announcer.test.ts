import { expect, test, vi } from 'vitest'
import { announcer } from './start/announcer.js'

/** Returns what is written into a log, as objects. */
function logged(use: (words: ReturnType<typeof announcer>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  use(announcer(false, { write: (line: string) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line))
}

test('into a log each line is an object with its time, whatever is said', () => {
  const lines = logged((words) => {
    words.say('Database ...')
    words.say('\n  a table\n\n  of two lines\n')
    words.refuse('It cannot start.')
  })
  expect(lines.map(({ level, name, msg }) => [level, name, msg])).toEqual([
    [30, 'supervisor', 'Database ...'],
    [30, 'supervisor', '  a table'],
    [30, 'supervisor', '  of two lines'],
    [60, 'supervisor', 'It cannot start.'],
  ])
  for (const { time } of lines) expect(new Date(String(time)).getTime()).not.toBeNaN()
})

test('a message with facts is one line with them, and its further text is for people', () => {
  const [line, ...others] = logged((words) => words.say('\nIt is running.\n  Key  secret', { apiUrl: 'http://x' }))
  expect(line).toMatchObject({ msg: 'It is running.', apiUrl: 'http://x' })
  expect(JSON.stringify(line)).not.toContain('secret')
  expect(others).toEqual([])
})

test('a message at a terminal is plain text', () => {
  const said = vi.spyOn(console, 'log').mockImplementation(() => {})
  announcer(true).say('a sentence\n of two lines', { apiUrl: 'http://x' })
  expect(said.mock.calls).toEqual([['a sentence\n of two lines']])
  said.mockRestore()
})
