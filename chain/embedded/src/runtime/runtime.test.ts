import '../testing/executor-log-level.js'
import { destroyWorker, getRuntimeVersion } from '@acala-network/chopsticks-core/wasm-executor/index'
import { afterAll, expect, test } from 'vitest'
import { artifactCode } from './artifact.js'
import { type CodeVersion, Runtime } from './runtime.js'

afterAll(destroyWorker)

test('the version in the metadata is the one that the code tells', async () => {
  const code = await artifactCode()
  const { version } = await Runtime.load(code)
  expect(inNoOrder(version)).toEqual(inNoOrder(await getRuntimeVersion(code)))
  expect(version.specName).toBe('accredit')
})

test('the same code is loaded once, by whoever needs it', async () => {
  const code = await artifactCode()
  expect(await Runtime.load(code)).toBe(await Runtime.load(code))
})

/** Another executor gives the interfaces of a runtime in an order of its own. */
function inNoOrder({ apis, ...version }: CodeVersion) {
  return { ...version, apis: Object.fromEntries(apis) }
}
