import { once } from 'node:events'
import pg from 'pg'

/** Waits for the notice of block `height`, and that its hash is the one given, if one is. */
export async function untilIndexed(databaseUrl: string, height: number, hash?: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('LISTEN ledger_block')
    for (;;) {
      const notice = once(client, 'notification')
      const { rowCount } = await client.query(
        'SELECT 1 FROM ledger.block WHERE height = $1 AND ($2::text IS NULL OR hash = $2)',
        [height, hash ?? null],
      )
      if (rowCount === 1) return
      await notice
    }
  } finally {
    await client.end()
  }
}
