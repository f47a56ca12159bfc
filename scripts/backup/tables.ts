import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'
import { Refusal } from '../start/refusal.js'
import { type ArchivedSequence, type ArchivedTable, type Room, SCHEMAS } from './archive.js'

export interface Table {
  schema: Room
  name: string
  columns: string[]
}

export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select n.nspname as schema, c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname = any($1) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by 1, 2 order by 1, 2`,
    [SCHEMAS],
  )
  return rows
}

/** Sequences stand outside of transactions: read after the snapshot, they are never behind the rows in it. */
export async function sequencesOf(client: pg.Client, rooms: readonly Room[]): Promise<ArchivedSequence[]> {
  const { rows } = await client.query<ArchivedSequence>(
    `select schemaname as schema, sequencename as name, last_value::text as last from pg_sequences
     where schemaname = any($1) and last_value is not null order by 1, 2`,
    [rooms],
  )
  return rows
}

/** Writes the rows of a table into a compressed file of the folder, as the snapshot of the client's transaction has them. */
export async function copyOut(client: pg.Client, folder: string, table: Table): Promise<ArchivedTable> {
  const path = `tables/${table.schema}.${table.name}.copy.gz`
  const hash = createHash('sha256')
  let bytes = 0
  const rows = client.query(to(`copy ${textOf(table)} to stdout`))
  await pipeline(
    rows,
    createGzip(),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    },
    createWriteStream(join(folder, path), { flags: 'wx', mode: 0o600, flush: true }),
  )
  return { ...table, path, bytes, sha256: hash.digest('hex'), rows: rows.rowCount }
}

/** Reads a table's rows from its file. Throws where they are not as many as were written. */
export async function copyIn(client: pg.Client, folder: string, table: ArchivedTable): Promise<void> {
  const rows = client.query(from(`copy ${textOf(table)} from stdin`))
  await pipeline(createReadStream(join(folder, table.path)), createGunzip(), rows)
  if (rows.rowCount !== table.rows)
    throw new Refusal(`${table.path} has ${rows.rowCount} rows of ${table.rows}. Nothing was restored.`)
}

export const nameOf = ({ schema, name }: Pick<Table, 'schema' | 'name'>): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`

const textOf = (table: Table): string => `${nameOf(table)} (${table.columns.map(pg.escapeIdentifier).join(', ')})`
