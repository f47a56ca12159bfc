import { PARTS } from './parts.mjs'

const part = process.env.MUTATE_PART ?? 'at'

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutate/vitest.config.mjs', related: false },
  mutate: PARTS[part].mutate,
  // Texts for people decide nothing.
  mutator: { excludedMutations: ['StringLiteral', 'ObjectLiteral'] },
  // Stryker would rewrite a tsconfig by the programming interface of TypeScript 5, which TypeScript 7 lacks; vitest
  // reads none.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  incremental: true,
  incrementalFile: `.accredit/mutate/${part}.incremental.json`,
  tempDirName: '.accredit/mutate/sandbox',
  ignorePatterns: ['.accredit', 'chain/target', '**/*.log'],
  reporters: ['clear-text', 'json', 'progress-append-only'],
  jsonReporter: { fileName: `.accredit/mutate/${part}.json` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  warnings: { slow: false },
}
