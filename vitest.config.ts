import { defineConfig } from 'vitest/config'

/** `npm run soak` gives its long tests more. */
const timeout = Number(process.env.TEST_TIMEOUT_MS ?? 180_000)

const common = {
  testTimeout: timeout,
  hookTimeout: Math.max(timeout, 240_000),
  exclude: ['**/node_modules/**', '**/dist/**', '**/lib/**'],
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: [
            'chain/**/*.test.ts',
            'signer/**/*.test.ts',
            'indexer/**/*.test.ts',
            'api/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...common,
          name: 'system',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/shared-stack.ts'],
        },
      },
    ],
  },
})
