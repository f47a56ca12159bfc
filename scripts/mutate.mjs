// npm run mutate checks that the tests notice small faults in the rules. Stryker changes TypeScript; a list of our own
// changes SQL, since Stryker changes no text. `npm run mutate -- signer` does one part, `npm run mutate -- sql` the
// list, `npm run mutate -- sample 200` 200 faults of TypeScript that a seed draws over all parts.
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PARTS } from './mutate/parts.mjs'
import { prepare, projectRoot, refuse } from './prepare.mjs'
import { run, withDatabase } from './runner.mjs'

/**
 * `tests` by name, and `faults`: a text that stands once in a file, its replacement, and the tests that must notice.
 */
const sql = JSON.parse(readFileSync(join(projectRoot, 'scripts', 'mutate', 'sql-faults.json'), 'utf8'))

const tool = (...path) => join(projectRoot, 'node_modules', ...path)

/** @returns whether Stryker came to its end; the scores are in its output and in .accredit/mutate/<part>.json */
async function mutateTypeScript(part, databaseUrl, sample = {}) {
  const stryker = tool('@stryker-mutator', 'core', 'bin', 'stryker.js')
  const env = { TEST_DATABASE_URL: databaseUrl, MUTATE_PART: part, ...sample }
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

const scoreOf = (noticed, tried) => `${noticed} of ${tried} noticed, ${((100 * noticed) / tried).toFixed(1)} %`

/** @returns whether at least 95 % of the drawn faults were noticed */
async function mutateSample({ asked, count, seed }, databaseUrl) {
  const { draw, mutantsOf, resultsOf } = await import('./mutate/sample.mjs')
  const parts = asked === undefined ? Object.keys(PARTS) : [asked]
  const { drawn, limit } = draw((await Promise.all(parts.map(mutantsOf))).flat(), count, seed)
  console.log(`Seed ${seed}: ${drawn.length} faults`)
  const lines = []
  const all = { noticed: 0, tried: 0 }
  for (const part of parts.filter((name) => drawn.some((mutant) => mutant.part === name))) {
    const ended = await mutateTypeScript(part, databaseUrl, { MUTATE_SEED: seed, MUTATE_LIMIT: limit })
    if (!ended) refuse(`Stryker did not come to its end in ${part}: see above.`)
    const report = readFileSync(join(projectRoot, '.accredit', 'mutate', 'sample', `${part}.json`), 'utf8')
    const result = resultsOf(JSON.parse(report))
    all.noticed += result.noticed
    all.tried += result.tried
    lines.push(`${part}: ${scoreOf(result.noticed, result.tried)}`, ...result.lines.map((line) => `  ${line}`))
  }
  console.log([...lines, `Seed ${seed}: ${scoreOf(all.noticed, all.tried)}`].join('\n'))
  return all.noticed >= 0.95 * all.tried
}

const parts = [...Object.keys(PARTS), 'sql']
const usage = `npm run mutate -- [${parts.join(' | ')}], or: npm run mutate -- sample [PART] [N] [--seed S]`

function parsedArguments() {
  const options = { help: { type: 'boolean', short: 'h' }, seed: { type: 'string' } }
  try {
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return refuse(`${error.message}\n${usage}`)
  }
}

/** @returns the part that is named, or none for all; of a sample also how many faults, and the seed */
function readArguments() {
  const { values, positionals } = parsedArguments()
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const isSample = positionals[0] === 'sample'
  const words = isSample ? positionals.slice(1) : positionals
  const isNumber = (word) => isSample && /^[1-9]\d*$/.test(word)
  const [numbers, names] = [words.filter(isNumber), words.filter((word) => !isNumber(word))]
  const known = isSample ? Object.keys(PARTS) : parts
  if (numbers.length > 1 || names.length > 1 || names.some((name) => !known.includes(name)))
    refuse(`${positionals.join(' ')} is not understood: ${usage}`)
  if (!isSample && values.seed !== undefined) refuse(`Only a sample has a seed: ${usage}`)
  const [asked] = names
  const seed = values.seed ?? String(randomInt(2 ** 31))
  return { asked, ...(isSample && { sample: { asked, count: Number(numbers[0] ?? 200), seed } }) }
}

const { asked, sample } = readArguments()
await prepare()
if (!existsSync(tool('@stryker-mutator', 'core'))) refuse('Stryker is not installed: npm install')
const results = []
await withDatabase(async (databaseUrl) => {
  if (sample) results.push(await mutateSample(sample, databaseUrl))
  else
    for (const part of asked === undefined ? parts : [asked])
      results.push(part === 'sql' ? await mutateSql(databaseUrl) : await mutateTypeScript(part, databaseUrl))
})
process.exit(results.every(Boolean) ? 0 : 1)
