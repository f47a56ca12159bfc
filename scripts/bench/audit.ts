import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { didSvc, hex32Of } from '@accredit/chain'
import pg from 'pg'
import type { Stack } from '../start/stack.js'
import { type Client, connect } from '../tour/client.js'
import { didToFinal } from './did-to-final.js'
import { load } from './load.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

const PARTICIPANTS = 10_000
const EVENTS = 100_000
/** The least number of blocks that the events are spread over. */
const BLOCKS = 300
const SECONDS = 10

const dids = Array.from({ length: PARTICIPANTS }, (_, n) =>
  didSvc(hex32Of(Uint8Array.from({ length: 32 }, (_, i) => (i < 2 ? (n >> (8 * i)) & 255 : 7)))),
)
const registry = hex32Of(new Uint8Array(32).fill(0xfa))
const schemaOf = (n: number) => hex32Of(new Uint8Array(32).fill((n % 5) + 1, 31))

/** Questions about a registry of 10,000 participants and 100,000 events. */
export async function measureAudit(
  { apiUrl, apiKey, databaseUrl }: Stack,
  projectRoot: string,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  await makeBlocks(connect(apiUrl, apiKey), databaseUrl)
  const last = await fill(databaseUrl, projectRoot)
  const authorization = (n: number, at = '') => {
    const who = (n * 7919) % PARTICIPANTS
    const role = n % 3 === 0 ? 'verifier' : 'issuer'
    return `/trust-registries/${registry}/authorization?did=${dids[who]}&schema=${schemaOf(who)}&role=${role}${at}`
  }
  const past = (n: number) => authorization(n, `&at=${(n * 31) % last}`)
  const history = (n: number) => `/trust-registries/${registry}/history?limit=20&order=${n % 2 === 0 ? 'asc' : 'desc'}`
  const run = (title: string, pathOf: (n: number) => string, width: number, rate?: number) =>
    load({ title, apiUrl, pathOf, seconds: SECONDS, width, meter, ...(rate !== undefined && { rate }) })
  await run('warm-up', authorization, 32)
  const kinds = [
    { title: 'Authorisation now', pathOf: authorization, width: 48, half: 1_500 },
    { title: 'Authorisation in the past', pathOf: past, width: 48, half: 750 },
    // The number of requests of one address that may run at once.
    { title: 'Page of a history', pathOf: history, width: 8, half: 250 },
  ]
  for (const { title, pathOf, width, half } of kinds) {
    print(await run(title, pathOf, width))
    print(await run(`${title}, at ${half} a second`, pathOf, width, half))
  }
}

/** A new ledger has no DIDs: each of these is in a block of its own, or shares it with one or two. */
async function makeBlocks(client: Client, databaseUrl: string): Promise<void> {
  const index = new pg.Client({ connectionString: databaseUrl })
  await index.connect()
  try {
    for (;;) {
      const { rows } = await index.query<{ last: number }>('select max(height) as last from ledger.block')
      if ((rows[0]?.last ?? 0) >= BLOCKS) return
      await measure('blocks', 60, 3, () => didToFinal(client))
    }
  } finally {
    await index.end()
  }
}

/** The rows are written into the index itself: over the ledger they would take longer than all the measurements. */
async function fill(databaseUrl: string, projectRoot: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=ledger' })
  await client.connect()
  try {
    await client.query(`select set_config('fill.events', $1, false)`, [String(EVENTS)])
    await client.query('create temporary table filling (n int, did text)')
    await client.query('insert into filling select i - 1, did from unnest($1::text[]) with ordinality as u (did, i)', [
      dids,
    ])
    await client.query(await readFile(join(projectRoot, 'api/src/ledger/testing/large-index.sql'), 'utf8'))
    const { rows } = await client.query<{ last: number }>('select max(height) as last from block')
    return rows[0]?.last ?? 0
  } finally {
    await client.end()
  }
}
