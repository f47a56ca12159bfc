import { callHash, calls, describeCalls, type Hex32, hex32Of } from '@accredit/chain'
import { expect, test } from 'vitest'
import { forAllTests } from '../../platform/testing/for-all-tests.js'
import { testContext, testTeam } from '../../platform/testing/scratch-database.js'
import { indexedDatabase, testIndex } from '../testing/test-index.js'
import { matchDispatched, pendingOf } from './pending-actions.js'
import { pendingIds, unversionedHash } from './pending-ids.js'
import { startPendingJob } from './start-pending-job.js'

const world = forAllTests(async () => {
  const scratch = await indexedDatabase()
  const ledger = await testIndex(scratch)
  await ledger.blocks(10)
  return { scratch, ledger, close: () => ledger.close().then(scratch.close) }
})

const did = 'did:svc:convener'
const [registryId, schema]: [Hex32, Hex32] = [hex32Of(new Uint8Array(32).fill(1)), hex32Of(new Uint8Array(32).fill(2))]
const opening = (expectedVersion?: number) => [
  calls.trustRegistry.setSchemasMetadata({
    registryId,
    update: { Modify: new Map([[schema, { Ensure: { verifiers: { Set: [] } } }]]) },
    ...(expectedVersion !== undefined && { expectedVersion }),
  }),
]
const removal = [calls.trustRegistry.remove({ registryId })]

/** Returns the id of an action that a team of its own asks a DID to sign. */
async function asked(asking: Uint8Array[]): Promise<string> {
  const { scratch } = world()
  const ctx = testContext(scratch, await testTeam(scratch.db))
  const { id } = await ctx.db.transaction(ctx.scope, (tx) =>
    startPendingJob(tx, ctx, {
      kind: 'test',
      subject: registryId,
      did,
      dispatches: [{ calls: asking, unversionedHash: unversionedHash(describeCalls(asking)), expected: [] }],
      result: {},
      expires: new Date(Date.now() + 60_000),
    }),
  )
  return `${id}-0`
}
const answeredBy = (signer: string, signed: Uint8Array[]) =>
  world().scratch.db.read('system', (reader) => pendingIds(reader, signer, signed))
const stateOf = (id: string) =>
  world().scratch.db.read('system', (reader) =>
    reader
      .selectFrom('ledger_actions')
      .select(['state', 'block_height', 'outcome'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  )

test('a signature answers what asks for the same calls of its DID, in whatever version of the registry, and nothing else', async () => {
  const [first, same, other] = [await asked(opening(3)), await asked(opening(5)), await asked(removal)]
  expect((await answeredBy(did, opening(9))).sort()).toEqual([first, same].sort())
  expect(await answeredBy(did, removal)).toEqual([other])
  expect(await answeredBy('did:svc:other', removal)).toEqual([])
  expect(await answeredBy(did, [...removal, ...removal])).toEqual([])
})

test('a dispatch elsewhere of the requested calls ends the action, from the block after the request', async () => {
  const { ledger, scratch } = world()
  const dispatched = (block: number, by: string, signed: Uint8Array[]) =>
    ledger.event({ block, index: 0, name: 'Did.Dispatched', actor: by, call_hash: callHash(signed) })
  await dispatched(10, did, removal)
  const id = await asked(removal)
  const match = () => scratch.db.transaction('system', (tx) => matchDispatched(tx, pendingOf([did])))
  await ledger.block(11, new Date('2026-01-02T00:00:00Z'))
  await dispatched(11, 'did:svc:other', removal)
  await match()
  expect((await stateOf(id)).state).toBe('waiting')
  await ledger.block(12, new Date('2026-01-03T00:00:00Z'))
  await dispatched(12, did, removal)
  await match()
  expect(await stateOf(id)).toMatchObject({
    state: 'included',
    block_height: 12,
    outcome: { blockHeight: 12, callHash: callHash(removal) },
  })
})
