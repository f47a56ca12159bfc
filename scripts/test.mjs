// npm test runs everything that continuous integration runs. Its last line is the sum over all runners.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { keepDependencies, takeDependencies } from './chain-dependencies.mjs'
import { asksForHelp, COMPILER_OPTIONS, prepare, projectRoot, refuse } from './prepare.mjs'
import { missingPrograms, run, rustIsThere, withDatabase } from './runner.mjs'

const bin = (name) => join(projectRoot, 'node_modules', '.bin', name)
const isCi = Boolean(process.env.CI)
/** The chain is compiled once: settings that would make its next compilation quick make this one slow. */
const compiledOnce = { CARGO_INCREMENTAL: '0', CARGO_PROFILE_DEV_CODEGEN_UNITS: '1' }
/** The option that every process of the service's tests gets. */
const optimisedLate = `--require ${JSON.stringify(join(projectRoot, 'test', 'support', 'late-optimisation.cjs'))}`
const totals = { passed: 0, failed: 0 }
/** The failures with their reasons, told again at the end: a log of thousands of lines is read from there. */
const failures = []

function add(title, { passed, failed }) {
  totals.passed += passed
  totals.failed += failed
  console.log(`-- ${title}: ${passed} passed, ${failed} failed`)
}

function reportCheck(title, { code, output }) {
  console.log(`\n== ${title}\n${output}`)
  if (code !== 0) failures.push(title)
  add(title, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })
}

/**
 * The chain's tests compile for minutes, and the checks of sources take one core; the service's tests mostly wait for
 * blocks. So all run beside each other, and the output of the others is shown in one piece afterwards.
 */
async function chainBeside() {
  if (!(await rustIsThere())) return undefined
  const chain = join(projectRoot, 'chain')
  await takeDependencies(chain, compiledOnce)
  const cargo = ['test', '--locked', '--workspace', '--manifest-path', join('chain', 'Cargo.toml')]
  const ended = await run('cargo', cargo, compiledOnce, { beside: true })
  if (ended.code === 0) await keepDependencies(chain, compiledOnce)
  return ended
}

/** Runs commands that are one check each: it passes when the command ends well. */
async function checksBeside() {
  const done = []
  for (const [title, command, args] of [
    ['Format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
    ['No dead code', bin('knip'), []],
    ['Types of the tests', 'npm', ['run', '--silent', 'check-types', '--', ...COMPILER_OPTIONS]],
    ['The runtime in chain/artifact is built from this source', 'bash', ['scripts/build-runtime', '--check']],
  ]) {
    done.push({ title, ...(await run(command, args, {}, { beside: true })) })
  }
  return done
}

function reportChain(chain) {
  console.log('\n== Chain (cargo test)')
  if (chain === undefined) {
    if (isCi) add('chain', { passed: 0, failed: 1 })
    else console.log('-- chain: not run, since there is no Rust on this machine')
    return
  }
  const { code, output } = chain
  console.log(output)
  const counts = { passed: 0, failed: 0 }
  for (const [, passed, failed] of output.matchAll(/^test result: .*? (\d+) passed; (\d+) failed/gm)) {
    counts.passed += Number(passed)
    counts.failed += Number(failed)
  }
  for (const [, name] of output.matchAll(/^test (\S+) \.\.\. FAILED$/gm)) failures.push(`chain: ${name}`)
  // A crate that does not compile has no result line of its own.
  if (code !== 0 && counts.failed === 0) {
    counts.failed = 1
    failures.push('chain: cargo test did not run to its end')
  }
  add('chain', counts)
}

/** Returns the failed tests of one file, or the file itself when it could not be loaded. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(projectRoot, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [`${file}: ${message}`]
  return failed.map((test) => `${file}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
}

async function serviceTests(databaseUrl) {
  console.log('\n== Service (vitest)')
  const folder = mkdtempSync(join(tmpdir(), 'accredit-report-'))
  const report = join(folder, 'report.json')
  const vitest = join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run(process.execPath, [vitest, 'run', ...reporters], {
    TEST_DATABASE_URL: databaseUrl,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, optimisedLate].filter(Boolean).join(' '),
  })
  const {
    numPassedTests: passed = 0,
    numFailedTests = 0,
    testResults = [],
  } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
  rmSync(folder, { recursive: true, force: true })
  failures.push(...testResults.flatMap(failuresOf))
  // A file that cannot be loaded or a failing set-up counts no test of its own.
  if (code !== 0 && numFailedTests === 0) failures.push('service: vitest ended with an error outside its tests')
  add('service', { passed, failed: code !== 0 && numFailedTests === 0 ? 1 : numFailedTests })
}

if (asksForHelp()) {
  console.log(`npm test
  Runs all that continuous integration runs: format, lint, dead code, types, every test of the service, and the chain's own.
  TEST_DATABASE_URL names a PostgreSQL server for them, in place of an embedded one; CHROMIUM the browser that pages are opened in.
  One file alone: npx vitest run FILE`)
  process.exit(0)
}
const chain = chainBeside()
const programs = missingPrograms()
await prepare()
const checks = checksBeside()
const missing = await programs
await withDatabase(serviceTests)
for (const name of missing)
  console.log(`-- tests that need ${name}: not run, since there is no ${name} on this machine`)
if (!process.env.ACCREDIT_NODE) console.log('-- a network of validators: not run, since ACCREDIT_NODE names no node')
for (const done of await checks) reportCheck(done.title, done)
reportChain(await chain)

if (failures.length > 0) console.log(`\n== Failed\n${failures.join('\n\n')}`)
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
if (totals.failed > 0) process.exit(1)
if (totals.passed === 0) refuse('No test ran.')
