import { EXCLUDED_MUTATIONS, PARTS } from './parts.mjs'

const part = process.env.MUTATE_PART ?? 'at'

/** Of a sample, the mutants that were not drawn stand in the report as errors of a checker. */
const isSample = process.env.MUTATE_SEED !== undefined
const report = `.accredit/mutate/${isSample ? 'sample/' : ''}${part}`

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', ...(isSample ? ['./scripts/mutate/sample.mjs'] : [])],
  checkers: isSample ? ['drawn-only'] : [],
  vitest: { configFile: 'scripts/mutate/vitest.config.mjs', related: false },
  mutate: PARTS[part].mutate,
  mutator: { excludedMutations: EXCLUDED_MUTATIONS },
  // Stryker would rewrite a tsconfig by the programming interface of TypeScript 5, which TypeScript 7 lacks; vitest
  // reads none.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  // A checker and one that tests; the first is replaced by another that tests when all are checked.
  concurrency: isSample ? 1 : 2,
  // A fault that takes too long counts as noticed: a busy machine must not have it seem so.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 30,
  incremental: !isSample,
  incrementalFile: `${report}.incremental.json`,
  tempDirName: '.accredit/mutate/sandbox',
  ignorePatterns: ['.accredit', 'chain/target', '**/*.log'],
  reporters: [...(isSample ? [] : ['clear-text']), 'json', 'progress-append-only'],
  jsonReporter: { fileName: `${report}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  warnings: { slow: false },
}
