import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database'
import { configOf } from './config'
import { FinalityFollower } from './finality'
import { migrate } from './migrate'
import { Node } from './node'
import { TestChain } from './testing/chain'

test('while the ledger makes no block the index is written once in two seconds, with one statement', async () => {
  const database = await scratchDatabase()
  const chain = await TestChain.open(database.url)
  const client = new pg.Client({ connectionString: database.url, options: '-c search_path=ledger' })
  await client.connect()
  const config = configOf({ DATABASE_URL: database.url, LEDGER_URL: chain.url })
  vi.stubEnv('DB_URL', config.databaseUrl)
  await migrate({ ...config, readers: [] })
  const node = new Node(chain.url)
  const { height, hash } = await node.finalizedHead()
  await client.query(
    'INSERT INTO block (id, height, hash, time, spec_version) SELECT $1::text, $2::int, $3, now(), 1',
    [String(height), height, hash],
  )
  const follower = new FinalityFollower(node, client, () => height)
  const asked = vi.spyOn(client, 'query')
  const ended = new Promise((resolve) => follower.follow(() => undefined).catch(resolve))
  const statements = () => asked.mock.calls.map(([text]) => String(text).trim().split(' ')[0])
  const BEGINNING = ['BEGIN', 'LOCK', 'INSERT', 'COMMIT']
  const seen = async () => {
    const { rows } = await client.query('SELECT seen_at FROM finality')
    asked.mock.calls.pop()
    return rows[0]?.seen_at
  }
  await expect.poll(statements, { timeout: 60_000 }).toEqual(BEGINNING)
  const before = await seen()
  await expect.poll(statements, { timeout: 60_000 }).toEqual([...BEGINNING, 'UPDATE'])
  expect((await seen()) - before).toBeGreaterThanOrEqual(2000)
  await client.end()
  await ended
  await chain.close()
  await database.drop()
})
