import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import { PARTS } from './parts.mjs'

const part = process.env.MUTATE_PART ?? 'at'

const NEEDS_DATABASE = /TestVerifier|scratchDatabase|indexedDatabase|databaseWithTeam|appWithTeam/

/** The tests of a fault end with the first that notices it: the fast ones come first. */
class CheapFirst extends BaseSequencer {
  async sort(files) {
    const cost = ({ moduleId }) => Number(NEEDS_DATABASE.test(readFileSync(moduleId, 'utf8')))
    return [...files].sort((one, other) => cost(one) - cost(other))
  }
}

/** The tests of one part, in one process after the other, without whole products. */
export default defineConfig({
  test: {
    include: PARTS[part].tests,
    sequence: { sequencer: CheapFirst },
    setupFiles: ['test/support/property-seed.ts'],
    globalSetup: ['api/src/platform/testing/after-all.ts'],
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
