// Measures how fast the index catches up, from genesis to the head of a chain that is there:
//   DATABASE_URL=postgres://... BENCH_BLOCKS=3000 node indexer/bench/main.mjs
// The chain is made in that database at the first run (20 blocks a second) and found there afterwards; the index has a
// database of its own, which goes. BENCH_PROFILE=<folder> leaves CPU profiles of indexer and ledger there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { makeChain } from './chain.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BLOCKS = Number(process.env.BENCH_BLOCKS ?? 3_000)
/** The first blocks are slower: code is cold, the types of the runtime are parsed. */
const COLD_SHARE = 0.1

async function main(databaseUrl) {
  const keyFile = join(tmpdir(), `accredit-bench-${new URL(databaseUrl).pathname.slice(1)}.json`)
  await makeChain(databaseUrl, keyFile, BLOCKS)
  const indexName = `${new URL(databaseUrl).pathname.slice(1)}_index`
  const indexUrl = Object.assign(new URL(databaseUrl), { pathname: `/${indexName}` }).href
  const client = await connect(databaseUrl)
  await client.query(`DROP DATABASE IF EXISTS ${indexName} WITH (FORCE)`)
  await client.query(`CREATE DATABASE ${indexName}`)
  const ledger = start('chain/embedded/dist/main.js', { DATABASE_URL: databaseUrl, LEDGER_KEY_FILE: keyFile })
  let indexer
  try {
    const { url } = await ready(ledger)
    indexer = start('indexer/lib/main.js', { DATABASE_URL: indexUrl, LEDGER_URL: url })
    await measure({ ledger, indexer, client, databaseUrl, indexUrl })
  } finally {
    await stop(indexer)
    await stop(ledger)
    await client.query(`DROP DATABASE IF EXISTS ${indexName} WITH (FORCE)`)
    await client.end()
  }
}

async function measure({ ledger, indexer, client, databaseUrl, indexUrl }) {
  const begun = performance.now()
  const isReady = ready(indexer)
  const index = await connectWhenMigrated(indexUrl)
  await index.query('LISTEN ledger_block')
  const first = await reached(index, BLOCKS * COLD_SHARE)
  const before = { at: performance.now(), cpu: await cpu({ ledger, indexer, client, databaseUrl, indexUrl }) }
  const last = await reached(index, BLOCKS - 20)
  const after = { at: performance.now(), cpu: await cpu({ ledger, indexer, client, databaseUrl, indexUrl }) }
  await isReady
  const total = (performance.now() - begun) / 1000
  const seconds = (after.at - before.at) / 1000
  const { rows } = await index.query(
    'SELECT count(*)::int AS count FROM ledger.event WHERE block > $1 AND block <= $2',
    [first, last],
  )
  const batches = await index.query('SELECT nonce FROM ledger.status')
  await index.end()
  const perThousand = (name) => `${(((after.cpu[name] - before.cpu[name]) / (last - first)) * 1000).toFixed(2)} s`
  console.log(`${BLOCKS} blocks, ${availableParallelism()} cores; process start to ready ${total.toFixed(1)} s`)
  console.log(`blocks a second   ${((last - first) / seconds).toFixed(0)}`)
  console.log(
    `events a second   ${(rows[0].count / seconds).toFixed(0)} (${(rows[0].count / (last - first)).toFixed(1)} a block)`,
  )
  console.log(`transactions      ${batches.rows[0].nonce}`)
  for (const name of ['indexer', 'ledger', 'postgres'])
    console.log(`CPU of 1,000 blocks, ${name}: ${perThousand(name)}`)
}

/** Resolves with the height of the first notice at or beyond `height`. */
async function reached(client, height) {
  const { rows } = await client.query('SELECT coalesce(max(height), 0) AS height FROM ledger.block')
  if (rows[0].height >= height) return rows[0].height
  for (;;) {
    const [{ payload }] = await once(client, 'notification')
    if (Number(payload) >= height) return Number(payload)
  }
}

/**
 * Returns the CPU seconds so far. Postgres counts with the connections of the two databases, and not with other users
 * of the server.
 */
async function cpu({ ledger, indexer, client, databaseUrl, indexUrl }) {
  const names = [databaseUrl, indexUrl].map((url) => new URL(url).pathname.slice(1))
  const { rows } = await client.query('SELECT pid FROM pg_stat_activity WHERE datname = ANY($1)', [names])
  const postgres = rows.reduce((sum, { pid }) => sum + cpuOf(pid), 0)
  return { ledger: cpuOf(ledger.pid), indexer: cpuOf(indexer.pid), postgres }
}

/** Returns user and system time of a process (proc(5): fields 14 and 15, in hundredths of a second). */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function connectWhenMigrated(url) {
  for (;;) {
    const client = await connect(url)
    const { rows } = await client.query(`SELECT to_regclass('ledger.hot_block') AS made`)
    if (rows[0].made !== null) return client
    await client.end()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function connect(connectionString) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

function start(script, env) {
  const profile = process.env.BENCH_PROFILE
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []
  return spawn(process.execPath, [...flags, join(ROOT, script)], {
    env: { ...process.env, ...env, SQD_FATAL: '*' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function ready(child) {
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('"ready":"')) return JSON.parse(line)
  }
  throw new Error('the process ended before it was ready')
}

async function stop(child) {
  if (child === undefined || child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

const { DATABASE_URL } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is not set: it names the database of the chain')
await main(DATABASE_URL)
process.exit(0)
