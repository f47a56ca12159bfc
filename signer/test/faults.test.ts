import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { calls } from '@accredit/chain'
import { randomKeys, openLedger as startLedger } from '@accredit/embedded-ledger'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.js'
import { openActionInbox } from '../src/actions/actions.store.js'
import { openFeeAccount } from '../src/actions/fee-account.js'
import { ExtrinsicRejected, type Ledger, openLedger } from '../src/actions/ledger.js'
import { Pipeline, type PipelineNeeds } from '../src/actions/pipeline.js'
import { fencedBy, LostLease, openDatabase } from '../src/database.js'
import { SignerError } from '../src/errors.js'
import { openBlsPairs } from '../src/keys/bls-pairs.js'
import { openCurves } from '../src/keys/curves.js'
import { openVault } from '../src/keys/data-keys.js'
import { openKeys } from '../src/keys/keys.js'
import { openMasterKeyFile } from '../src/keys/master-key.js'
import { systemRandomness } from '../src/randomness.js'
import type { HeldKind, MadeKey } from '../src/wire.js'
import { bring, newAccount, transfer } from './account.js'
import { act, didOfKeys, openWorld, randomHex32, until, type World } from './support.js'

/** The ledger takes every kind of key but one. */
const isOfLedger = (key: MadeKey<HeldKind>): key is MadeKey => key.kind !== 'BBDT16' && key.kind !== 'VbAccumulator'

const log = pino({ level: 'silent' })

