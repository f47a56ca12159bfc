import type { IndexRows } from './index-rows'
import { grouped, type Storage } from './storage'

const CHUNK_BITS = 2_048

/** Returns the storage of pallet `Revocation` that follows from the index. */
export async function indexedRevocation(index: IndexRows): Promise<Storage> {
  const created = await index.select<{ id: string }>(
    'SELECT DISTINCT registry_id AS id FROM ledger.revocation_registry WHERE from_block <= $1',
  )
  const active = new Map((await index.rows('revocation_registry')).map((row) => [row.registry_id, row]))
  const states = [...active].map(([id, { policy, add_only: addOnly, version, length, ...row }]) => {
    const kind =
      row.kind === 'StatusList'
        ? { StatusList: { length } }
        : { Accumulator: { publicKey: row.public_key, accumulated: row.accumulated } }
    return [id, { Active: { policy: [...policy].sort(), addOnly, kind, version } }]
  })
  // Bits of a removed registry stay in the index, where nobody asks for them any more.
  const bits = (await index.rows('status_bit')).filter(({ registry_id }) => active.has(registry_id))
  const chunks = grouped(bits, (row) => `${row.registry_id} ${Math.floor(row.index / CHUNK_BITS)}`)
  return {
    'Revocation.Registries': {
      ...Object.fromEntries(created.map(({ id }) => [id, 'Removed'])),
      ...Object.fromEntries(states),
    },
    'Revocation.Chunks': Object.fromEntries([...chunks].map(([key, rows]) => [key, chunkOf(rows)])),
  }
}

function chunkOf(bits: { index: number }[]): string {
  const bytes = Buffer.alloc(CHUNK_BITS / 8)
  for (const { index } of bits) {
    const bit = index % CHUNK_BITS
    bytes.writeUInt8(bytes.readUInt8(bit >> 3) | (0x80 >> (bit & 7)), bit >> 3)
  }
  return `0x${bytes.toString('hex')}`
}
