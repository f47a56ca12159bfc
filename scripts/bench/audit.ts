import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { didSvc, hex32Of } from '@accredit/chain'
import pg from 'pg'
import type { Stack } from '../start/stack.js'
import { type Client, connect } from '../tour/client.js'
import { didToFinal } from './dids.js'
import { load } from './load.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

const PARTICIPANTS = 10_000
const EVENTS = 100_000
/** The least number of blocks that the events are spread over. */
const BLOCKS = 300
const SECONDS = 10
/** The different questions about the past that many verifiers ask. */
const ASKED_AGAIN = 5_000

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
  await makeBlocks(connect(apiUrl, apiKey), databaseUrl, BLOCKS)
  const last = await fill(databaseUrl, projectRoot)
  const authorization = (n: number, at = '') => {
    const who = (n * 7919) % PARTICIPANTS
    const role = n % 3 === 0 ? 'verifier' : 'issuer'
    return `/trust-registries/${registry}/authorization?did=${dids[who]}&schema=${schemaOf(who)}&role=${role}${at}`
  }
  const past = (n: number) => authorization(n, `&at=${(n * 31) % last}`)
  const pastAgain = (n: number) => past(n % ASKED_AGAIN)
  const history = (n: number) => `/trust-registries/${registry}/history?limit=20&order=${n % 2 === 0 ? 'asc' : 'desc'}`
  const run = ({ title, pathOf, width, wanted }: Kind, rate?: number) =>
    load({ title, wanted, apiUrl, pathOf, seconds: SECONDS, width, meter, ...(rate !== undefined && { rate }) })
  const kinds: Kind[] = [
    { title: 'Authorisation now', pathOf: authorization, width: 48, half: 1_500, wanted: '8,000/s' },
    { title: 'Authorisation in the past', pathOf: pastAgain, width: 48, half: 1_500, wanted: '8,000/s' },
    { title: 'Authorisation in the past, each question once', pathOf: past, width: 48, half: 750 },
    // The number of requests of one address that may run at once.
    { title: 'Page of a history', pathOf: history, width: 8, half: 250 },
  ]
  for (const kind of kinds) {
    if (kind.wanted) await run(kind)
    print(await run(kind))
    print(await run({ ...kind, title: `${kind.title}, at ${kind.half} a second`, wanted: undefined }, kind.half))
  }
  print(await unchanged(apiUrl, authorization(1), meter))
}

interface Kind {
  title: string
  pathOf(n: number): string
  width: number
  /** The requests a second of a second measurement, which tells how long one takes where there is room. */
  half: number
  wanted?: string | undefined
}

/** The present answer, to readers who hold it already. */
async function unchanged(apiUrl: string, path: string, meter: ProcessorMeter): Promise<Measured> {
  const tag = (await fetch(apiUrl + path)).headers.get('etag')
  const headers = `If-None-Match: ${tag}\r\n`
  const title = 'Authorisation now, to a reader who has it (304)'
  const asked = { apiUrl, pathOf: () => path, seconds: SECONDS, width: 48, meter, headers, status: 304 as const }
  return load({ ...asked, title, wanted: '8,000/s' })
}

/** A new ledger has no DIDs: each of these is in a block of its own, or shares it with one or two. */
export async function makeBlocks(client: Client, databaseUrl: string, blocks: number): Promise<void> {
  const index = new pg.Client({ connectionString: databaseUrl })
  await index.connect()
  try {
    for (;;) {
      const { rows } = await index.query<{ last: number }>('select max(height) as last from ledger.block')
      if ((rows[0]?.last ?? 0) >= blocks) return
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
