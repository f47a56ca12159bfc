import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScratchDatabase, scratchDatabase } from '../../../test/support/scratch-database.js'
import type { KeyPair } from './keys.js'
import { openLedger } from './open-ledger.js'
import type { Hex } from './store/store.js'
import { Actor } from './testing/actor.js'
import { CommitGate, type Point } from './testing/commit-gate.js'
import { FeePayer, randomPair } from './testing/fee-payer.js'
import { LedgerProcesses } from './testing/ledger-process.js'
import { reexecute } from './testing/reexecute.js'
import { Testimony, Witness } from './testing/witness.js'

/** A ledger dies inside the commit of a block, whose statement then comes through or not, or at another moment. */
type Death =
  | { readonly point: Point; readonly fate: 'committed' | 'committed while the next ledger starts' | 'rolled back' }
  | { readonly afterBlocks: number; readonly milliseconds: number }

const KILLS = Number(process.env.SOAK_LEDGER_KILLS ?? 8)
/** The number of extrinsics that are submitted to one ledger; most ledgers die before all are in blocks. */
const SUBMITTED = 4

const INSIDE: readonly Death[] = [
  { point: 'before it writes', fate: 'rolled back' },
  { point: 'after it wrote', fate: 'committed while the next ledger starts' },
  { point: 'at its commit', fate: 'committed' },
  { point: 'at its commit', fate: 'rolled back' },
]

let scratch: ScratchDatabase
let folder: string
let pair: KeyPair
let gate: CommitGate
let ledgers: LedgerProcesses

beforeAll(async () => {
  ;[scratch, folder, pair] = [await scratchDatabase(), await mkdtemp(join(tmpdir(), 'ledger-')), await randomPair()]
  ledgers = new LedgerProcesses({ DATABASE_URL: scratch.url, LEDGER_KEY_FILE: keyFile() })
})

afterAll(async () => {
  ledgers.killAll()
  await gate.close()
  await scratch.drop()
  await rm(folder, { recursive: true })
})

test('the chain goes on with every block it told of, and takes every extrinsic once, however its ledger is killed', {
  timeout: 120_000 + KILLS * 30_000,
}, async () => {
  const extrinsics = await signedBefore((KILLS + 1) * SUBMITTED)
  gate = await CommitGate.on(scratch.url)
  const testimony = new Testimony()
  let release = async () => {}
  for (const death of deaths()) {
    const { child, url } = await startAfter(release)
    const witness = await Witness.of(url, JSON.stringify(death), testimony)
    if ('point' in death) await gate.closeAt(death.point)
    const taken = witness.submit(pair.address, extrinsics, SUBMITTED)
    if ('point' in death) await Promise.race([taken, gate.holds()])
    else await Promise.race([taken, witness.moment(death.afterBlocks, death.milliseconds)])
    child.kill('SIGKILL')
    taken.catch(() => {}) // extrinsics without an answer are submitted again
    await Promise.all([once(child, 'exit'), witness.end()])
    release = await afterwards(death)
  }
  const { child, url } = await startAfter(release)
  const witness = await Witness.of(url, 'the last', testimony)
  await witness.submit(pair.address, extrinsics, extrinsics.length)
  child.kill('SIGTERM')
  await Promise.all([once(child, 'exit'), witness.end()])
  await expectWhole(extrinsics, testimony)
})

/** Decides the fate of the statement that a dead ledger left; returns the task for the start of the next one. */
async function afterwards(death: Death): Promise<() => Promise<void>> {
  if ('point' in death && death.fate === 'committed while the next ledger starts') return () => gate.open()
  if ('point' in death) await (death.fate === 'committed' ? gate.open() : gate.rollBack())
  return async () => {}
}

/** Chooses every way at least once as far as the count goes, then any, in random order. */
function deaths(): Death[] {
  const few: Death[] = [...INSIDE, { afterBlocks: 0, milliseconds: 0 }, { afterBlocks: 1, milliseconds: 0 }]
  return Array.from({ length: KILLS }, (_, index): Death => {
    const random = { afterBlocks: randomInt(SUBMITTED), milliseconds: randomInt(300) }
    return few[index] ?? (randomInt(2) ? random : (INSIDE[randomInt(INSIDE.length)] ?? random))
  })
}

/** Starts the next ledger. Work that the dead one left in the database may end only when the next one waits for it. */
async function startAfter(release: () => Promise<void>) {
  const starting = ledgers.start()
  await release()
  return starting
}

/** Extrinsics of one account with consecutive nonces, each of which creates a DID. */
async function signedBefore(count: number): Promise<Hex[]> {
  const keys = { file: keyFile() }
  const opened = await openLedger({ databaseUrl: scratch.url, keys, feeAccounts: [pair.address] })
  const payer = await FeePayer.on(opened.ledger, pair)
  const extrinsics: Hex[] = []
  for (let made = 0; made < count; made += 1) {
    extrinsics.push(await payer.sign(new Actor(payer.place).create()))
  }
  await payer.close()
  await opened.close()
  return extrinsics
}

/**
 * Checks the chain: its blocks are those that the runtime makes, it holds every announced block, and every extrinsic
 * once.
 */
async function expectWhole(extrinsics: readonly Hex[], { blocks, inclusions }: Testimony): Promise<void> {
  const { ledger, close } = await openLedger({ databaseUrl: scratch.url, keys: { file: keyFile() } })
  const chain = await reexecute(ledger).finally(close)
  for (const { by, number, hash } of blocks) expect(chain[number]?.hash, `told by ${by}`).toBe(hash)
  for (const { by, extrinsic, hash } of inclusions) {
    expect(chain.find((block) => block.hash === hash)?.extrinsics, `told by ${by}`).toContain(extrinsic)
  }
  expect(chain.flatMap((block) => block.extrinsics.slice(1))).toEqual(extrinsics)
  expect(inclusions.length).toBeGreaterThan(extrinsics.length / 4)
}

function keyFile(): string {
  return join(folder, 'keys.json')
}