describe('when something goes wrong between signer and ledger', () => {
  let world: World
  let desk: Desk

  beforeAll(async () => {
    world = await openWorld()
    desk = await openDesk(world)
  })
  afterAll(async () => {
    await desk.close()
    await world.close()
  })

  test('an extrinsic that the ledger lost is sent again', async () => {
    let lost = 0
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (lost > 0) return desk.ledger.submit(extrinsic)
        lost += 1
      },
    })
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await desk.finals(creation.id)
    expect(lost).toBe(1)
    await pipeline.stop()
  })

  test('an extrinsic that can no longer be included is given up, and its actions are signed afresh and happen once', async () => {
    let isDeaf = true
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (!isDeaf) await desk.ledger.submit(extrinsic)
      },
    })
    const actor = await desk.newDid()
    const action = act(actor, 1, [registry()])
    await desk.accept(pipeline, actor.creation, action)
    await until(async () => (await desk.extrinsics()).pending === 1)
    for (let block = 0; block < 65; block += 1) await world.ledger.ledger.producer.produce()
    isDeaf = false
    await desk.finals(actor.creation.id, action.id)
    expect(await desk.extrinsics()).toMatchObject({ dead: 1 })
    await pipeline.stop()
  })

  test('an action is judged by its own place in the extrinsic, also when another one has left it', async () => {
    let isDeaf = false
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (!isDeaf) await desk.ledger.submit(extrinsic)
      },
    })
    const [actor, other] = [await desk.newDid(), await desk.newDid()]
    await desk.accept(pipeline, actor.creation)
    await desk.finals(actor.creation.id)
    isDeaf = true
    const refused = act(actor, 1, [calls.trustRegistry.remove({ registryId: randomHex32() })])
    await desk.accept(pipeline, refused, other.creation)
    await until(async () => (await desk.row(other.creation.id)).state === 'submitted')
    await world.sql.query('update signer.actions set extrinsic_id = null, state = $2 where id = $1', [
      refused.id,
      'signed',
    ])
    isDeaf = false
    await desk.finals(other.creation.id)
    await pipeline.stop()
  })

  test('an authorisation whose time is over is given again', async () => {
    let isDeaf = true
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (!isDeaf) await desk.ledger.submit(extrinsic)
      },
    })
    const actor = await desk.newDid()
    const action = act(actor, 1, [registry()])
    await desk.accept(pipeline, actor.creation, action)
    const validUntil = async () => (await desk.row(action.id)).valid_until
    await until(async () => (await validUntil()) !== null)
    const before = await validUntil()
    desk.hasten(30 * 60_000)
    isDeaf = false
    await desk.finals(actor.creation.id, action.id)
    expect(Number(await validUntil())).toBeGreaterThan(Number(before) + 30 * 60_000)
    await pipeline.stop()
  })

  test('an action that is done already is recognised by its effect when the tables are older than the ledger', async () => {
    const first = await desk.start()
    const actor = await desk.newDid()
    const action = act(actor, 1, [registry()])
    const cursor = await desk.cursor()
    await desk.accept(first, actor.creation, action)
    const [creation, done] = await desk.finals(actor.creation.id, action.id)
    await first.stop()
    await desk.forget(cursor, [actor.creation.id, action.id])
    const head = world.ledger.ledger.head.number
    const second = await desk.start()
    expect(await desk.finals(actor.creation.id, action.id)).toEqual([creation, done])
    expect(world.ledger.ledger.head.number).toBe(head)
    await second.stop()
  })

  test('a single action is in the next block, behind one part of a bulk that was queued before it, and the bulk goes on', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let sent = 0
    const pipeline = await desk.start({
      async submit(extrinsic) {
        sent += 1
        await released
        return desk.ledger.submit(extrinsic)
      },
    })
    const actors = [await desk.newDid(), await desk.newDid()]
    const share = 'the team with the bulk'
    // The actions are of several of its DIDs, and more than the ledger takes at once.
    const bulk = actors.flatMap((actor) => [
      actor.creation,
      ...Array.from({ length: 7 }, (_, index) => act(actor, index + 1, Array.from({ length: 40 }, longRegistry))),
    ])
    await desk.accept(pipeline, ...bulk.map((action) => ({ ...action, share })))
    await until(() => sent > 0)
    const single = await desk.newDid()
    const extrinsicsBefore = sent
    await desk.accept(pipeline, { ...single.creation, share: 'another team' })
    await until(() => sent > extrinsicsBefore)
    release()
    const [alone] = await desk.finals(single.creation.id)
    const parts = await desk.finals(...bulk.map(({ id }) => id))
    const heightOf = (state: typeof alone) => state?.outcome?.blockHeight ?? 0
    const placeOf = (state: typeof alone) => heightOf(state) * 1000 + (state?.outcome?.extrinsicIndex ?? 0)
    const before = parts.filter((part) => placeOf(part) < placeOf(alone))
    expect(extrinsicsBefore).toBe(1)
    expect(before.filter((part) => part?.outcome?.nonce !== undefined)).toHaveLength(1)
    expect(heightOf(alone)).toBeLessThanOrEqual(Math.min(...parts.map(heightOf)) + 1)
    await pipeline.stop()
  })

  test('a block that is not final yet is noted as inclusion and decides nothing', async () => {
    let finalise = async () => {}
    const pipeline = await desk.start(
      {
        async follow(which, onHead) {
          if (which === 'best') return desk.ledger.follow(which, onHead)
          finalise = () => desk.ledger.follow(which, onHead)
        },
      },
      { finality: 'grandpa' },
    )
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await until(async () => (await desk.row(creation.id)).state === 'included')
    const { outcome } = await desk.row(creation.id)
    await finalise()
    const [done] = await desk.finals(creation.id)
    expect(done?.outcome).toEqual(outcome)
    await pipeline.stop()
  })

  test('an extrinsic that is heavier than a block is taken apart, and its actions come one by one', async () => {
    let refused = 0
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (refused > 0) return desk.ledger.submit(extrinsic)
        refused += 1
        throw new ExtrinsicRejected('too-heavy', 'would exhaust the block')
      },
    })
    const [one, other] = [await desk.newDid(), await desk.newDid()]
    await desk.accept(pipeline, one.creation, other.creation)
    const done = await desk.finals(one.creation.id, other.creation.id)
    const places = done.map((state) => `${state?.outcome?.blockHeight} ${state?.outcome?.extrinsicIndex}`)
    expect(new Set(places).size).toBe(2)
    await pipeline.stop()
  })

  test('an extrinsic that the ledger refuses as made for another runtime is made for this one', async () => {
    let isOld = true
    const pipeline = await desk.start({ runtimeVersion: async (at) => desk.runtimeVersion(isOld, at) })
    isOld = false
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await desk.finals(creation.id)
    expect(pipeline.codec.specVersion).toBe((await desk.ledger.runtimeVersion()).specVersion)
    await pipeline.stop()
  })

  test('an extrinsic for a runtime of the past is made afresh from the first final block of the new one on', async () => {
    let isOld = true
    let areBlocksOld = true
    let tell: (specVersion: number) => void = () => {}
    let current = 0
    const asked = { metadata: 0, versionAtBlock: 0 }
    const pipeline = await desk.start({
      async metadata() {
        asked.metadata += 1
        return desk.ledger.metadata()
      },
      async runtimeVersion(at) {
        if (at !== undefined) asked.versionAtBlock += 1
        return desk.runtimeVersion(at === undefined ? isOld : areBlocksOld, at)
      },
      async followRuntime(onVersion) {
        tell = onVersion
      },
      // The pool knows neither that it is dead nor that its runtime is gone.
      async submit(extrinsic) {
        if (!isOld && (await desk.specVersions()).at(-1) === current) return desk.ledger.submit(extrinsic)
      },
    })
    current = pipeline.codec.specVersion + 1
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await until(async () => (await desk.extrinsics()).pending === 1)
    tell(pipeline.codec.specVersion)
    isOld = false
    tell(current)
    await until(() => pipeline.codec.specVersion === current)
    await world.ledger.ledger.producer.produce()
    await until(() => asked.versionAtBlock === 1)
    expect((await desk.specVersions()).at(-1)).toBe(current - 1)
    areBlocksOld = false
    await world.ledger.ledger.producer.produce()
    await desk.finals(creation.id)
    expect((await desk.specVersions()).slice(-2)).toEqual([current - 1, current])
    // Each block is asked for its runtime from the announcement to the first one of the new runtime.
    expect(asked).toEqual({ metadata: 2, versionAtBlock: 2 })
    await pipeline.stop()
  })

  test('an extrinsic whose nonce something else has used is given up, and its actions come with the next one', async () => {
    let isDeaf = true
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (!isDeaf) await desk.ledger.submit(extrinsic)
      },
    })
    const { dead = 0 } = await desk.extrinsics()
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await until(async () => (await desk.extrinsics()).pending === 1)
    await bring(world.ledger.url, desk.feeAccount, [transfer(newAccount().address, 10n ** 12n)])
    isDeaf = false
    await desk.finals(creation.id)
    expect(await desk.extrinsics()).toMatchObject({ dead: dead + 1 })
    await pipeline.stop()
  })

  test('one that waits for a nonce whose extrinsic died gets it, though nothing else is to be sent', async () => {
    let refuse = () => {}
    const held = new Promise<void>((resolve) => {
      refuse = resolve
    })
    let isFirst = true
    const pipeline = await desk.start({
      async submit(extrinsic) {
        if (!isFirst) return desk.ledger.submit(extrinsic)
        isFirst = false
        await held
        throw new ExtrinsicRejected('too-heavy', 'It would exhaust a block.')
      },
    })
    const [{ creation: refused }, { creation }] = [await desk.newDid(), await desk.newDid()]
    await desk.accept(pipeline, refused)
    await until(async () => (await desk.extrinsics()).pending === 1)
    await desk.accept(pipeline, creation)
    await until(async () => (await desk.extrinsics()).pending === 2)
    refuse()
    await desk.finals(creation.id)
    await pipeline.stop()
  })

  test.each(['instant', 'grandpa'] as const)(
    'of blocks that are not final it hears where there are such: %s',
    async (finality) => {
      const followed: string[] = []
      const follow: Ledger['follow'] = async (which) => void followed.push(which)
      const pipeline = await desk.start({ follow }, { finality })
      expect(followed).toEqual(finality === 'instant' ? ['final'] : ['final', 'best'])
      await pipeline.stop()
    },
  )

  test.each([
    ['that the ledger does not answer is no fault', new SignerError(503, 'ledger_unavailable', 'No answer.'), 'debug'],
    ['anything else is told as a fault', new TypeError('a fault'), 'error'],
  ])('after what goes wrong it tries again: %s', async (_what, error, level) => {
    const lines: string[] = []
    const heard = pino(
      { level: 'debug', formatters: { level: (name) => ({ level: name }) } },
      { write: (line) => lines.push(line) },
    )
    let isBroken = false
    const pipeline = await desk.start(
      {
        async hashAt(height) {
          if (isBroken) throw error
          return desk.ledger.hashAt(height)
        },
      },
      { log: heard },
    )
    isBroken = true
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await until(() => lines.some((line) => line.includes(error.message)))
    isBroken = false
    await desk.finals(creation.id)
    const told: { level: string; err?: { message: string } }[] = lines.map((line) => JSON.parse(line))
    expect(new Set(told.flatMap((line) => (line.err?.message === error.message ? [line.level] : [])))).toEqual(
      new Set([level]),
    )
    await pipeline.stop()
  })

  test('actions that are queued again are made a batch of, also when the answer of the database was lost', async () => {
    const stored = fencedBy(desk.db, await desk.nextEpoch())
    let isRefused = false
    let isLost = false
    const write: typeof stored = async (rest) => {
      const row = await stored(rest)
      if (!isRefused || isLost) return row
      isLost = true
      throw new Error('Connection terminated unexpectedly')
    }
    const pipeline = await desk.start(
      {
        async submit(extrinsic) {
          if (isRefused) return desk.ledger.submit(extrinsic)
          // Nobody looks for actions any more by then.
          await pause(500)
          isRefused = true
          throw new ExtrinsicRejected('too-heavy', 'It would exhaust a block.')
        },
      },
      { write },
    )
    const [one, other] = [await desk.newDid(), await desk.newDid()]
    await desk.accept(pipeline, one.creation, other.creation)
    await desk.finals(one.creation.id, other.creation.id)
    expect(isLost).toBe(true)
    await pipeline.stop()
  })

  test('a batch that could not be made is made again', async () => {
    let isBroken = false
    const pipeline = await desk.start({
      async read(keys, at) {
        if (!isBroken) return desk.ledger.read(keys, at)
        isBroken = false
        throw new SignerError(503, 'ledger_unavailable', 'No answer.')
      },
    })
    isBroken = true
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await desk.finals(creation.id)
    expect(isBroken).toBe(false)
    await pipeline.stop()
  })

  test('nobody looks for actions while none is queued', async () => {
    const pipeline = await desk.start()
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await desk.finals(creation.id)
    const isCaughtUp = async () => Number((await desk.cursor()).height) === world.ledger.ledger.head.number
    await until(isCaughtUp)
    // The real pool runs; the test only listens to it.
    const sent = vi.spyOn(pg.Client.prototype, 'query')
    for (let block = 0; block < 3; block += 1) {
      await world.ledger.ledger.producer.produce()
      await until(isCaughtUp)
    }
    const asked = sent.mock.calls.map((call) => JSON.stringify(call)).filter((text) => /recursive shares/.test(text))
    sent.mockRestore()
    // The last block before may still be looked at.
    expect(asked.length).toBeLessThanOrEqual(1)
    await pipeline.stop()
  })

  test('nothing is signed while the ledger is away, and all goes on when it is back', async () => {
    let isConnected = false
    let connected = () => {}
    const pipeline = await desk.start({
      get isConnected() {
        return isConnected
      },
      onConnected(listener) {
        connected = listener
      },
    })
    const before = (await desk.specVersions()).length
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await world.ledger.ledger.producer.produce()
    await until(async () => Number((await desk.cursor()).height) === world.ledger.ledger.head.number)
    expect(await desk.specVersions()).toHaveLength(before)
    isConnected = true
    connected()
    await desk.finals(creation.id)
    await pipeline.stop()
  })

  test('a signer whose lease is another one’s ends', async () => {
    const write = fencedBy(desk.db, await desk.nextEpoch())
    let end: (error: Error) => void = () => {}
    const ended = new Promise<Error>((resolve) => {
      end = resolve
    })
    const pipeline = await desk.start({}, { write, onFatal: (error) => end(error) })
    const { creation } = await desk.newDid()
    await desk.nextEpoch()
    await desk.accept(pipeline, creation)
    expect(await ended).toBeInstanceOf(LostLease)
    await pipeline.stop()
    const next = await desk.start()
    await desk.finals(creation.id)
    await next.stop()
  })

  test('a signer that ends says nothing of another one that has its place by then', async () => {
    const write = fencedBy(desk.db, await desk.nextEpoch())
    const told: Error[] = []
    const [asked, answered] = [new AbortController(), new AbortController()]
    const submit = async () => {
      asked.abort()
      await once(answered.signal, 'abort')
      throw new ExtrinsicRejected('stale', 'The nonce is used.')
    }
    const pipeline = await desk.start({ submit }, { write, onFatal: (error) => told.push(error) })
    const { creation } = await desk.newDid()
    await desk.accept(pipeline, creation)
    await until(() => asked.signal.aborted)
    const other = new pg.Client({ connectionString: world.databaseUrl })
    await other.connect()
    await other.query('begin')
    await other.query('update signer.lease set epoch = epoch + 1')
    const waiting = async () =>
      (
        await world.sql.query(
          'select from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted',
        )
      ).rowCount ?? 0
    answered.abort()
    await until(async () => (await waiting()) > 0)
    const stopped = pipeline.stop()
    await other.query('commit')
    await other.end()
    await stopped
    await until(async () => (await waiting()) === 0)
    await pause(100)
    expect(told).toEqual([])
    const next = await desk.start()
    await desk.finals(creation.id)
    await next.stop()
  })

  test('a signer whose lease is another one’s changes no state', async () => {
    const old = fencedBy(desk.db, await desk.nextEpoch())
    const { creation } = await desk.newDid()
    await desk.inbox.accept([creation])
    const current = fencedBy(desk.db, await desk.nextEpoch())
    const refuse = (write: typeof old) =>
      write(sql`queued as (update signer.actions set state = 'queued' from held where id = ${creation.id})
        select from held`)
    await expect(refuse(old)).rejects.toThrow(LostLease)
    await refuse(current)
    const pipeline = await desk.start({}, { write: current })
    await desk.finals(creation.id)
    await pipeline.stop()
  })

  test('another ledger than the one it knows is refused with a sentence', async () => {
    const scratch = await scratchDatabase()
    const other = await startLedger({ databaseUrl: scratch.url, feeAccounts: [world.feeAccount], keys: randomKeys() })
    const door = await openLedger([other.url], log)
    await expect(desk.start({}, { ledger: door })).rejects.toThrow(/belongs to ledger 0x/)
    await door.close()
    await other.close()
    await scratch.drop()
  })
})

