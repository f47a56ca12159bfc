import { didSvc, hex32Of } from '@accredit/chain'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ScratchDatabase } from '../../platform/testing/scratch-database.js'
import { didStateAt, keyHistory } from '../read/did-state.js'
import { revocationRegistryAt, statusAt, statusBitsAt } from '../read/status-list.js'
import { indexedDatabase, type TestIndex, testIndex } from './test-index.js'

const RUNS = Number(process.env.HISTORY_RUNS ?? 12)
const BLOCKS = 12
const LENGTH = 131_072
const START = Date.parse('2026-01-01T00:00:00Z')

let scratch: ScratchDatabase
let ledger: TestIndex

beforeAll(async () => {
  scratch = await indexedDatabase()
  ledger = await testIndex(scratch)
  await ledger.blocks(BLOCKS, { start: new Date(START) })
})

afterAll(async () => {
  await ledger?.close()
  await scratch?.close()
})

const bytes = (byte: number) => hex32Of(new Uint8Array(32).fill(byte))
const did = didSvc(bytes(1))
const registry = bytes(2)
const timeOf = (height: number) => new Date(START + height * 1000).toISOString()
const block = fc.integer({ min: 0, max: BLOCKS })

interface Row {
  from_block: number
  to_block: number | null
}
const holds = ({ from_block, to_block }: Row, at: number) => from_block <= at && (to_block === null || to_block > at)
const changesOf = (rows: Row[]) =>
  rows.flatMap(({ from_block, to_block }) => [from_block, to_block ?? Number.POSITIVE_INFINITY])
const firstAfter = (rows: Row[], at: number) => Math.min(...changesOf(rows).filter((change) => change > at))
const lastUpTo = (rows: Row[], at: number) => Math.max(...changesOf(rows).filter((change) => change <= at))

const life: fc.Arbitrary<Row> = fc
  .tuple(fc.integer({ min: 1, max: BLOCKS }), fc.option(fc.integer({ min: 1, max: BLOCKS })))
  .map(([from_block, lasts]) => ({ from_block, to_block: lasts === null ? null : from_block + lasts }))

const lives = fc.array(life, { maxLength: 6 })

test('a DID is at every block what its rows say, and knows when it last changed and when it will next', async () => {
  const reasons = ['retired', 'revoked', 'deactivated', null] as const
  await fc.assert(
    fc.asyncProperty(
      lives,
      lives,
      lives,
      fc.constantFrom(...reasons),
      fc.option(fc.integer({ min: 2, max: BLOCKS + 2 })),
      async (keys, controllers, services, end_reason, ended) => {
        await ledger.clear()
        const born = { from_block: 1, to_block: ended }
        await ledger.row('did', { ...born, did, submitter: 'payer' })
        const key = { did, kind: 'Ed25519' as const, public_key: bytes(7), relationships: 7, end_reason }
        for (const [n, row] of keys.entries()) await ledger.row('did_key', { ...row, ...key, key_id: n + 1 })
        for (const [n, row] of controllers.entries())
          await ledger.row('did_controller', { ...row, did, controller: didSvc(bytes(50 + n)) })
        const service = { did, type: 'Files' }
        for (const [n, row] of services.entries())
          await ledger.row('did_service', { ...row, ...service, service_id: `s${n}`, endpoints: ['https://x'] })

        expect(await didStateAt(ledger.index, did, { block: 0 })).toBeUndefined()
        for (let at = 1; at <= BLOCKS; at += 1) {
          const state = await didStateAt(ledger.index, did, { block: at })
          const named = <Name>(rows: Row[], name: (n: number) => Name) =>
            rows.flatMap((row, n) => (holds(row, at) ? [name(n)] : []))
          const all = [born, ...keys, ...controllers, ...services]
          const [changed, next] = [lastUpTo(all, at), firstAfter(all, at)]
          expect(state?.keys.map(({ id }) => id)).toEqual(named(keys, (n) => n + 1))
          expect([...(state?.controllers ?? [])].sort()).toEqual(
            named(controllers, (n) => didSvc(bytes(50 + n))).sort(),
          )
          expect(state?.services.map(({ id }) => id)).toEqual(named(services, (n) => `s${n}`))
          expect(state?.deactivated).toBe(ended !== null && ended <= at ? true : undefined)
          expect(state).toMatchObject({ created: timeOf(1), updated: timeOf(changed), versionId: String(changed) })
          expect(state?.nextVersionId).toBe(next > BLOCKS ? undefined : String(next))
          expect(state?.nextUpdate).toBe(next > BLOCKS ? undefined : timeOf(next))
        }
        // A row of these may end at a block that is not there, which has no time: as far as is known it goes on.
        const endOf = ({ to_block }: Row) =>
          to_block === null || to_block > BLOCKS ? null : { block: to_block, time: new Date(timeOf(to_block)) }
        for (const [n, row] of keys.entries())
          expect(await keyHistory(ledger.index, did, n + 1)).toMatchObject({
            fromBlock: row.from_block,
            end: endOf(row),
            endReason: endOf(row) === null ? null : end_reason,
          })
      },
    ),
    { numRuns: RUNS },
  )
})

test('a status list is at every block the set of bits that were set and not cleared', async () => {
  const bit = fc.tuple(fc.constantFrom(0, 1, 7, 8, 4095, LENGTH - 1), fc.uniqueArray(block, { maxLength: 5 }))
  const bits = fc.uniqueArray(bit, { selector: ([index]) => index, maxLength: 6 })
  const facts = {
    policy: [did],
    creator: did,
    add_only: false,
    kind: 'StatusList' as const,
    length: LENGTH,
    version: 1,
  }
  await fc.assert(
    fc.asyncProperty(bits, block, fc.option(fc.integer({ min: 1, max: BLOCKS })), async (made, at, removed) => {
      await ledger.clear()
      const changes = made.flatMap(([, blocks]) => blocks).filter((change) => change < (removed ?? BLOCKS + 1))
      const versions = [...new Set([0, ...changes])].sort((a, b) => a - b)
      for (const [n, from_block] of versions.entries()) {
        const own = { from_block, to_block: versions[n + 1] ?? removed }
        await ledger.row('revocation_registry', { ...own, registry_id: registry, ...facts })
      }
      const set = new Set<number>()
      for (const [index, changes] of made) {
        const sorted = changes.sort((a, b) => a - b)
        for (let i = 0; i < sorted.length; i += 2) {
          const row = { from_block: sorted[i] ?? 0, to_block: sorted[i + 1] ?? null }
          await ledger.row('status_bit', { ...row, registry_id: registry, index })
          if (holds(row, at)) set.add(index)
        }
      }
      const list = { registryId: registry, length: LENGTH }
      const bits = await statusBitsAt(ledger.index, list, { block: at })
      const found = [...Array(LENGTH).keys()].filter((i) => ((bits[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0)
      expect(found).toEqual([...set].sort((a, b) => a - b))
      expect(await revocationRegistryAt(ledger.index, registry, { block: at })).toMatchObject({
        length: LENGTH,
        creator: did,
        isRemoved: removed !== null && removed <= at,
        changedBlock: Math.max(...versions.filter((version) => version <= at)),
      })
      for (const index of [0, 1, 7, 8, 4095, LENGTH - 1])
        expect((await statusAt(ledger.index, registry, index, { block: at }))?.isSet).toBe(set.has(index))
    }),
    { numRuns: RUNS },
  )
})
