import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { giveWay } from './start/processes/give-way.js'

let other: ReturnType<typeof spawn>
beforeEach(async () => {
  other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  await once(other, 'spawn')
})
afterEach(() => other.kill('SIGKILL'))

const pid = (): number => other.pid ?? 0

test('a process that gives way runs after this one, also where the system shares by sessions', async () => {
  await giveWay(pid())
  expect(getPriority(pid())).toBe(6)
  const file = `/proc/${pid()}/autogroup`
  if (existsSync(file)) expect(readFileSync(file, 'utf8')).toContain('nice 6')
})

test('a process that is gone gives way without an error', async () => {
  other.kill('SIGKILL')
  await once(other, 'exit')
  await giveWay(pid())
})
