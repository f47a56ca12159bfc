import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../start/processes/ports.js'
import type { Measured } from './measure.js'

/**
 * Measures `npm start` from a folder of sources alone to the sentence that it runs (packages are installed, all is
 * compiled, a database and a ledger begin), and a later start of the same installation.
 */
export async function measureStarts(projectRoot: string, print: (measured: Measured) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'accredit-cold-'))
  await chmod(folder, 0o755)
  try {
    await copySources(projectRoot, folder)
    const port = await freePort()
    print(await start('A start from the sources alone, to serving', '60 s', folder, port))
    for (const count of ['second', 'third']) print(await start(`A ${count} start, to serving`, '5 s', folder, port))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The files that people write: what a fresh checkout holds. */
async function copySources(projectRoot: string, folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: projectRoot, maxBuffer: 2 ** 26 })
  for (const file of stdout.split('\0').filter(Boolean))
    await cp(join(projectRoot, file), join(folder, file), { recursive: true, preserveTimestamps: true })
}

async function start(title: string, wanted: string, folder: string, port: number): Promise<Measured> {
  const begun = performance.now()
  const npm = spawn('npm', ['start', '--', '--no-tour', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: '' },
    detached: true,
  })
  const ended = once(npm, 'exit')
  try {
    await said(npm.stdout, 'is running')
    const seconds = (performance.now() - begun) / 1000
    return {
      title: `${title} (${seconds.toFixed(1)} s)`,
      wanted,
      count: 1,
      perSecond: 1 / seconds,
      p50: seconds * 1000,
      p95: seconds * 1000,
    }
  } finally {
    // npm does not wait for what it started: the whole group hears of the end.
    if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGTERM')
    await ended
    await portIsFree(port)
  }
}

async function said(output: NodeJS.ReadableStream, words: string): Promise<void> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    if (text.includes(words)) return
  }
  throw new Error(`npm start ended: ${text.slice(-2000)}`)
}

/** The product has stopped when nothing answers there any more. */
async function portIsFree(port: number): Promise<void> {
  for (;;) {
    const isServing = await fetch(`http://127.0.0.1:${port}/health`).then(
      () => true,
      () => false,
    )
    if (!isServing) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
