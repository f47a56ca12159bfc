import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { hex32Of } from '@accredit/chain'
import pg from 'pg'
import { expect, test } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database'
import { calls, TestChain } from './testing/chain'
import { IndexProcess, projections } from './testing/index-process'

const REBUILD = join(__dirname, '../lib/rebuild.js')
const registryId = hex32Of(new Uint8Array(32).fill(1))

test('an index with wrong rows is rebuilt from genesis beside itself, and what takes its place is right', async () => {
  const database = await scratchDatabase()
  const chain = await TestChain.open(database.url)
  const indexer = await IndexProcess.start(database.url, chain.url)
  const client = new pg.Client({ connectionString: database.url })
  try {
    const convener = await chain.createDid()
    const made = calls.trustRegistry.initOrUpdate({ registryId, name: 'One', govFramework: 'x' })
    await indexer.reaches(await chain.act(convener, made))
    await indexer.stop()
    const right = await projections(database.url)
    await client.connect()
    await client.query(`UPDATE ledger.trust_registry SET name = 'Another'`)
    await client.query('DELETE FROM ledger.did_key')

    const env = { ...process.env, SQD_FATAL: '*', DATABASE_URL: database.url, LEDGER_URL: chain.url }
    const [code] = await once(
      spawn(process.execPath, [REBUILD], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
      'exit',
    )
    expect(code).toBe(0)
    expect(await projections(database.url)).toEqual(right)
    const schemas = await client.query(`SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'ledger%'`)
    expect(schemas.rows).toEqual([{ name: 'ledger' }])
  } finally {
    await client.end()
    await indexer.stop()
    await chain.close()
    await database.drop()
  }
})

test('a rebuild fails with a message when its indexer dies before the swap', async () => {
  const database = await scratchDatabase()
  const chain = await TestChain.open(database.url)
  const indexer = await IndexProcess.start(database.url, chain.url)
  const client = new pg.Client({ connectionString: database.url })
  try {
    await indexer.stop()
    await client.connect()
    // The index in use is ahead of any that could be made.
    await client.query(`INSERT INTO ledger.block SELECT (jsonb_populate_record(b,
      '{"id": "ahead", "hash": "0x00", "height": 1000000}')).* FROM ledger.block b ORDER BY height DESC LIMIT 1`)
    const env = { ...process.env, SQD_FATAL: '*', DATABASE_URL: database.url, LEDGER_URL: chain.url }
    const rebuilding = spawn(process.execPath, [REBUILD], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const said = text(rebuilding.stderr)
    const ended = once(rebuilding, 'exit')
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'idle' AND query = 'ROLLBACK' AND pid <> pg_backend_pid()`
    await expect.poll(async () => (await client.query(waiting)).rowCount, { timeout: 120_000 }).toBe(1)
    const children = readFileSync(`/proc/${rebuilding.pid}/task/${rebuilding.pid}/children`, 'utf8')
    process.kill(Number(children.trim()), 'SIGKILL')
    expect(await ended).toEqual([1, null])
    expect(await said).toContain('The index was not rebuilt: the indexer ended')
  } finally {
    await client.end()
    await indexer.stop()
    await chain.close()
    await database.drop()
  }
})

test('the reason why a new index cannot be made is on standard error', async () => {
  const database = await scratchDatabase()
  try {
    const settings = {
      DATABASE_URL: database.url,
      LEDGER_URL: 'ws://127.0.0.1:1',
      INDEX_READERS: 'nobody_of_this_name',
    }
    const rebuilding = spawn(process.execPath, [REBUILD], { env: { ...process.env, ...settings } })
    let said = ''
    rebuilding.stderr.on('data', (text) => {
      said += String(text)
    })
    const [code] = await once(rebuilding, 'close')
    expect(code).toBe(1)
    expect(said).toMatch(/role \\?"nobody_of_this_name\\?" does not exist/)
    expect(said).toContain('The index was not rebuilt')
  } finally {
    await database.drop()
  }
})
