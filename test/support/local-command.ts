import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from './repository-files.js'

export interface CommandEnd {
  code: number
  /** Its words, with the complaint of a failure. */
  said: string
}

/** The modules behind the commands, and what each of them runs. */
const COMMANDS = {
  backup: ['backup/local', 'backUpHere'],
  restore: ['backup/local', 'restoreHere'],
  doctor: ['doctor/local', 'examineHere'],
  key: ['start/key', 'manageKeys'],
} as const

/** Runs `npm run backup` or another command for the installation of a folder, without the compiling. */
export async function localCommand(
  name: keyof typeof COMMANDS,
  args: string[],
  { stateDir, databaseUrl }: { stateDir: string; databaseUrl: string },
): Promise<CommandEnd> {
  const [module, run] = COMMANDS[name]
  const code = `import('${root}/scripts/dist/${module}.js').then((all) => all.${run}(process.argv.slice(1), '${root}'))`
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const ended = promisify(execFile)(process.execPath, ['-e', code, '--', ...args, '--state', stateDir], { env })
  return ended.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  )
}
