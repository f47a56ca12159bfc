import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chainTypes, hexOf } from '@accredit/chain'
import { randomKeys } from '@accredit/embedded-ledger'
import pg from 'pg'
import { expect, test } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database'
import { Actors } from '../../test/testing/random-ledger/actors'
import { createActors, submitRandomBlock } from '../../test/testing/random-ledger/history'
import { LedgerWriter, type Written } from '../../test/testing/random-ledger/ledger-writer'
import { SeededRandom } from '../../test/testing/random-ledger/seeded-random'
import { TestChain } from './testing/chain'
import { IndexProcess, projections } from './testing/index-process'
import { indexedState, newestState } from './testing/indexed-state'
import { storageOf } from './testing/storage'

const SEED = 20_260_104
/** A runtime that comes after any release: its migration writes the names of trust registries in capitals. */
const NEXT_RUNTIME = join(__dirname, '../../chain/artifact/testing/next.wasm')
const BLOCKS_OF_A_RUNTIME = 5

/*
 *   random blocks · set_code | migration, random blocks     indexed as they come, and again from genesis
 */
test('a new runtime in the middle of the chain: the index is right before, at and after its migration', async () => {
  const keys = randomKeys()
  const database = await scratchDatabase()
  const second = await scratchDatabase()
  const chain = await TestChain.open(database.url, keys)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  let index = await IndexProcess.start(database.url, chain.url)
  let writer = await LedgerWriter.connect(chain.url, keys.sudo)
  try {
    const actors = Actors.of(new SeededRandom(SEED), writer.place)
    await createActors({ writer, actors, now: Date.now }, ['One', 'Two', 'Three', 'Four', 'Five'])
    await submitRandomBlock({ writer, actors, now: Date.now }, 6, 'foundations')
    await submitRandomBlocks(writer, actors)
    // Random actions may have removed every registry that the migration would rename.
    const before = await submitRandomBlock({ writer, actors, now: Date.now }, 6, 'foundations')
    await index.reaches(before.height, before.hash)

    const setCode = chainTypes().call('system', 'setCode', hexOf(await readFile(NEXT_RUNTIME)))
    const upgrade = await writer.submitAsRoot(setCode)
    await writer.close()
    writer = await LedgerWriter.connect(chain.url, keys.sudo)
    const migration = await writer.submit([])
    const after = await submitRandomBlocks(writer, actors)
    await index.reaches(after.height, after.hash)

    const { rows: versions } = await client.query(
      'SELECT DISTINCT spec_version AS version FROM ledger.block ORDER BY 1',
    )
    const [old, next] = versions.map(({ version }) => version)
    expect(versions).toHaveLength(2)
    const { rows: borders } = await client.query(
      'SELECT height, spec_version AS version FROM ledger.block WHERE height IN ($1 - 1, $1) ORDER BY height',
      [upgrade.height],
    )
    expect(borders.map(({ version }) => version)).toEqual([old, next])
    const { rows: migrated } = await client.query(
      `SELECT extrinsic_hash, actor FROM ledger.event WHERE block = $1 AND name = 'TrustRegistry.TrustRegistryUpdated'
         AND extrinsic_hash IS NULL`,
      [migration.height],
    )
    expect(migrated.length).toBeGreaterThan(0)
    expect(new Set(migrated.map(({ actor }) => actor))).toEqual(new Set(['root']))
    const names = async (height: number): Promise<string[]> => {
      const { rows } = await client.query<{ name: string }>(
        `SELECT name FROM ledger.trust_registry WHERE from_block <= $1 AND (to_block IS NULL OR to_block > $1) ORDER BY registry_id`,
        [height],
      )
      return rows.map(({ name }) => name)
    }
    const oldNames = await names(upgrade.height)
    expect(await names(migration.height)).toEqual(oldNames.map((name) => name.toUpperCase()))
    expect(await names(migration.height)).not.toEqual(oldNames)
    for (let height = before.height; height < after.height; height += 1) {
      const hash = String(await writer.ask('chain_getBlockHash', height))
      const { 'Did.Nonces': _, ...stored } = await storageOf(writer.api, hash)
      expect(await indexedState(client, height), `block ${height}`).toEqual(stored)
    }
    expect(await newestState(client, after.height)).toEqual(await storageOf(writer.api, after.hash))

    await index.stop()
    index = await IndexProcess.start(second.url, chain.url)
    expect(await projections(second.url)).toEqual(await projections(database.url))
  } finally {
    await writer.close()
    await client.end()
    await index.stop()
    await chain.close()
    await database.drop()
    await second.drop()
  }
})

async function submitRandomBlocks(writer: LedgerWriter, actors: Actors): Promise<Written> {
  let last: Written | undefined
  for (let block = 0; block < BLOCKS_OF_A_RUNTIME; block += 1)
    last = await submitRandomBlock({ writer, actors, now: Date.now }, 8, 'registries')
  if (last === undefined) throw new RangeError('a runtime has one block at least')
  return last
}
