import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const launcher = `import('${root}/scripts/dist/start/main.js').then(({ main }) => main(process.argv.slice(1), '${root}'))`
const command = (args: string[]): string[] => ['-e', launcher, '--', ...args]

export interface Ending {
  code: number | null
  output: string
}

/** npm start, without the installing: runs until it ends by itself. */
export function startToEnd(args: string[], env: Record<string, string>): Promise<Ending> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: 150_000 }
    execFile(process.execPath, command(args), options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: messagesOf(stdout) + stderr })
    })
  })
}

/** Reads its log: a JSON object a line, and nothing else. */
const messagesOf = (log: string): string =>
  log
    .split('\n')
    .filter(Boolean)
    .map((line) => `${JSON.parse(line).msg}\n`)
    .join('')

/** A refusal: one sentence for people, no stack. */
export function expectOneSentence({ code, output }: Ending, sentence: RegExp): void {
  expect(output).toMatch(sentence)
  expect(output).not.toMatch(/^\s+at /m)
  expect(code).toBe(1)
}

/** Begins it and waits for nothing; an empty URL means the embedded database. */
export const launch = (args: string[], databaseUrl: string): ChildProcess =>
  spawn(process.execPath, command([...args, '--no-tour']), {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

export interface Serving {
  ready: { apiUrl: string; apiKey: string; pids: Record<string, number> }
  child: ChildProcess
  /** Its output so far. */
  said(): string
  stop(): Promise<void>
}

/** Runs it until it serves. The state folder is the second argument. */
export async function startServing(args: string[], databaseUrl: string): Promise<Serving> {
  const child = launch(args, databaseUrl)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said += String(chunk)
      if (said.includes('is running')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)))
  })
  const ready = JSON.parse(await readFile(join(args[1] ?? '', 'ready.json'), 'utf8'))
  child.removeAllListeners('exit')
  return {
    ready,
    child,
    said: () => said,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
