/** Makes the tables of an empty database, and no chain in them: a restored copy brings one. */
import pg from 'pg'
import { makeTables } from './store/postgres-store.js'

const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
await client.connect()
try {
  await makeTables(client)
} finally {
  await client.end()
}
