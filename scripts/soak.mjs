// npm run soak runs the tests that draw at random, at counts that take hours and not minutes, those whose cases take turns
// in npm test with every case at every place, and other long ones.
// Every count can be set beforehand by its name; `npm run soak -- signer ledger` runs only these parts.
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { asksForHelp, prepare, projectRoot, refuse } from './prepare.mjs'
import { run, rustIsThere, withDatabase } from './runner.mjs'

const vitest = (files) => ({
  command: process.execPath,
  args: [join(projectRoot, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...files],
})

/** The cases differ from those of npm test, and from run to run. */
const drawn = { PROPERTY_SEED: randomInt(2 ** 31) }

const parts = {
  pallets: {
    counts: { PROPTEST_CASES: 100_000 },
    command: 'cargo',
    args: [
      'test',
      '--release',
      '--locked',
      '--manifest-path',
      join('chain', 'Cargo.toml'),
      '--workspace',
      'properties',
    ],
  },
  // Sources and artifact are compared by every npm test; compiling them to the same bytes takes minutes.
  artifact: { counts: {}, command: 'bash', args: ['scripts/build-runtime', '--verify'] },
  signer: { counts: { SOAK_SIGNER_KILLS: 200, SOAK_SIGNER_ACTIONS: 1_000 }, ...vitest(['signer/test/fire.test.ts']) },
  ledger: { counts: { SOAK_LEDGER_KILLS: 200 }, ...vitest(['chain/embedded/src/kill.test.ts']) },
  executor: { counts: { HISTORY_BLOCKS: 100 }, ...vitest(['chain/embedded/src/executor/reference.test.ts']) },
  chain: { counts: { SOAK_LEDGER_BLOCKS: 100_000 }, ...vitest(['chain/embedded/src/long-chain.test.ts']) },
  index: {
    counts: { HISTORY_RUNS: 300, HISTORY_BLOCKS: 300, ...drawn },
    ...vitest([
      'api/src/ledger/read/temporal.test.ts',
      'api/src/ledger/testing/random-did.test.ts',
      'api/src/ledger/read/proven-facts.test.ts',
      'indexer/src/storage.test.ts',
    ]),
  },
  ecosystem: {
    counts: { SOAK_ECOSYSTEM_DAYS: 30, SOAK_ECOSYSTEM_INSTITUTIONS: 2_000, SOAK_ECOSYSTEM_INSTANTS: 500 },
    ...vitest(['test/equality.test.ts']),
  },
  // The linters, generators and a fuzzer of others, which it installs.
  clients: { counts: { SOAK_CLIENT_CASES: 20 }, ...vitest(['test/clients.test.ts']) },
  audit: { counts: { SOAK_EVENTS: 1_000_000 }, ...vitest(['api/src/audit/streams.test.ts']) },
  credentials: {
    counts: {
      SOAK_ALTERED_CREDENTIALS: 20_000,
      SOAK_STANDARD_MUTANTS: 20_000,
      SOAK_LEAVES: 20_000,
      SOAK_MUTANTS: 20_000,
      SOAK_ISSUED: 5_000,
      ...drawn,
    },
    ...vitest([
      'api/src/formats/json-ld/canonical/unambiguous-json-ld.test.ts',
      'api/src/formats/json-ld/canonical/standard-form.test.ts',
      'api/src/formats/json-ld/canonical/statements.test.ts',
      'api/src/verification/mutants.test.ts',
      'api/src/credentials/issuing/generated-requests.test.ts',
    ]),
  },
  places: { counts: { SOAK_PLACES: 5_000 }, ...vitest(['api/src/credentials/issuing/parallel-places.test.ts']) },
  // Sixty-four writers of every kind of status, while processes are killed.
  statuses: {
    counts: {
      SOAK_STATUSES_WRITERS: 64,
      SOAK_STATUSES_STEPS: 60,
      SOAK_STATUSES_KILLS: 15,
      SOAK_STATUSES_VERIFIED: 1_000,
      SOAK_STATUSES_MEMBERS: 20,
      SOAK_STATUSES_SEED: randomInt(2 ** 31),
    },
    ...vitest(['test/statuses.test.ts']),
  },
  // Every cell of README's table of formats, with every change of every member.
  matrix: { counts: { SOAK_MATRIX: 'whole' }, ...vitest(['api/src/verification/matrix/matrix.test.ts']) },
  export: { counts: { SOAK_EXPORTED: 100_000 }, ...vitest(['api/src/data/export/export.test.ts']) },
  // Every value at every place of an anonymous credential, and of what its holder shows.
  anonymous: {
    counts: { SOAK_ANONYMOUS: 'whole' },
    ...vitest(['api/src/verification/anonymous-credentials.test.ts']),
  },
  // Every hostile body, id, member and point in time, and every spelling, at every operation.
  input: {
    counts: { SOAK_INPUT: 'whole' },
    ...vitest([
      'test/bad-input.test.ts',
      'test/hostile-members.test.ts',
      'api/src/audit/identifiers.test.ts',
      'api/src/audit/instants.test.ts',
      'api/src/body-costs.test.ts',
      'api/src/credentials/issuing/caller-ids.test.ts',
      'api/src/verification/matrix/never-verified.test.ts',
    ]),
  },
  // A replica of the API and the queue are killed, again and again.
  production: { counts: { SOAK_PRODUCTION_ROUNDS: 100 }, ...vitest(['test/production.test.ts']) },
  // All processes are killed, again and again, while DIDs are made and told to a web hook.
  faults: {
    counts: { SOAK_FAULT_ROUNDS: 20, SOAK_KILLS: 100, SOAK_FAULT_ROWS: 1_000 },
    ...vitest(['test/faults.test.ts']),
  },
  // Three starts at once in one folder, again and again.
  lock: { counts: { SOAK_LOCK_ROUNDS: 1_000 }, ...vitest(['scripts/lock.test.ts']) },
  // Every earlier version that is kept, and not the oldest and the newest alone.
  upgrades: { counts: { SOAK_EARLIER_VERSIONS: 'all' }, ...vitest(['test/upgrade.test.ts']) },
  // Each byte of a proof of each kind is changed to five others or eight, and not every fourth to one alone.
  proofs: { counts: { SOAK_PROOF_BYTES: 'all' }, ...vitest(['chain/client/src/proof/changed-bytes.test.ts']) },
  // The worker is killed at each of its messages to the database, heard and not heard.
  webhooks: {
    counts: { SOAK_WEBHOOK_KILLS: 164 },
    ...vitest(['api/src/webhooks/delivering/killed-worker.test.ts']),
  },
  mutations: {
    counts: { SOAK_MUTATIONS: 20_000, ...drawn },
    ...vitest(['api/src/verification/matrix/mutations.test.ts']),
  },
}

if (asksForHelp()) {
  console.log(`npm run soak -- [PART ...]
  Runs the tests that draw at random at their long counts, which takes hours; a count is set beforehand by its name.
${Object.entries(parts)
  .map(
    ([name, { counts }]) =>
      `  ${name.padEnd(12)} ${Object.entries(counts)
        .map((pair) => pair.join('='))
        .join(' ')}`,
  )
  .join('\n')}`)
  process.exit(0)
}
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in parts))
if (unknown.length > 0) refuse(`No such part: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`)
const chosen = Object.entries(parts).filter(([name]) => asked.length === 0 || asked.includes(name))

