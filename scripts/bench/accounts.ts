import pg from 'pg'
import type { Stack } from '../start/stack.js'
import type { Client } from '../tour/client.js'
import { measureBilling } from './billing.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

interface Accounts {
  stack: Stack
  client: Client
  meter: ProcessorMeter
  print(measured: Measured): void
}

const ROWS = 100_000
const PAGES = 500

/** Measures reads of a team that has 100,000 audit rows and 100,000 credentials, and what plans cost. */
export async function measureAccounts({ stack, client, meter, print }: Accounts): Promise<void> {
  const team = await fill(stack.databaseUrl)
  let cursor: string | null = null
  const page = async () => {
    const query: string = cursor === null ? '' : `?cursor=${cursor}`
    const { next } = await client.call<{ next: string | null }>('GET', `/teams/${team}/audit${query}`)
    cursor = next
  }
  await measure('warm-up', 50, 1, page)
  print((await measure(`Pages of ${ROWS} audit rows, one after the other`, PAGES, 1, page, meter)).measured)
  const profile = () => client.call('GET', '/data/profile')
  await measure('warm-up', 500, 8, profile)
  print((await measure('Own profile read: a key check, and one row', 10_000, 8, profile, meter)).measured)
  print(
    (await measure('Numbers of a team (GET /data/stats)', 100, 1, () => client.call('GET', '/data/stats'), meter))
      .measured,
  )
  await measureBilling({ databaseUrl: stack.databaseUrl, team, meter, print })
  let bytes = 0
  const whole = async () => {
    const answer = await fetch(`${stack.apiUrl}/data/export`, { headers: { 'svc-api-token': stack.apiKey } })
    if (!answer.ok || answer.body === null) throw new Error(`no export: ${answer.status}`)
    for await (const chunk of answer.body) bytes += chunk.byteLength
  }
  const { measured } = await measure('', 1, 1, whole, meter)
  print({ ...measured, title: `Export of ${ROWS} credentials and as many audit rows (${Math.round(bytes / 1e6)} MB)` })
}

/** The rows are written into the database itself: over REST they would take longer than all the measurements. */
async function fill(databaseUrl: string): Promise<number> {
  const database = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=service' })
  await database.connect()
  try {
    await database.query(`select set_config('accredit.scope', 'system', false)`)
    const { rows } = await database.query<{ id: string }>('select min(id) as id from teams')
    const team = Number(rows[0]?.id)
    await database.query(
      `insert into audit (team_id, at, actor, action, subject, address)
       select $1, now() - ($2::int - n) * interval '1 second', 'key:1', 'createProfile', 'thing ' || n, '203.0.113.9'
       from generate_series(1, $2::int) n`,
      [team, ROWS],
    )
    await database.query(
      `insert into credentials (team_id, id, issuer, issuer_key, issuer_name, type, subject_ref, algorithm, issuance_date, byte_size, created)
       select $1, 'urn:bench:export:' || n, 'did:example:issuer', 'did:example:issuer#keys-1', 'University', 'Degree',
         'did:example:' || md5(n::text), 'ed25519', now(), 1000, now() from generate_series(1, $2::int) n`,
      [team, ROWS],
    )
    await database.query('analyze audit, credentials')
    return team
  } finally {
    await database.end()
  }
}
