import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isAlive } from './start/state/lock.js'

const STARTER = join(dirname(fileURLToPath(import.meta.url)), 'starter.mjs')

/** The process prints its number, and ends when its starter is gone. */
const SERVICE = `
  import { watchStarter } from ${JSON.stringify(STARTER)}
  const isStarterGone = watchStarter()
  setInterval(() => isStarterGone() && process.exit(), 20)
  console.log('pid ' + process.pid)`

async function serviceOf(command: string, args: string[], cwd: string) {
  const starter = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(starter.stdout)
  for await (const line of lines) if (line.startsWith('pid ')) return { starter, pid: Number(line.slice(4)) }
  throw new Error('the service did not start')
}

async function ended(starter: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const end = once(starter, 'exit')
  starter.kill(signal)
  await end
}

async function inFolder(script: string, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-starter-'))
  try {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start: script } }))
    await writeFile(join(folder, 'service.mjs'), SERVICE)
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

test.each([
  ['SIGTERM', 'node service.mjs'],
  ['SIGKILL', 'node service.mjs'],
  // A shell stays between npm and the service here.
  ['SIGKILL', 'node service.mjs; true'],
] as const)('a process that npm started ends when npm is ended by %s (%s)', async (signal, script) => {
  await inFolder(script, async (folder) => {
    const { starter, pid } = await serviceOf('npm', ['start', '--silent'], folder)
    await ended(starter, signal)
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

test('a process that a shell started goes on when the shell is gone', async () => {
  await inFolder('', async (folder) => {
    const command = 'unset npm_lifecycle_event; node service.mjs & wait'
    const { starter, pid } = await serviceOf('/bin/sh', ['-c', command], folder)
    await ended(starter, 'SIGKILL')
    // It looks every 20 ms.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })
})
