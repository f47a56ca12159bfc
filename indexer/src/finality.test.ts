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
  const follower = new FinalityFollower(node, client, () => height, 'instant')
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

test('the settled block is the newest one that is indexed with the hash that is final', async () => {
  const database = await scratchDatabase()
  const chain = await TestChain.open(database.url)
  await chain.createDid()
  const client = new pg.Client({ connectionString: database.url, options: '-c search_path=ledger' })
  await client.connect()
  const config = configOf({ DATABASE_URL: database.url, LEDGER_URL: chain.url })
  vi.stubEnv('DB_URL', config.databaseUrl)
  await migrate({ ...config, readers: [] })
  const node = new Node(chain.url)
  const head = await node.finalizedHead()
  const before = { height: head.height - 1, hash: await node.hashAt(head.height - 1) }
  let indexed = -1
  const index = async (height: number, hash: string | undefined) => {
    await client.query(
      'INSERT INTO block (id, height, hash, time, spec_version) VALUES ($1::text, $1::int, $2, now(), 1) ON CONFLICT (id) DO UPDATE SET hash = $2',
      [height, hash],
    )
    indexed = height
  }
  const known = async () =>
    (
      await client.query(`SELECT height, rule, settled_height AS settled, settled_hash AS hash,
        behind_since IS NOT NULL AS "isBehind" FROM finality`)
    ).rows[0]
  const patience = { timeout: 60_000 }
  const follower = new FinalityFollower(node, client, () => indexed, 'grandpa')
  const ended = new Promise((resolve) => follower.follow(() => undefined).catch(resolve))
  const heard = { height: head.height, rule: 'grandpa', isBehind: true }
  await expect.poll(known, patience).toEqual({ ...heard, settled: null, hash: null })
  await index(before.height, before.hash)
  await expect.poll(known, patience).toEqual({ ...heard, settled: before.height, hash: before.hash })
  await index(head.height, `0x${'f'.repeat(64)}`)
  const seen = async () =>
    (await client.query('SELECT seen_at AS at FROM finality WHERE seen_at > $1', [since])).rowCount
  let [{ since }] = (await client.query('SELECT now() AS since')).rows
  for (const _look of ['that was under way', 'that knows']) {
    await expect.poll(seen, patience).toBe(1)
    ;[{ since }] = (await client.query('SELECT now() AS since')).rows
  }
  expect(await known(), 'a block of another fork').toEqual({ ...heard, settled: before.height, hash: before.hash })
  await index(head.height, head.hash)
  await expect.poll(known, patience).toEqual({ ...heard, isBehind: false, settled: head.height, hash: head.hash })
  await client.end()
  await ended
  await chain.close()
  await database.drop()
})
