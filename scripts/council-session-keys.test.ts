import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainTypes } from '@accredit/chain'
import { type OpenLedger, openLedger, randomKeys } from '@accredit/embedded-ledger'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type MadeSessionKeys, sessionKeysFor } from '../test/support/made-session-keys.js'
import { type ScratchDatabase, scratchDatabase } from '../test/support/scratch-database.js'
import { LedgerWriter } from '../test/testing/random-ledger/ledger-writer.js'
import { run } from './council/main.js'
import { parseCouncilOptions } from './council/options.js'
import { councilStatus, statusText } from './council/status.js'

/** The operator of a validator reads off `status` which keys its node still needs: on a real ledger, session by session. */
const call = (pallet: string, name: string, ...args: unknown[]) => chainTypes().call(pallet, name, ...args)
/** Runs a command as the command line has it. */
const council = (...argv: string[]) => run(parseCouncilOptions(argv, {}), () => {})

interface Operator {
  file: string
  address: string
}

let folder: string
let database: ScratchDatabase
let ledger: OpenLedger
let writer: LedgerWriter
let operators: [Operator, Operator]

async function operator(name: string): Promise<Operator> {
  const file = join(folder, `${name}.key`)
  const [address = ''] = (await council('account', '--key', file)).split('\n')
  return { file, address }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accredit-session-keys-'))
  database = await scratchDatabase()
  operators = [await operator('one'), await operator('other')]
  const keys = randomKeys()
  const feeAccounts = operators.map(({ address }) => address)
  ledger = await openLedger({ databaseUrl: database.url, keys, feeAccounts })
  writer = await LedgerWriter.connect(ledger.url, keys.sudo)
})
afterAll(async () => {
  await writer?.close()
  await ledger?.close()
  await database?.drop()
  await rm(folder, { recursive: true })
})

const height = async () => (await writer.api.rpc.chain.getHeader()).number.toNumber()
const status = () => council('status', '--url', ledger.url)
const list = ({ address }: Operator) => writer.submitAsRoot(call('governance', 'setValidators', [address]))

async function nameKeys({ file }: Operator): Promise<MadeSessionKeys> {
  const made = await sessionKeysFor(file)
  await council('session-keys', '--url', ledger.url, '--key', file, '--keys', made.keys, '--proof', made.proof)
  return made
}

/** Makes blocks until a session has ended; the block of that has no room for a call. */
async function sessionEnds(): Promise<void> {
  do await ledger.ledger.producer.produce()
  while ((await height()) % 10 !== 0)
}

/** The same command with a clock that is later, or earlier. */
async function statusAt(offsetMs: number): Promise<string> {
  const now = Date.now() + offsetMs
  return statusText(await councilStatus(writer.api, now), now)
}

/** Expects of each key that it signs or not: now, after the next end of a session, and after the end that follows. */
async function expectSigning(expected: readonly [MadeSessionKeys, string][], mayDeleteOlder: boolean): Promise<void> {
  const text = await status()
  const next = (Math.floor((await height()) / 10) + 1) * 10
  for (const [{ files }, signs] of expected) {
    const [now, after, afterNext] = signs.split(' ')
    for (const [at, does] of ['makes blocks', 'votes'].entries())
      expect(text).toContain(
        `    ${files[at]}  ${does} now: ${now}, after block ${next}: ${after}, after block ${next + 10}: ${afterNext}\n`,
      )
  }
  expect(text.match(/^ {4}[0-9a-f]{72} /gm)).toHaveLength(2 * expected.length)
  expect(text.includes('older ones sign nothing any more, and may be deleted')).toBe(mayDeleteOlder)
  expect(text.includes('None of these may be deleted yet')).toBe(!mayDeleteOlder)
}

it('tells of a validator that joins when its keys begin to sign, and of new ones when the old may be deleted', async () => {
  const [one] = operators
  expect(await status()).not.toContain('Session keys')
  const old = await nameKeys(one)
  expect(await status()).not.toContain('Session keys')
  await sessionEnds()
  await list(one)
  await expectSigning([[old, 'no no yes']], false)
  await sessionEnds()
  await expectSigning([[old, 'no yes yes']], false)
  await sessionEnds()
  await expectSigning([[old, 'yes yes yes']], true)

  const others = await nameKeys(one)
  await expectSigning(
    [
      [old, 'yes yes no'],
      [others, 'no no yes'],
    ],
    false,
  )
  await sessionEnds()
  await expectSigning(
    [
      [old, 'yes no no'],
      [others, 'no yes yes'],
    ],
    false,
  )
  await sessionEnds()
  await expectSigning([[others, 'yes yes yes']], true)
  const told = JSON.parse(await council('status', '--url', ledger.url, '--json'))
  const keys = { aura: `0x${others.keys.slice(2, 66)}`, grandpa: `0x${others.keys.slice(66)}` }
  expect(told.sessionKeys.validators).toEqual([
    { account: one.address, inUse: keys, queued: keys, named: keys, mayDeleteOlder: true },
  ])
}, 120_000)

it('says of no key that it may be deleted where its final block is none of now, and why', async () => {
  const { hash } = await writer.api.rpc.chain.getHeader()
  const text = await status()
  expect(text).toMatch(
    new RegExp(`^After block \\d+, ${hash.toHex()}, of 20\\S+Z, \\d+ s ago: the newest that is final`),
  )
  expect(text).toContain('older ones sign nothing any more, and may be deleted')
  expect(text).not.toContain('Nobody deletes a key by it')
  for (const [offsetMs, why] of [
    [
      120_000,
      /^That is an old state, 1[2-5]\d s behind the clock here: finality stands still, or this node is cut off\. /m,
    ],
    [-120_000, /^That block lies \d+ s ahead of the clock here, by which its age cannot be told\. /m],
  ] as const) {
    const told = await statusAt(offsetMs)
    expect(told).toMatch(why)
    expect(told).toContain('Nobody deletes a key by it.')
    expect(told).toContain('    No key may be deleted by this state, which is not that of now.')
    expect(told).not.toContain('older ones')
  }
})

it('names a validator that the council removed for as long as one of its keys signs, and then no more', async () => {
  const [one, other] = operators
  const joining = await nameKeys(other)
  await sessionEnds()
  await list(other)
  const text = await status()
  const [, leaving] = /^ {4}61757261([0-9a-f]{64}) {2}makes blocks now: yes, .*: yes, .*: no$/m.exec(text) ?? []
  expect(leaving).toBeDefined()
  await sessionEnds()
  expect(await status()).toMatch(new RegExp(`61757261${leaving} {2}makes blocks now: yes, .*: no, .*: no\n`))
  await sessionEnds()
  const after = await status()
  expect(after).not.toContain(leaving)
  expect(after).not.toContain(one.address)
  await expectSigning([[joining, 'yes yes yes']], true)
}, 120_000)