type Desk = Awaited<ReturnType<typeof openDesk>>

/** The parts of a pipeline in this process, so that a test can stand between it and the ledger. */
async function openDesk(world: World) {
  const clock = () => Date.now() + world.clockOffset.ms
  const { db, unsynced, close } = openDatabase(world.databaseUrl, systemRandomness)
  const vault = await openVault(db, openMasterKeyFile(world.masterKeyFile, systemRandomness), systemRandomness)
  const bbs = openBlsPairs()
  const keys = openKeys({
    db,
    unsynced,
    vault,
    curves: openCurves(bbs, systemRandomness),
    random: systemRandomness,
    clock,
    log,
  })
  const feeAccount = await openFeeAccount(db, vault)
  const inbox = openActionInbox(db, clock)
  const ledger = await openLedger([world.ledger.url], log)

  async function nextEpoch() {
    const { rows } = await world.sql.query('update signer.lease set epoch = epoch + 1 returning epoch')
    return Number(rows[0].epoch)
  }
  const row = async (id: string) =>
    (await world.sql.query('select state, outcome, valid_until from signer.actions where id = $1', [id])).rows[0]

  return {
    db,
    inbox,
    ledger,
    feeAccount,
    nextEpoch,
    row,
    /** `between` replaces parts of the door to the ledger. */
    async start(between: Partial<Ledger> = {}, more: Partial<PipelineNeeds> = {}) {
      const write = more.write ?? fencedBy(db, await nextEpoch())
      const door: Ledger = Object.create(ledger, Object.getOwnPropertyDescriptors(between))
      const onFatal = (error: Error) => {
        throw error
      }
      const needs = { db, write, clock, log, ledger: door, keys, feeAccount, feeAccountMinimum: 0n, onFatal }
      return Pipeline.start({ ...needs, finality: 'instant', ...more })
    },
    newDid: async () => didOfKeys((await keys.make(crypto.randomUUID(), ['Ed25519'])).filter(isOfLedger)),
    async accept(pipeline: Pipeline, ...actions: Parameters<typeof inbox.accept>[0]) {
      await inbox.accept(actions)
      pipeline.wake()
    },
    async finals(...ids: string[]) {
      await until(async () => (await inbox.states(ids)).every(({ state }) => state === 'final' || state === 'refused'))
      const states = await inbox.states(ids)
      expect(states.map(({ state, outcome }) => [state, outcome?.error])).toEqual(ids.map(() => ['final', undefined]))
      return ids.map((id) => states.find((state) => state.id === id))
    },
    async extrinsics(): Promise<Record<string, number>> {
      const { rows } = await world.sql.query(
        'select state, count(*)::int as count from signer.extrinsics group by state',
      )
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    },
    /** Returns all extrinsics that were made, in order. */
    async specVersions(): Promise<number[]> {
      const { rows } = await world.sql.query('select spec_version from signer.extrinsics order by id')
      return rows.map(({ spec_version: version }) => version)
    },
    /** The runtime of the ledger, or the one before it. */
    async runtimeVersion(isOld: boolean, at?: string) {
      const { specVersion, ...rest } = await ledger.runtimeVersion(at)
      return { ...rest, specVersion: isOld ? specVersion - 1 : specVersion }
    },
    cursor: async () => (await world.sql.query('select height, hash from signer.ledger')).rows[0],
    /** The tables are made like a copy from before: the actions are queued, and nothing later is known. */
    async forget(cursor: { height: number; hash: Buffer }, ids: string[]) {
      await world.sql.query(
        `update signer.actions set state = 'queued', outcome = null, extrinsic_id = null, position = null, nonce = null,
           call_hash = null, valid_until = null, encoded_tx = null where id = any($1)`,
        [ids],
      )
      await world.sql.query(
        'delete from signer.extrinsics where not exists (select 1 from signer.actions where extrinsic_id = extrinsics.id)',
      )
      await world.sql.query('update signer.ledger set height = $1, hash = $2', [cursor.height, cursor.hash])
    },
    /** Moves the ledger's clock and the signer's. */
    hasten(ms: number) {
      world.clockOffset.ms += ms
    },
    async close() {
      await ledger.close()
      await bbs.close()
      await close()
    },
  }
}

/** A call with many bytes and little work. */
function longRegistry() {
  return calls.trustRegistry.initOrUpdate({ registryId: randomHex32(), name: 'Kenya', govFramework: 'x'.repeat(500) })
}

function registry() {
  return calls.trustRegistry.initOrUpdate({ registryId: randomHex32(), name: 'Kenya', govFramework: 'x' })
}
