import { defineConfig } from 'vitest/config'
import { PARTS } from './parts.mjs'

const part = process.env.MUTATE_PART ?? 'at'

/** The tests of one part, in one process after the other, without whole products. */
export default defineConfig({
  test: {
    include: PARTS[part].tests,
    setupFiles: ['test/support/property-seed.ts'],
    globalSetup: ['api/src/platform/testing/after-all.ts'],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
