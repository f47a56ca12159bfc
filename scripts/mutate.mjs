// npm run mutate checks that the tests notice small faults in the rules. Stryker changes TypeScript; a list of our own
// changes SQL, since Stryker changes no text. `npm run mutate -- signer` does one part, `npm run mutate -- sql` the
// list.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS } from './mutate/parts.mjs'
import { prepare, projectRoot, refuse } from './prepare.mjs'
import { run, withDatabase } from './runner.mjs'

/**
 * `tests` by name, and `faults`: a text that stands once in a file, its replacement, and the tests that must notice.
 */
const sql = JSON.parse(readFileSync(join(projectRoot, 'scripts', 'mutate', 'sql-faults.json'), 'utf8'))

const tool = (...path) => join(projectRoot, 'node_modules', ...path)

/** @returns whether Stryker came to its end; the scores are in its output and in .accredit/mutate/<part>.json */
async function mutateTypeScript(part, databaseUrl) {
  const stryker = tool('@stryker-mutator', 'core', 'bin', 'stryker.js')
  const env = { TEST_DATABASE_URL: databaseUrl, MUTATE_PART: part }
  const { code } = await run(process.execPath, [stryker, 'run', 'scripts/mutate/stryker.config.mjs'], env)
  return code === 0
}

/** Runs `use` while a file has one fault in it, and restores the file afterwards, however that ends. */
async function withFault({ file, before, after }, use) {
  const path = join(projectRoot, file)
  const text = readFileSync(path, 'utf8')
  const restore = () => writeFileSync(path, text)
  const stop = () => {
    restore()
    process.exit(130)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  writeFileSync(
    path,
    text.replace(before, () => after),
  )
  try {
    return await use()
  } finally {
    restore()
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop)
  }
}

async function isNoticed(tests, databaseUrl) {
  const vitest = [tool('vitest', 'vitest.mjs'), 'run', '--bail=1', '--reporter=dot', ...tests]
  const { code } = await run(process.execPath, vitest, { TEST_DATABASE_URL: databaseUrl }, { beside: true })
  return code !== 0
}

/** @returns whether every fault was noticed */
async function mutateSql(databaseUrl) {
  const all = [...new Set(Object.values(sql.tests).flat())]
  if (await isNoticed(all, databaseUrl)) refuse('The tests fail without any fault: mend them first.')
  let noticed = 0
  for (const [number, fault] of sql.faults.entries()) {
    const isKilled = await withFault(fault, () => isNoticed(sql.tests[fault.tests], databaseUrl))
    if (isKilled) noticed += 1
    const { file, before, after } = fault
    console.log(
      `${number + 1}/${sql.faults.length} ${isKilled ? 'noticed ' : 'SURVIVED'} ${file}: ${before} -> ${after}`,
    )
  }
  console.log(`SQL: ${noticed} of ${sql.faults.length} noticed, ${((100 * noticed) / sql.faults.length).toFixed(0)} %`)
  return noticed === sql.faults.length
}

const [asked] = process.argv.slice(2)
const parts = [...Object.keys(PARTS), 'sql']
if (asked !== undefined && !parts.includes(asked)) {
  const isHelp = asked === '--help'
  const usage = `npm run mutate -- [${parts.join(' | ')}]`
  if (isHelp) console.log(usage)
  else refuse(`There is no part ${asked}: ${usage}`)
  process.exit(0)
}

await prepare()
if (!existsSync(tool('@stryker-mutator', 'core'))) refuse('Stryker is not installed: npm install')
const results = []
await withDatabase(async (databaseUrl) => {
  for (const part of asked === undefined ? parts : [asked])
    results.push(part === 'sql' ? await mutateSql(databaseUrl) : await mutateTypeScript(part, databaseUrl))
})
process.exit(results.every(Boolean) ? 0 : 1)
