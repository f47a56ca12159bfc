import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { KEPT_DATA } from '../../platform/database/kept-data.js'
import { addCount, type Erasure, type Needs } from './erasure.store.js'

/** The texts of a page, for each of which all rows that are left are sorted. */
const AT_ONCE = 50_000
/** Those that are hashed before others have a turn. */
const HASHED_AT_ONCE = 2000

/** The change of a row that names something: the fact stays that it happened, and when. */
const EMPTIED: Readonly<Record<string, string>> = {
  audit: `subject = '[erased]', before = null, after = null, detail = '{}'`,
  jobs: `subject = null, data = '{}', result = '{}'`,
}

const NAMING = Object.entries(KEPT_DATA).flatMap(([table, { erasure }]) =>
  erasure?.by === 'text' ? [{ table, column: erasure.column }] : [],
)

/**
 * Erases the ids of what is erased from rows that name them in plain text. The ids themselves are not known here, only
 * their keyed hashes: rows of the team are read in pieces, and hashed.
 */
export async function eraseByText(needs: Needs, erasure: Erasure): Promise<void> {
  for (const { table, column } of NAMING) await eraseFrom(needs, erasure, { table, column })
}

async function eraseFrom(
  { db, events }: Needs,
  erasure: Erasure,
  { table, column }: { table: string; column: string },
): Promise<void> {
  const { team_id } = erasure
  const name = sql.table(`service.${table}`)
  const sought = new Set(erasure.marks.map((mark) => mark.toString('hex')))
  const set = EMPTIED[table]
  if (set === undefined) throw new Error(`it is not told what becomes of rows of ${table} that name what is erased`)
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    const { rows } = await db.read('system', (reader) =>
      sql<{ text: string }>`select distinct k.${sql.ref(column)} as text from ${name} k
        where k.team_id = ${team_id} and k.${sql.ref(column)} > ${from} order by 1 limit ${AT_ONCE}`.execute(reader),
    )
    const texts: string[] = []
    for (let at = 0; at < rows.length; at += HASHED_AT_ONCE) {
      for (const { text } of rows.slice(at, at + HASHED_AT_ONCE))
        if (events.marksOf(team_id, [text]).some((mark) => sought.has(mark.toString('hex')))) texts.push(text)
      await setImmediate()
    }
    if (texts.length > 0)
      await db.transaction('system', async (tx) => {
        const { numAffectedRows } = await sql`update ${name} k set ${sql.raw(set)}
          where k.team_id = ${team_id} and k.${sql.ref(column)} = any(${texts}::text[])`.execute(tx)
        await addCount(tx, erasure, table, Number(numAffectedRows ?? 0))
      })
    after = rows.length < AT_ONCE ? undefined : rows.at(-1)?.text
  }
}
