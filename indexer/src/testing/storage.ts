import { chainTypes, type Plain, plain } from '@accredit/chain'
import type { ApiPromise } from '@polkadot/api'

/** Entries of the ledger's storage: by `<Pallet>.<Item>`, then by their keys. DIDs are text. */
export type Storage = Record<string, Record<string, Plain>>

const PALLETS = ['Did', 'TrustRegistry', 'Revocation']

/** Returns everything that the three pallets store at a block. */
export async function storageOf(api: ApiPromise, hash: string): Promise<Storage> {
  const { query } = await api.at(hash)
  const storage: Storage = {}
  for (const { pallet, item } of items()) {
    const found = await query[lowerFirst(pallet)]?.[lowerFirst(item)]?.entries()
    if (found === undefined) throw new Error(`the runtime stores no ${pallet}.${item}`)
    const entries = found.map(([key, value]) => [
      key.args.map((arg) => String(plain(arg))).join(' '),
      settled(plain(value)),
    ])
    storage[`${pallet}.${item}`] = Object.fromEntries(entries)
  }
  return storage
}

function items(): { pallet: string; item: string }[] {
  const ours = chainTypes().metadata.asLatest.pallets.filter(({ name }) => PALLETS.includes(name.toString()))
  return ours.flatMap(({ name, storage }) =>
    storage.unwrap().items.map((item) => ({ pallet: name.toString(), item: item.name.toString() })),
  )
}

const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)

/** Sorts lists of DIDs, which are sets on the ledger, ordered by their bytes there and by their text here. */
function settled(value: Plain): Plain {
  if (Array.isArray(value)) {
    const items = value.map(settled)
    return items.every((item) => typeof item === 'string' && item.startsWith('did:')) ? items.sort() : items
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, settled(field)]))
}

export function grouped<Row>(rows: Iterable<Row>, keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}
