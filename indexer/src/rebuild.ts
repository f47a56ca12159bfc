// Builds the index anew, from genesis, beside the one in use, and puts it in its place: `npm run rebuild -w indexer`
// (which finds the installation that runs here), or this file by itself with the settings of the indexer. The indexer
// may run meanwhile, and readers always find an index; it needs the right to make schemas in the database. An indexer
// that does not agree with what it finds afterwards starts again there.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { secretsFrom } from '@accredit/process/secret-files'
import { Client } from 'pg'
import { configOf, LEDGER_SCHEMA } from './config'
import { SCHEMA_LOCK } from './migrate'

const NEXT = 'ledger_next'
const BEFORE = 'ledger_before'

async function rebuild(): Promise<void> {
  const client = new Client({ connectionString: configOf(secretsFrom(process.env)).databaseUrl })
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS ${NEXT} CASCADE`)
  const indexer = spawn(process.execPath, [join(__dirname, 'main.js')], {
    env: { ...process.env, INDEX_SCHEMA: NEXT, ACCREDIT_SUPERVISED: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<never>((_, reject) =>
    indexer.once('exit', () => reject(new Error('the indexer ended before its index took its place'))),
  )
  try {
    await Promise.race([ready(indexer), ended])
    await client.query('LISTEN ledger_block')
    let height: number | undefined
    while (height === undefined) {
      const notice = once(client, 'notification')
      height = await swap(client)
      if (height === undefined) await Promise.race([notice, ended])
    }
    process.stdout.write(`${JSON.stringify({ rebuilt: 'index', height })}\n`)
  } finally {
    indexer.kill()
    await client.query(`DROP SCHEMA IF EXISTS ${BEFORE} CASCADE`)
    await client.end()
  }
}

/** @returns the height of the new index, or nothing when the one in use is ahead: readers never see less than before */
async function swap(client: Client): Promise<number | undefined> {
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock($1)', [SCHEMA_LOCK])
  await client.query(`LOCK TABLE ${LEDGER_SCHEMA}.status, ${NEXT}.status IN ACCESS EXCLUSIVE MODE`)
  const { rows } = await client.query<{ used: number; next: number }>(
    `SELECT (SELECT max(height) FROM ${LEDGER_SCHEMA}.block) AS used, (SELECT max(height) FROM ${NEXT}.block) AS next`,
  )
  const [{ used, next } = { used: 0, next: 0 }] = rows
  if (next < used) {
    await client.query('ROLLBACK')
    return undefined
  }
  await client.query(`ALTER SCHEMA ${LEDGER_SCHEMA} RENAME TO ${BEFORE}`)
  await client.query(`ALTER SCHEMA ${NEXT} RENAME TO ${LEDGER_SCHEMA}`)
  await client.query('COMMIT')
  return next
}

/**
 * Resolves when the indexer is ready. Its other lines, then and later, go to standard error: this program's own output
 * only tells its result.
 */
function ready({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('the indexer says nothing')
  return new Promise((resolve, reject) => {
    createInterface(stdout)
      .on('line', (line) => (line.startsWith('{"ready":') ? resolve() : process.stderr.write(`${line}\n`)))
      .on('close', () => reject(new Error('the indexer ended before it reached the head')))
  })
}

rebuild().catch((cause: unknown) => {
  process.stderr.write(`The index was not rebuilt: ${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exitCode = 1
})
