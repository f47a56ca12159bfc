/** Tests the decisions of the pipeline's store in SQL: the order of turns, and that an end is final. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.js'
import { openPipelineStore, settling } from '../src/actions/pipeline.store.js'
import { fencedBy, type OpenDatabase, openDatabase } from '../src/database.js'
import { initialise } from '../src/index.js'

const at = new Date('2026-03-01T00:00:00Z')
let opened: OpenDatabase
let close: () => Promise<void>

beforeAll(async () => {
  const scratch = await scratchDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'signer-store-'))
  await initialise({ databaseUrl: scratch.url, masterKeyFile: join(folder, 'master.key') })
  opened = openDatabase(scratch.url, randomBytes)
  close = async () => {
    await opened.close()
    await scratch.drop()
    rmSync(folder, { recursive: true })
  }
})
afterAll(() => close())

type State = 'queued' | 'signed' | 'final'

/** Makes actions of one DID, in order of their sequence. */
async function arrive(did: string, actions: { state: State; nonce?: number }[]): Promise<void> {
  const rows = actions.map(({ state, nonce }, sequence) => ({
    id: `${did}-${sequence}`,
    did,
    sequence,
    share: did,
    content: JSON.stringify({ kind: 'dispatch' }),
    content_hash: Buffer.alloc(32),
    state,
    nonce: nonce ?? null,
    outcome: state === 'final' ? JSON.stringify({ block: 1 }) : null,
    updated_at: at,
  }))
  await opened.db.insertInto('actions').values(rows).execute()
}

const actionsOf = (did: string) =>
  opened.db
    .selectFrom('actions')
    .select(['id', 'state', 'outcome'])
    .where('did', '=', did)
    .orderBy('sequence')
    .execute()

test('an action that came to its end keeps it, whatever is told of it later; the others of the same report change', async () => {
  await arrive('ended', [{ state: 'final' }, { state: 'signed', nonce: 1 }])
  const error = { pallet: 'Did', name: 'NotFound', docs: '' }
  const refused = (id: string) => ({ id, state: 'refused' as const, outcome: { error } })
  const write = fencedBy(opened.db, 0)
  await write(sql`${settling([refused('ended-0'), refused('ended-1')], at)} select from held`)
  expect(await actionsOf('ended')).toEqual([
    { id: 'ended-0', state: 'final', outcome: { block: 1 } },
    { id: 'ended-1', state: 'refused', outcome: { error } },
  ])
})

test('a queued action is told the highest sequence and nonce that its DID has in flight, and the state before its own', async () => {
  await arrive('ahead', [
    { state: 'final', nonce: 4 },
    { state: 'signed', nonce: 5 },
    { state: 'signed', nonce: 6 },
    { state: 'signed', nonce: 7 },
    { state: 'queued' },
    { state: 'queued' },
  ])
  await arrive('alone', [{ state: 'queued' }])
  const store = openPipelineStore(opened.db, () => Promise.reject(new Error('nothing is written')), Date.now)
  const candidates = await store.candidates(10)
  expect(candidates.map(({ action, before, inFlight }) => [action.id, before, inFlight])).toEqual([
    ['ahead-4', 'signed', { sequence: 3, nonce: 7 }],
    ['ahead-5', 'queued', { sequence: 3, nonce: 7 }],
    ['alone-0', undefined, undefined],
  ])
})
