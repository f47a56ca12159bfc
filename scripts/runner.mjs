// Shared by npm test and npm run soak: commands with their output shown, a database, Rust.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { projectRoot } from './prepare.mjs'

const isRoot = process.getuid?.() === 0

/**
 * Runs a command; returns its exit code and its output. The output is shown as it comes, unless the command runs
 * `beside` another: then it is kept, and the other one has the processor first.
 */
export function run(command, args, env = {}, { beside = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: projectRoot,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (beside && child.pid !== undefined) setPriority(child.pid, 2)
    let output = ''
    for (const [stream, shown] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])
      stream.on('data', (chunk) => {
        output += chunk
        if (!beside) shown.write(chunk)
      })
    child.on('error', (error) => resolve({ code: 1, output: output + error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Two things may be installed at once. */
const WAITING = ['-o', 'DPkg::Lock::Timeout=600']

/** Updates the lists of packages. For the lock of these apt never waits by itself, whatever its options say. */
async function updateLists(options) {
  for (let tries = 0; tries < 120; tries++) {
    const { code, output } = await run('apt-get', ['update', '-qq'], { LC_ALL: 'C' }, options)
    if (code === 0 || !/could not get lock|unable to lock/i.test(output)) return
    await wait(5_000)
  }
}

const answers = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0

/** Tells whether cargo can be called, after installing it from the distribution where this process may do that. */
export async function rustIsThere() {
  if (answers('cargo')) return true
  if (!isRoot || !existsSync('/usr/bin/apt-get')) return false
  console.log('Installing Rust from the distribution ...')
  await updateLists()
  await run('apt-get', [
    ...WAITING,
    'install',
    '-y',
    '-qq',
    '--no-install-recommends',
    'rustc-web',
    'cargo-web',
    'gcc',
    'libc6-dev',
    'clang',
  ])
  return answers('cargo')
}

const VERSIONS = '/usr/lib/postgresql'
const hasServer = () =>
  existsSync(VERSIONS) && readdirSync(VERSIONS).some((version) => existsSync(join(VERSIONS, version, 'bin', 'initdb')))

/** The programs that single tests drive, each with its package of the distribution. */
const PROGRAMS = [
  {
    name: 'Chromium',
    package: 'chromium',
    isThere: () => existsSync(process.env.CHROMIUM ?? '/usr/bin/chromium'),
    isChosen: Boolean(process.env.CHROMIUM),
  },
  { name: 'Caddy', package: 'caddy', isThere: () => existsSync('/usr/bin/caddy') },
  { name: 'nginx', package: 'nginx', isThere: () => existsSync('/usr/sbin/nginx') },
  { name: 'OpenSC', package: 'opensc', isThere: () => existsSync('/usr/bin/pkcs11-tool') },
  { name: 'SoftHSM', package: 'softhsm2', isThere: () => existsSync('/usr/bin/softhsm2-util') },
  { name: 'OpenSSL', package: 'openssl', isThere: () => existsSync('/usr/bin/openssl') },
  { name: 'PostgreSQL', package: 'postgresql', isThere: hasServer },
  {
    name: 'Redis',
    package: 'redis-server',
    isThere: () => existsSync(process.env.REDIS_SERVER ?? '/usr/bin/redis-server'),
    isChosen: Boolean(process.env.REDIS_SERVER),
  },
]

/** Returns the names of these programs that are not there, after installing what this process may install. */
export async function missingPrograms() {
  const missing = () => PROGRAMS.filter(({ isThere }) => !isThere())
  const wanted = missing().filter(({ isChosen }) => !isChosen)
  if (wanted.length > 0 && isRoot && existsSync('/usr/bin/apt-get')) {
    console.log(`Installing ${wanted.map(({ name }) => name).join(', ')} from the distribution ...`)
    const beside = { beside: true }
    await updateLists(beside)
    for (const program of wanted) {
      const install = [...WAITING, 'install', '-y', '-qq', '--no-install-recommends', program.package]
      const { output } = await run('apt-get', install, { DEBIAN_FRONTEND: 'noninteractive' }, beside)
      if (!program.isThere()) console.log(`${program.name} could not be installed:\n${output}`)
    }
  }
  return missing().map(({ name }) => name)
}

/** Opens the database of the tests: the one that TEST_DATABASE_URL names, or an embedded one that ends with them. */
export async function withDatabase(use) {
  if (process.env.TEST_DATABASE_URL) return use(process.env.TEST_DATABASE_URL)
  const { startTestDatabase } = await import('./dist/start/test-database.js')
  const database = await startTestDatabase()
  try {
    return await use(database.url)
  } finally {
    await database.stop()
  }
}
