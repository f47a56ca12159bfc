import { defineConfig } from 'vitest/config'

const common = {
  testTimeout: 180_000,
  hookTimeout: 240_000,
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
