import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WatchedJob } from '../ledger/write/job-watch.js'
import { eventStream } from './event-stream.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const state = (version: string, status: WatchedJob['status'] = 'in_progress'): WatchedJob => ({
  id: '1',
  status,
  result: {},
  version,
})

function watched() {
  const at = { tell: (_: WatchedJob | undefined): void => undefined, isOver: false }
  const stream = eventStream((tell) => {
    at.tell = tell
    return () => {
      at.isOver = true
    }
  }, undefined)
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return { at, stream, text: () => text }
}

test('a silent stream carries a comment every fifteen seconds, and ends after ten minutes', async () => {
  const { at, stream, text } = watched()
  await vi.advanceTimersByTimeAsync(45_000)
  expect(text()).toBe('retry: 1000\n\n:\n\n:\n\n:\n\n')
  const ended = vi.fn()
  stream.on('end', ended)
  await vi.advanceTimersByTimeAsync(555_000)
  expect(at.isOver).toBe(true)
  expect(ended).toHaveBeenCalled()
})

test('a slow reader gets the newest state alone, however many there were', async () => {
  const at = { tell: (_: WatchedJob | undefined): void => undefined }
  const stream = eventStream((tell) => {
    at.tell = tell
    return () => undefined
  }, undefined)
  const big = 'x'.repeat(100_000)
  for (let i = 0; i < 50; i++) at.tell({ ...state(String(i)), result: { big } })
  expect(stream.readableLength).toBeLessThan(300_000)
  at.tell(state('last', 'finalized'))
  let text = ''
  for await (const chunk of stream) text += chunk
  expect(text).toMatch(/id: last\n/)
  expect(text.match(/^event: /gm)?.length).toBeLessThan(5)
})

test('a reader that leaves ends the watch', () => {
  const { at, stream } = watched()
  stream.destroy()
  expect(at.isOver).toBe(true)
})