await prepare()
if (chosen.some(([name]) => name === 'pallets') && !(await rustIsThere()))
  refuse('There is no Rust on this machine, which the part "pallets" needs.')

const results = await withDatabase(async (databaseUrl) => {
  const done = []
  for (const [name, { counts, command, args }] of chosen) {
    const used = Object.entries(counts).map(([key, value]) => [key, process.env[key] ?? String(value)])
    console.log(`\n== ${name} (${used.map((pair) => pair.join('=')).join(' ')})`)
    const begun = Date.now()
    const { code } = await run(command, args, {
      TEST_DATABASE_URL: databaseUrl,
      TEST_TIMEOUT_MS: String(12 * 3600 * 1000),
      ...Object.fromEntries(used),
    })
    done.push({ part: name, counts: used, seconds: Math.round((Date.now() - begun) / 1000), passed: code === 0 })
  }
  return done
})

console.log('\n== Soak')
for (const { part, counts, seconds, passed } of results)
  console.log(
    `${passed ? 'passed' : 'FAILED'}  ${part.padEnd(12)} ${String(seconds).padStart(6)} s  ${counts.map((pair) => pair.join('=')).join(' ')}`,
  )
const failed = results.filter(({ passed }) => !passed).length
console.log(`\n${results.length - failed} passed, ${failed} failed`)
if (failed > 0) process.exit(1)
