import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { databaseUrl, stateDir } from './shared-stack.js'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The key of a further team of the shared stack, made as `npm run team` makes it. */
export async function anotherTeam(name: string): Promise<string> {
  const make = `import('./scripts/dist/start/team.js').then(({ makeTeam }) => makeTeam(process.argv.slice(1), process.cwd()))`
  const options = ['--name', name, '--state', stateDir]
  // Its supervisor runs here without the lock of an installation, so that the command has to be told the database.
  const env = { ...process.env, DATABASE_URL: databaseUrl }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', make, '--', ...options], {
    cwd: projectRoot,
    env,
  })
  const key = /^Key\s+(\S+)$/m.exec(stdout)?.[1]
  if (key === undefined) throw new Error(`no key in: ${stdout}`)
  return key
}
