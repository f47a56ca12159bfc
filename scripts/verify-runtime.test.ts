import { readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../chain/artifact/manifest.json' with { type: 'json' }
import { FIRST, MAY_ISSUE, sampleBundle, sampleNetwork } from '../chain/client/src/proof/testing/sample-bundle.js'
import { sampleLedger } from '../chain/client/src/proof/testing/sample-ledger.js'
import { TestNetwork } from '../chain/client/src/proof/testing/test-network.js'
import { CODE_KEY } from '../chain/embedded/src/executor/wasm.js'
import { randomKeys } from '../chain/embedded/src/keys.js'
import { type OpenLedger, openLedger } from '../chain/embedded/src/open-ledger.js'
import { hexOf } from '../chain/embedded/src/store/store.js'
import type { ServedNode } from '../signer/test/listening.js'
import { serveNode } from '../signer/test/proof-node.js'
import { root } from '../test/support/repository-files.js'
import { type ScratchDatabase, scratchDatabase } from '../test/support/scratch-database.js'
import { compareRuntimes } from './start/verify-runtime.js'

const NEXT = join(root, 'chain/artifact/testing/next.wasm')
const NEXT_CODE = readFileSync(NEXT)
const ARTIFACT = readFileSync(join(root, 'chain/artifact/accredit_runtime.compact.compressed.wasm'))

/** A network of validators whose state in block 4 holds this runtime. */
const networkWith = (code: Uint8Array): TestNetwork =>
  sampleNetwork(new Map([...sampleLedger(), [CODE_KEY, hexOf(code)]]))

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
  // The one that runs now is another than that of the blocks before it, each of which is compared for itself.
  const different = await compare(['--url', opened.url])
  expect(different.code).toBe(1)
  expect(different.printed).toMatch(/^Different: /)
  for (const fact of [codeSha256, nextCodeSha256, nextWasmSha256, String(specVersion), '1000000'])
    expect(different.printed).toContain(fact)

  expect(different.printed).toMatch(/^ {2}taken on trust {6}from the node at ws:/m)

  const { printed } = await compare(['--url', opened.url.replace('ws:', 'http:'), '--json'])
  expect(JSON.parse(printed)).toMatchObject({
    isEqual: false,
    ledger: { specVersion: 1_000_000, codeSha256: nextCodeSha256, storedSha256: nextWasmSha256 },
    artifact: { specVersion, codeSha256 },
    isProved: false,
  })
})

test('a block of the past is compared for itself, by its number or its hash, with any runtime', async () => {
  const { genesisHash: before, head } = opened.ledger
  for (const block of ['0', before, before.toUpperCase().replace('0X', '0x')]) {
    const equal = await compare(['--url', opened.url, '--block', block])
    expect(equal.printed).toContain(
      `Equal: the ledger runs the runtime of this repository.\nThe ledger after block 0, ${before}`,
    )
    expect(equal.code).toBe(0)
  }
  expect((await compare(['--url', opened.url, '--block', String(head.number)])).code).toBe(1)
  expect((await compare(['--url', opened.url, '--artifact', NEXT])).printed).toMatch(
    /^Equal: the ledger runs this runtime/,
  )
  expect((await compare(['--url', opened.url, '--artifact', NEXT, '--block', '0'])).code).toBe(1)
})

test('a block that the node has not, or not as a final one, is told', async () => {
  const at = (block: string) => compare(['--url', opened.url, '--block', block])
  await expect(at('1000000')).rejects.toThrow(
    /^Block 1000000 is not final at the node, whose newest final one is \d+\.$/,
  )
  await expect(at(`0x${'12'.repeat(32)}`)).rejects.toThrow(`The node has no block 0x${'12'.repeat(32)}.`)
  for (const block of ['x', '', '-1', '1.5', '0x12'])
    await expect(compare(['--url', opened.url, `--block=${block}`])).rejects.toThrow(
      `--block is the number of a block, or its hash (0x and 64 hexadecimal digits), not '${block}'.`,
    )
})

