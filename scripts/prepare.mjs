// Provides everything that a fresh checkout needs before it can run: Node, the locked packages, compiled code. Plain
// JavaScript without a single package, since none may be there yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { forgetJoined, isBundled } from './bundle.mjs'

/** Tells whether a command is asked for its usage. */
export const asksForHelp = (args = process.argv.slice(2)) => args.includes('--help') || args.includes('-h')

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * The compiler has four checkers, each of which finds out anew what the others know: on two cores that is twice the
 * work in no less time.
 */
export const COMPILER_OPTIONS = ['--checkers', String(Math.min(4, Math.ceil(availableParallelism() / 2)))]

const installedMark = join(projectRoot, 'node_modules', '.accredit-installed')

/** Ends the process with one sentence: the fault, and the remedy. */
export function refuse(sentence) {
  console.error(sentence)
  process.exit(1)
}

/** A line of a log, as all processes write them; no package that does it may be there yet. */
const logLine = (level, msg) =>
  console.log(JSON.stringify({ level, time: new Date().toISOString(), name: 'prepare', msg }))

const AT_A_TERMINAL = {
  begun: (title) => process.stdout.write(`${title} ... `),
  ended: (_title, how) => console.log(how),
  refuse,
}

/** The lines of a service whose output goes into a log. */
export const IN_A_LOG = {
  begun: () => {},
  ended: (title, how) => logLine(30, `${title}: ${how}`),
  refuse(sentence) {
    logLine(60, sentence)
    process.exit(1)
  },
}

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output = (output + chunk).slice(-8000)))
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

async function step(words, title, command, args) {
  const begun = Date.now()
  words.begun(title)
  const { code, output } = await run(command, args)
  words.ended(title, code === 0 ? `${((Date.now() - begun) / 1000).toFixed(1)} s` : 'failed')
  if (code !== 0) words.refuse(`${output.trim()}\n${title}: failed (see above).`)
}

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(join(projectRoot, 'package-lock.json')))
    .update(process.version)
    .digest('hex')

const isInstalled = () => existsSync(installedMark) && readFileSync(installedMark, 'utf8') === lockDigest()

/**
 * Installs the locked packages when they are missing or old, then compiles the changed sources and joins the modules of
 * each process. A request for help is answered at once.
 */
export async function prepare(words = AT_A_TERMINAL) {
  if (asksForHelp() && existsSync(join(projectRoot, 'scripts', 'dist'))) return
  const major = Number(process.versions.node.split('.')[0])
  if (major < 20) words.refuse(`Accredit needs Node 20 or later; this is ${process.version}.`)
  if (!isInstalled()) {
    // The command is not `npm ci`: the lock names no package for platforms that it was not made on, and npm ci would
    // refuse for that.
    await step(words, 'Installing the locked packages', 'npm', [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ])
    writeFileSync(installedMark, lockDigest())
  }
  forgetJoined()
  await step(words, 'Compiling', process.execPath, [
    join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-b',
    '.',
    'indexer',
    ...COMPILER_OPTIONS,
  ])
  if (!isBundled()) await step(words, 'Joining modules', process.execPath, [join(projectRoot, 'scripts', 'bundle.mjs')])
}
