import type { Store } from '@subsquid/typeorm-store'
import { Any, type FindOperator, IsNull } from 'typeorm'

/**
 * A fact with its time: true from `fromBlock` up to, not including, `toBlock`; no `toBlock`: still true. Both the same:
 * a tombstone of what began and ended in one block.
 */
export interface TemporalRow {
  id: string
  key: string
  fromBlock: number
  toBlock: number | undefined | null
}

export type Fields<E> = Omit<E, keyof TemporalRow>

interface Where {
  key?: FindOperator<string>
  did?: FindOperator<string>
  toBlock?: FindOperator<number>
}

interface Table<E extends TemporalRow> {
  make(): E
  find(store: Store, where: Where): Promise<E[]>
  /**
   * A key begins once: it has no row before, none is looked for, and it never comes back. The ledger remembers one that
   * has ended, even when it was true for no block.
   */
  leavesTombstones?: true
}

type Change<E> =
  | { kind: 'set'; key: string; block: number; fields: Fields<E> }
  | { kind: 'patch'; key: string; block: number; fields: Partial<Fields<E>> }
  | { kind: 'end' | 'endIfOpen'; key: string; block: number; fields: Partial<Fields<E>> }
  | { kind: 'amend'; key: string; fields: Partial<Fields<E>> }
  | { kind: 'endDid'; did: string; block: number; fields: Partial<Fields<E>> }

/** Postgres takes 65,535 parameters in a statement. */
const CHUNK = 10_000

/**
 * The changes of a batch to one table. Handlers record facts and their blocks; `flush` reads the affected rows once,
 * replays the changes in order and writes one upsert of closed rows and one insert of new ones.
 */
export class Projection<E extends TemporalRow> {
  private readonly changes: Change<E>[] = []
  private readonly newest = new Map<string, E>()
  private readonly touched = new Set<E>()
  private readonly fresh = new Set<E>()
  /** The rows that no row of their key precedes at an earlier block. */
  private readonly first = new Set<E>()

  constructor(private readonly table: Table<E>) {}

  /** Gives `key` this value from `block` on. */
  set(key: string, block: number, fields: Fields<E>): void {
    this.changes.push({ kind: 'set', key, block, fields })
  }

  /** Changes these fields of `key` from `block` on. */
  patch(key: string, block: number, fields: Partial<Fields<E>>): void {
    this.changes.push({ kind: 'patch', key, block, fields })
  }

  /** Ends `key` at `block`. */
  end(key: string, block: number, fields: Partial<Fields<E>> = {}): void {
    this.changes.push({ kind: 'end', key, block, fields })
  }

  /** Ends `key` at `block`, if it ever was. */
  endIfOpen(key: string, block: number): void {
    this.changes.push({ kind: 'endIfOpen', key, block, fields: {} })
  }

  /** Ends everything of this DID at `block`. Only for tables with a column `did`. */
  endDid(did: string, block: number, fields: Partial<Fields<E>> = {}): void {
    this.changes.push({ kind: 'endDid', did, block, fields })
  }

  /** Corrects the newest row of `key`, open or closed; no other row begins. */
  amend(key: string, fields: Partial<Fields<E>>): void {
    this.changes.push({ kind: 'amend', key, fields })
  }

  async flush(store: Store): Promise<void> {
    if (this.changes.length === 0) return
    await this.load(store)
    for (const change of this.changes) this.apply(change)
    // Closed rows come first: a key has at most one open row, and the database enforces it.
    await store.upsert([...this.touched].filter((row) => !this.fresh.has(row)))
    await store.insert([...this.fresh])
  }

  private async load(store: Store): Promise<void> {
    const open = new Set<string>()
    const any = new Set<string>()
    const dids = new Set<string>()
    for (const change of this.changes) {
      if (change.kind === 'endDid') dids.add(change.did)
      else if (change.kind === 'amend') any.add(change.key)
      else if (change.kind !== 'set' || !this.table.leavesTombstones) open.add(change.key)
    }
    for (const keys of chunks(open)) this.remember(await this.table.find(store, { key: Any(keys), toBlock: IsNull() }))
    for (const keys of chunks(any)) this.remember(await this.table.find(store, { key: Any(keys) }))
    for (const some of chunks(dids)) this.remember(await this.table.find(store, { did: Any(some), toBlock: IsNull() }))
  }

  private remember(rows: E[]): void {
    for (const row of rows) {
      const known = this.newest.get(row.key)
      if (known === undefined || known.fromBlock < row.fromBlock) this.newest.set(row.key, row)
    }
  }

  private apply(change: Change<E>): void {
    if (change.kind === 'endDid') {
      for (const row of this.newest.values()) {
        if ('did' in row && row.did === change.did) this.finish(row, change.block, change.fields)
      }
      return
    }
    const row = this.newest.get(change.key)
    if (change.kind === 'set') this.open(change.key, change.block, change.fields)
    else if (row === undefined && change.kind === 'endIfOpen') return
    else if (row === undefined) throw new Error(`${change.kind} of unknown ${change.key}`)
    else if (change.kind === 'amend') this.amended(row, change.fields)
    else if (change.kind === 'patch') this.open(change.key, change.block, { ...row, ...change.fields })
    else this.finish(row, change.block, change.fields)
  }

  private open(key: string, block: number, fields: Fields<E>): void {
    const before = this.newest.get(key)
    if (before !== undefined) this.close(before, block, {})
    const row = Object.assign(this.table.make(), fields, {
      id: `${key}@${block}`,
      key,
      fromBlock: block,
      toBlock: null,
    })
    this.newest.set(key, row)
    this.fresh.add(row)
    if (before === undefined || (before.fromBlock === block && this.first.has(before))) this.first.add(row)
  }

  private amended(row: E, fields: Partial<Fields<E>>): void {
    Object.assign(row, fields)
    if (!this.fresh.has(row)) this.touched.add(row)
  }

  /** Closes a row that no other one follows. */
  private finish(row: E, block: number, fields: Partial<Fields<E>>): void {
    this.close(row, block, fields)
    if (this.table.leavesTombstones && row.toBlock === row.fromBlock && this.first.has(row)) this.fresh.add(row)
  }

  private close(row: E, block: number, fields: Partial<Fields<E>>): void {
    if (isClosed(row)) return
    Object.assign(row, fields, { toBlock: block })
    // A fact that was true for no block leaves no trace, but for tombstones.
    if (row.fromBlock === block) this.fresh.delete(row)
    else if (!this.fresh.has(row)) this.touched.add(row)
  }
}

function isClosed(row: TemporalRow): boolean {
  return row.toBlock !== null && row.toBlock !== undefined
}

function* chunks(keys: Set<string>): Generator<string[]> {
  const all = [...keys]
  for (let start = 0; start < all.length; start += CHUNK) yield all.slice(start, start + CHUNK)
}
