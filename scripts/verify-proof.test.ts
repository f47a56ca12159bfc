import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAY_ISSUE, SECOND, sampleBundle, sampleNetwork } from '../chain/client/src/proof/testing/sample-bundle.js'
import { didNamed, HOSTILE_NAME, REGISTRY, sampleLedger } from '../chain/client/src/proof/testing/sample-ledger.js'
import { checkBundle } from './start/verify-proof.js'

const network = sampleNetwork()
const genesis = network.genesis.hash
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-proof-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function check(bundle: string | Uint8Array, ...options: string[]): Promise<{ code: number; printed: string }> {
  const file = join(folder, 'bundle.json')
  await writeFile(file, bundle)
  const lines: string[] = []
  const code = await checkBundle([file, ...options], (text) => lines.push(text))
  return { code, printed: lines.join('\n') }
}

const knownTo = (number: number): string => `${number}:${network.block(number).hash}`
const sample = JSON.stringify(sampleBundle(MAY_ISSUE, network), null, 2)

test('a bundle that proves its answer is told with its block, its time and who made it final', async () => {
  const { code, printed } = await check(sample, '--genesis', genesis)
  expect(code).toBe(0)
  const voters = SECOND.slice(0, 3).map(({ publicKey }) => `           ${publicKey}`)
  expect(printed.split('\n')).toEqual([
    'Proved.',
    expect.stringContaining(`Question   May ${didNamed('university')} issue credentials`),
    'Answer     Yes: it is listed itself.',
    '           price: 2500000 millionths of a unit of "EUR"',
    `Block      4, ${network.block(4).hash}`,
    'Time       2026-03-01T00:00:12.000Z',
    `Final      with block 5, ${network.block(5).hash}, in round 4 of validator set 1,`,
    '           by weight 3 of 4, of which 3 is enough:',
    ...voters,
    'Stands on  these blocks, for --known (the hand-overs are in all proofs about later blocks, too):',
    `           ${knownTo(0)}  genesis`,
    `           ${knownTo(2)}  hand-over to other validators`,
    `           ${knownTo(4)}  the block`,
    `           ${knownTo(5)}  final`,
    `Trusted    the genesis ${genesis}, and that no two thirds of any of validator sets 0 to 1 signed another past`,
  ])
})

test('a known block that the bundle stands on is named, and the validators who need no trust any more are left out', async () => {
  const handOver = await check(sample, '--genesis', genesis, '--known', knownTo(2))
  expect(handOver.code).toBe(0)
  expect(handOver.printed).toContain(`           ${knownTo(2)}  hand-over to other validators, known\n`)
  expect(handOver.printed).toMatch(/^Trusted {4}the known blocks, and that no two thirds of validator set 1 signed/m)
  const block = await check(sample, '--genesis', genesis, '--known', knownTo(2), '--known', knownTo(4))
  expect(block.printed).toMatch(/^Trusted {4}the known blocks: the answer follows from them$/m)
})

test('a known block that the bundle contradicts or does not stand on is refused with its number', async () => {
  const other = `0x${'12'.repeat(32)}`
  await expect(check(sample, '--genesis', genesis, '--known', knownTo(4), '--known', `2:${other}`)).rejects.toThrow(
    `Not proved (contradicts_known_block): The proof stands on block 2 with the hash ${network.block(2).hash}, and`,
  )
  await expect(check(sample, '--genesis', genesis, '--known', knownTo(3))).rejects.toThrow(
    'Not proved (known_block_not_compared): The known block 3 was not compared: the proof stands on blocks 0, 2, 4, 5.',
  )
  for (const wrong of [other, `:${other}`, '2:0x12', `2 ${other}`, `-2:${other}`, `2.0:${other}`, '2', ''])
    await expect(check(sample, '--genesis', genesis, `--known=${wrong}`)).rejects.toThrow(
      `--known is the number of a block, a colon and its hash (0x and 64 hexadecimal digits), not '${wrong}'.`,
    )
})

test('with --json the same is told to programs', async () => {
  const { printed } = await check(sample, '--genesis', genesis, '--json')
  expect(JSON.parse(printed)).toMatchObject({
    answer: { authorized: true, reason: 'direct' },
    block: { number: 4 },
    finalBlock: { setId: 1, weight: 3, threshold: 3 },
    standsOn: [{ number: 0 }, { number: 2, role: 'handOver' }, { number: 4 }, { number: 5 }],
    trustedSets: { first: 0, last: 1 },
  })
})

test('a name of a registry moves and hides nothing beside it, told to people or to programs', async () => {
  const named = sampleNetwork(sampleLedger({ registryName: HOSTILE_NAME }))
  const bundle = JSON.stringify(sampleBundle({ kind: 'registry', registryId: REGISTRY }, named))
  const [people, programs] = [
    await check(bundle, '--genesis', genesis),
    await check(bundle, '--genesis', genesis, '--json'),
  ]
  for (const { printed } of [people, programs]) expect(printed).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(JSON.parse(programs.printed)).toMatchObject({ answer: { name: HOSTILE_NAME } })
})

test('a bundle that proves nothing is refused with the reason', async () => {
  const other = `0x${'12'.repeat(32)}`
  await expect(check(sample, '--genesis', other)).rejects.toThrow(/^Not proved \(other_genesis\): The bundle is about/)
  await expect(check('{', '--genesis', genesis)).rejects.toThrow('Not proved (not_json): The bundle is not JSON.')
  const long = new Uint8Array(10_000_000).fill(0x20)
  await expect(check(long, '--genesis', genesis)).rejects.toThrow('Not proved (too_large): The bundle has more than')
})

test('missing and wrong arguments are told apart from bundles that prove nothing', async () => {
  await expect(check(sample)).rejects.toThrow(/^npm run verify-proof -- FILE --genesis HASH/)
  await expect(check(sample, '--genesis', '0x12')).rejects.toThrow("64 hexadecimal digits, not '0x12'")
  await expect(check(sample, '--genesys', genesis)).rejects.toThrow("Unknown option '--genesys'")
  await expect(checkBundle([join(folder, 'none.json'), '--genesis', genesis], () => {})).rejects.toThrow(
    'cannot be read',
  )
})
