import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** `npm run soak` gives its long tests more time. */
const timeout = Number(process.env.TEST_TIMEOUT_MS ?? 180_000)

const common = {
  testTimeout: timeout,
  hookTimeout: Math.max(timeout, 240_000),
  // The timeout of a wait is no guarantee: a busy machine takes longer.
  expect: { poll: { timeout: 60_000 } },
  exclude: ['**/node_modules/**', '**/dist/**', '**/lib/**'],
  setupFiles: ['property-seed', 'declared-refusals'].map((name) =>
    fileURLToPath(new URL(`test/support/${name}.ts`, import.meta.url)),
  ),
}

/**
 * The files of one project share loaded modules: most of their time went into loading. Data in their memory is named by
 * identifiers that are random or by their own contents. Three do not fit: one takes a library apart, one is about a
 * process's memory of keys, which each database numbers from 1, and one has folders that cannot be removed.
 */
const APART = [
  'api/src/formats/json-ld/contexts/shared-terms.test.ts',
  'api/src/dids/wallet/did-import.test.ts',
  'scripts/network-clean-up.test.ts',
]

/** Drops the databases that the files of a worker share. */
const AFTER_ALL = 'api/src/platform/testing/after-all.ts'

/** The tests of the sources' layout: they read files and start nothing. `npm run check` runs them too. */
const STRUCTURE = [
  ...['folders', 'rooms', 'readmes', 'comments', 'memories', 'lock-addresses'].map((name) => `test/${name}.test.ts`),
  '**/src/order.test.ts',
]

/** Builds the code that tests run compiled, where it is older than its sources. */
const FRESH_BUILD = 'test/support/fresh-build.ts'

export default defineConfig({
  test: {
    // On two cores: what they run mostly waits for blocks, mails and processes.
    maxWorkers: 3,
    // The end of a whole product is slow.
    teardownTimeout: 120_000,
    projects: [
      { test: { ...common, name: 'structure', include: STRUCTURE, setupFiles: [] } },
      {
        test: {
          ...common,
          name: 'rooms',
          include: [
            'chain/{process,embedded}/**/*.test.ts',
            'signer/**/*.test.ts',
            'indexer/**/*.test.ts',
            'scripts/**/*.test.ts',
            'test/support/*.test.ts',
          ],
          exclude: [...common.exclude, ...APART, ...STRUCTURE],
          isolate: false,
          globalSetup: [FRESH_BUILD],
        },
      },
      {
        test: {
          ...common,
          name: 'sharing',
          include: ['chain/client/**/*.test.ts', 'api/**/*.test.ts'],
          exclude: [...common.exclude, ...APART, ...STRUCTURE],
          isolate: false,
          globalSetup: [FRESH_BUILD, AFTER_ALL],
        },
      },
      { test: { ...common, name: 'apart', include: APART, globalSetup: [FRESH_BUILD, AFTER_ALL] } },
      {
        test: {
          ...common,
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: [...common.exclude, 'test/support/*.test.ts', ...STRUCTURE],
          isolate: false,
          globalSetup: [FRESH_BUILD, 'test/support/lazy-stack.ts'],
        },
      },
    ],
  },
})
