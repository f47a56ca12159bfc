import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const scriptsIn = (folder: string): [string, string][] =>
  Object.entries(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).scripts)

/** Asks for help as npm does: packages' own programs come first. */
async function help(command: string, folder = '.') {
  const PATH = `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`
  const options = { cwd: join(root, folder), env: { ...process.env, PATH }, timeout: 60_000 }
  return promisify(execFile)('/bin/sh', ['-c', `${command} --help`], options)
}

test.each(scriptsIn('.'))(
  'npm run %s tells its usage to who asks for it, does nothing else, and that is no failure',
  async (name, command) => {
    const { stdout, stderr } = await help(command)
    expect(stderr).toBe('')
    // TypeScript's compiler prints its own.
    expect(stdout).toMatch(
      command.startsWith('tsc ') ? /^tsc: The TypeScript Compiler/m : new RegExp(`^(npm (run )?${name}|Builds)`),
    )
    expect(stdout).not.toMatch(/Compiling/)
  },
)

test('npm run rebuild -w indexer tells its usage', async () => {
  const [[, command = ''] = []] = scriptsIn('indexer').filter(([name]) => name === 'rebuild')
  expect((await help(command, 'indexer')).stdout).toMatch(/^npm run rebuild -w indexer/)
})
