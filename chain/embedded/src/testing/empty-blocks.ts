import { TypeRegistry } from '@polkadot/types'
import pg from 'pg'
import { Builder, type Draft } from '../blocks/builder.js'
import type { Chain } from '../chain/chain.js'
import { headerHash, readHeader } from '../runtime/header.js'
import type { Runtime } from '../runtime/runtime.js'
import { bytesOf, type Hex, hexOf, type StateChanges, type StoredBlock } from '../store/store.js'

/** The number of hashes of blocks in the state, a constant of the runtime. */
const HASHES_KEPT = 4_096
const WRITTEN_AT_ONCE = 1_000
const types = new TypeRegistry()

type BlockWithChanges = Pick<Draft, 'block' | 'changes'>

/** Returns the empty block that the runtime builds on the head, at the head's own time. */
export async function emptyDraft(chain: Chain): Promise<Draft> {
  const draft = await new Builder(chain, () => 0).draft([])
  if (!draft) throw new Error('the runtime builds no empty block')
  return draft
}

/**
 * Yields the empty blocks that follow, as the runtime would build them at the same moment. It is not run, since a run
 * is the cost of a block.
 */
export function* emptyBlocks(after: StoredBlock, runtime: Runtime, count: number): Generator<BlockWithChanges> {
  let parent = after
  for (let made = 0; made < count; made += 1) {
    const block = emptyBlock(parent)
    yield { block, changes: changesOf(block, parent, runtime) }
    parent = block
  }
}

/** Only the state roots are not the runtime's. */
function emptyBlock(parent: StoredBlock): StoredBlock {
  const number = parent.number + 1
  const fields = { ...readHeader(parent.header), number, parentHash: parent.hash }
  const header = hexOf(types.createType('Header', fields).toU8a())
  return { number, hash: headerHash(header), header, extrinsics: parent.extrinsics }
}

/** Lists the changes of an empty block that has the time of its parent, which is empty too. */
function changesOf({ number }: StoredBlock, parent: StoredBlock, runtime: Runtime): StateChanges {
  const outdated = number - HASHES_KEPT - 1
  return new Map<Hex, Hex | null>([
    [runtime.storageKey('system', 'number'), hexOf(types.createType('u32', number).toU8a())],
    [runtime.storageKey('system', 'parentHash'), parent.hash],
    [runtime.storageKey('system', 'blockHash', parent.number), parent.hash],
    ...(outdated > 0 ? [[runtime.storageKey('system', 'blockHash', outdated), null] as const] : []),
  ])
}

/** Writes blocks into the tables of a ledger that is not running. */
export async function storeBlocks(databaseUrl: string, blocks: Iterable<BlockWithChanges>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let written: BlockWithChanges[] = []
  for (const block of blocks) {
    written.push(block)
    if (written.length < WRITTEN_AT_ONCE) continue
    await write(client, written)
    written = []
  }
  await write(client, written)
  await client.query('analyze chain.blocks, chain.state')
  await client.end()
}

async function write(client: pg.Client, blocks: readonly BlockWithChanges[]): Promise<void> {
  const rows = blocks.flatMap(({ block, changes }) =>
    [...changes].map(([key, value]) => [bytesOf(key), block.number, value === null ? null : bytesOf(value)] as const),
  )
  await client.query('insert into chain.state select * from unnest($1::bytea[], $2::int[], $3::bytea[])', [
    rows.map(([key]) => key),
    rows.map(([, number]) => number),
    rows.map(([, , value]) => value),
  ])
  // All blocks have the same body. An array of arrays would have to be of one length.
  await client.query(
    'insert into chain.blocks select number, hash, header, $4 from unnest($1::int[], $2::bytea[], $3::bytea[]) as block (number, hash, header)',
    [
      blocks.map(({ block }) => block.number),
      blocks.map(({ block }) => bytesOf(block.hash)),
      blocks.map(({ block }) => bytesOf(block.header)),
      blocks[0]?.block.extrinsics.map(bytesOf) ?? [],
    ],
  )
}
