import { sql } from 'kysely'
import type { Reader } from '../platform/database/database.js'

export interface Column {
  name: string
  type: string
  isNullable: boolean
}

export interface TableShape {
  table: string
  columns: ReadonlyMap<string, Column>
  /** The tables whose rows its rows name, so that theirs cannot go first without these. */
  names: ReadonlySet<string>
}

const ofReaders = new WeakMap<object, Promise<readonly TableShape[]>>()

/** Returns the tables of the service as the database has them, those first that others do not name; asked once for `key`. */
export function tableShapes(key: object, reader: Reader): Promise<readonly TableShape[]> {
  const known = ofReaders.get(key) ?? readShapes(reader)
  ofReaders.set(key, known)
  known.catch(() => ofReaders.delete(key))
  return known
}

async function readShapes(reader: Reader): Promise<readonly TableShape[]> {
  const { rows } = await sql<{ table: string; columns: Column[]; names: string[] }>`
    select c.relname as table,
      (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'isNullable', not a.attnotnull))
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and r.oid <> c.oid) as names
    from pg_class c
    where c.relnamespace = 'service'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migrations'
    order by c.relname`.execute(reader)
  const shapes = rows.map(({ table, columns, names }) => ({
    table,
    columns: new Map(columns.map((column) => [column.name, column])),
    names: new Set(names),
  }))
  return namingFirst(shapes)
}

/** Returns the tables in an order in which rows can be deleted: those that name others before those. */
function namingFirst(shapes: readonly TableShape[]): readonly TableShape[] {
  const left = new Set(shapes)
  const ordered: TableShape[] = []
  while (left.size > 0) {
    const free = [...left].filter(({ table }) => ![...left].some(({ names }) => names.has(table)))
    if (free.length === 0) throw new Error(`tables name each other: ${[...left].map(({ table }) => table)}`)
    for (const shape of free) left.delete(shape)
    ordered.push(...free)
  }
  return ordered
}
