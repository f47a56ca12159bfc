import type { TestProject } from 'vitest/node'
import { startTestStack } from './stack.js'

declare module 'vitest' {
  export interface ProvidedContext {
    apiUrl: string
    apiKey: string
    stateDir: string
    databaseUrl: string
  }
}

/**
 * One running product for all files of this folder that do not break it; each file makes a team or registry of its own.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startTestStack()
  for (const name of ['apiUrl', 'apiKey', 'stateDir', 'databaseUrl'] as const) project.provide(name, stack[name])
  return stack.remove
}
