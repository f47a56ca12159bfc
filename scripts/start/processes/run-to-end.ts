import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Refusal } from '../refusal.js'
import { sentenceOf } from './log-lines.js'
import type { Site } from './site.js'

const execute = promisify(execFile)

/** Returns what a command gets of the caller's environment: the same as a process that stays. */
function kept(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_OPTIONS } = process.env
  return { PATH, HOME, ...(NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS }) }
}

/** Runs one of our commands to its end; returns the JSON object of its last line. */
export async function runToEnd(
  { projectRoot }: Pick<Site, 'projectRoot'>,
  script: string,
  args: string[],
  env: Record<string, string>,
): Promise<Record<string, unknown>> {
  try {
    const { stdout } = await execute(process.execPath, [join(projectRoot, script), ...args], {
      env: { ...kept(), ...env },
    })
    const last = stdout.trim().split('\n').at(-1) ?? ''
    return last.startsWith('{') ? JSON.parse(last) : {}
  } catch (error) {
    const output =
      error instanceof Error && 'stderr' in error
        ? `${'stdout' in error ? error.stdout : ''}\n${error.stderr}`
        : String(error)
    const words = output.split('\n').map(sentenceOf).filter(Boolean)
    throw new Refusal(`${script} failed: ${words.at(-1) ?? 'it said nothing'}`)
  }
}

/** Runs a command whose words are for the user; returns its exit code. */
export async function runThrough(script: string, args: string[], env: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, [script, ...args], { env: { ...kept(), ...env }, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return typeof code === 'number' ? code : 1
}