describe('with a bundle', () => {
  let folder: string
  let node: ServedNode
  const network = networkWith(ARTIFACT)
  const genesis = network.genesis.hash
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'accredit-runtime-'))
    node = await serveNode(network, new Map(), network.block(5))
  })
  afterAll(async () => {
    await node?.close()
    await rm(folder, { recursive: true })
  })

  async function withBundleOf(of: TestNetwork, argv: string[]) {
    const file = join(folder, 'bundle.json')
    await writeFile(file, JSON.stringify(sampleBundle(MAY_ISSUE, of)))
    return compare(['--bundle', file, '--genesis', of.genesis.hash, ...argv])
  }

  test('the runtime after its block is proved from its state root', async () => {
    const { code, printed } = await withBundleOf(network, ['--url', node.url])
    expect(code).toBe(0)
    expect(printed).toContain(`The ledger after block 4, ${network.block(4).hash}`)
    expect(printed).toMatch(/^ {2}proved {14}from the bundle/m)
    expect(printed).toMatch(/^ {2}trusted {13}the genesis 0x\w{64}, and that no two thirds of /m)
    const different = await withBundleOf(network, ['--url', node.url, '--artifact', NEXT, '--json'])
    expect(different.code).toBe(1)
    expect(JSON.parse(different.printed)).toMatchObject({
      isProved: true,
      block: { number: 4, hash: network.block(4).hash },
      artifact: { file: NEXT, specVersion: 1_000_000 },
    })
  })

  test('a node that gives another code, or none that is proved, is not believed', async () => {
    const lying = new TestNetwork(FIRST)
    const other = lying.add(new Map([[CODE_KEY, hexOf(NEXT_CODE)]]))
    const blocks = [...network.blocks.slice(0, 4), { ...other, hash: network.block(4).hash }, network.block(5)]
    const liar = await serveNode(Object.assign(lying, { blocks }), new Map(), network.block(5))
    await expect(withBundleOf(network, ['--url', liar.url])).rejects.toThrow(
      /^The node does not prove the runtime of block 4 \(missing_node\): /,
    )
    await liar.close()
    await expect(withBundleOf(network, ['--url', opened.url])).rejects.toThrow(/^The node refuses state_getReadProof: /)
    const none = sampleNetwork()
    const empty = await serveNode(none, new Map(), none.block(5))
    await expect(withBundleOf(none, ['--url', empty.url])).rejects.toThrow('The state of block 4 holds no runtime.')
    await empty.close()
  })

  test('a bundle that proves nothing, or another past, is refused as by verify-proof', async () => {
    const url = ['--url', node.url]
    const known = ['--known', `2:0x${'12'.repeat(32)}`]
    await expect(withBundleOf(network, [...url, ...known])).rejects.toThrow('Not proved (contradicts_known_block): ')
    await expect(compare([...url, '--bundle', NEXT, '--genesis', genesis])).rejects.toThrow('Not proved (not_json): ')
    await expect(compare([...url, '--genesis', genesis])).rejects.toThrow('--genesis and --known belong to --bundle.')
    await expect(compare([...url, '--bundle', NEXT])).rejects.toThrow('--bundle is checked from --genesis HASH.')
    await expect(compare([...url, '--bundle', NEXT, '--genesis', genesis, '--block', '4'])).rejects.toThrow(
      '--bundle names its block: --block has no place beside it.',
    )
  })
})

test('an artifact that cannot be read, or is no runtime, is told', async () => {
  const of = (file: string) => compare(['--url', opened.url, '--artifact', file])
  await expect(of(join(root, 'none.wasm'))).rejects.toThrow(/none\.wasm cannot be read: ENOENT/)
  await expect(of(join(root, 'README.md'))).rejects.toThrow(/README\.md is no runtime of a ledger: /)
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
