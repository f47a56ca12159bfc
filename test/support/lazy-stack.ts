import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startTestStack, type TestStack } from './stack.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address that starts the shared product when it is first asked, and tells where it is. */
    sharedStackUrl: string
  }
}

/**
 * One running product for all files of this folder that do not break it. It starts when the first of them asks for it:
 * every set-up runs before the first test of any project, and until then an idle product would take its share of the
 * processor.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<TestStack> | undefined
  const door = createServer((_request, response) => {
    started ??= startTestStack()
    started.then(
      ({ apiUrl, apiKey, stateDir, databaseUrl }) =>
        response.end(JSON.stringify({ apiUrl, apiKey, stateDir, databaseUrl })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port } = door.address() as AddressInfo
  project.provide('sharedStackUrl', `http://127.0.0.1:${port}`)
  return async () => {
    door.close()
    await (await started)?.remove()
  }
}
