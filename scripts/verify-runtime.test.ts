import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../chain/artifact/manifest.json' with { type: 'json' }
import { randomKeys } from '../chain/embedded/src/keys.js'
import { type OpenLedger, openLedger } from '../chain/embedded/src/open-ledger.js'
import { hexOf } from '../chain/embedded/src/store/store.js'
import { root } from '../test/support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from '../test/support/scratch-database.js'
import { compareRuntimes } from './start/verify-runtime.js'

const NEXT = join(root, 'chain/artifact/testing/next.wasm')

let scratch: ScratchDatabase
let opened: OpenLedger
const keys = randomKeys()
beforeAll(async () => {
  scratch = await scratchDatabase()
  opened = await openLedger({ databaseUrl: scratch.url, keys })
})
afterAll(async () => {
  await opened?.close()
  await scratch?.drop()
})

async function compare(argv: string[], projectRoot = root) {
  const lines: string[] = []
  const code = await compareRuntimes(argv, projectRoot, (text) => lines.push(text))
  return { code, printed: lines.join('\n') }
}

test('a ledger with the runtime of this repository is equal, and one with another is told with both hashes', async () => {
  const { specVersion, codeSha256, nextCodeSha256, nextWasmSha256 } = manifest
  const equal = await compare(['--url', opened.url])
  expect(equal.code).toBe(0)
  expect(equal.printed).toMatch(/^Equal: /)
  expect(equal.printed.split(codeSha256)).toHaveLength(3)

  await opened.close()
  opened = await openLedger({ databaseUrl: scratch.url, keys, code: hexOf(await readFile(NEXT)) })
  const different = await compare(['--url', opened.url])
  expect(different.code).toBe(1)
  expect(different.printed).toMatch(/^Different: /)
  for (const fact of [codeSha256, nextCodeSha256, nextWasmSha256, String(specVersion), '1000000'])
    expect(different.printed).toContain(fact)

  const { printed } = await compare(['--url', opened.url.replace('ws:', 'http:'), '--json'])
  expect(JSON.parse(printed)).toMatchObject({
    isEqual: false,
    ledger: { specVersion: 1_000_000, codeSha256: nextCodeSha256, storedSha256: nextWasmSha256 },
    repository: { specVersion, codeSha256 },
  })
})

test('an artifact that is not the one in its manifest is never called equal', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'accredit-runtime-'))
  await cp(join(root, 'chain/artifact'), join(copy, 'chain/artifact'), { recursive: true })
  await writeFile(join(copy, 'chain/artifact/accredit_runtime.compact.compressed.wasm'), await readFile(NEXT))
  await expect(compare(['--url', opened.url], copy)).rejects.toThrow(/is not the one in its manifest/)
  await rm(copy, { recursive: true })
})

test('a node that is none, and arguments that are none, are told in a sentence', async () => {
  await expect(compare(['--url', 'ws://127.0.0.1:9'])).rejects.toThrow(
    /^The node at http:\/\/127.0.0.1:9 cannot be asked/,
  )
  await expect(compare(['--url', 'nowhere'])).rejects.toThrow(/^--url is the address of a node/)
  await expect(compare(['--uri', 'x'])).rejects.toThrow(/Unknown option '--uri'/)
})
