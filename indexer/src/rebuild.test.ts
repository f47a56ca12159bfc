import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
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
