import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from './repository-files.js'

export interface CommandEnd {
  code: number
  /** The words of a success, or the complaint of a failure. */
  said: string
}

/** Runs `npm run backup` or `restore` for the installation of a folder, without the compiling. */
export async function copyCommand(
  module: 'backUpHere' | 'restoreHere',
  args: string[],
  { stateDir, databaseUrl }: { stateDir: string; databaseUrl: string },
): Promise<CommandEnd> {
  const code = `import('${root}/scripts/dist/backup/local.js').then((all) => all.${module}(process.argv.slice(1), '${root}'))`
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const run = promisify(execFile)(process.execPath, ['-e', code, '--', ...args, '--state', stateDir], { env })
  return run.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, said: error.stderr }),
  )
}
