// What a fresh checkout needs before anything of ours can run: Node, the locked packages, compiled code.
// Plain JavaScript without a single package, since none may be there yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))
const installedMark = join(projectRoot, 'node_modules', '.accredit-installed')

/** Ends the process with one sentence: what is wrong, and what to do. */
export function refuse(sentence) {
  console.error(sentence)
  process.exit(1)
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

async function step(title, command, args) {
  const begun = Date.now()
  process.stdout.write(`${title} ... `)
  const { code, output } = await run(command, args)
  console.log(code === 0 ? `${((Date.now() - begun) / 1000).toFixed(1)} s` : 'failed')
  if (code !== 0) refuse(`${output.trim()}\n${title}: failed (see above).`)
}

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(join(projectRoot, 'package-lock.json')))
    .update(process.version)
    .digest('hex')

const isInstalled = () => existsSync(installedMark) && readFileSync(installedMark, 'utf8') === lockDigest()

/** Installs the locked packages when they are missing or old, then compiles what changed. */
export async function prepare() {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 20) refuse(`Accredit needs Node 20 or later; this is ${process.version}.`)
  if (!isInstalled()) {
    // Not `npm ci`: the lock names no package for platforms that it was not made on, and npm ci would refuse for that.
    await step('Installing the locked packages', 'npm', [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ])
    writeFileSync(installedMark, lockDigest())
  }
  await step('Compiling', process.execPath, [
    join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-b',
    '.',
    'indexer',
  ])
}
