import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { withClient } from '../start/database/client.js'
import { requireDatabase } from '../start/database/database-failure.js'
import { messageOf } from '../start/refusal.js'
import { type Finding, fault, notChecked, ok, warning } from './finding.js'
import type { Place } from './place.js'

const OLDEST_POSTGRES = 140_000
const SKEW_MS = 2_000
const LAG_BLOCKS = 50

/** Looks at the database as its owner, and lets every role log in. */
export async function checkDatabase({
  databases,
  projectRoot,
}: Pick<Place, 'databases' | 'projectRoot'>): Promise<Finding[]> {
  const { owner, ...roles } = databases
  if (owner === undefined) return [notChecked('database', 'No database is named.')]
  try {
    await requireDatabase(owner)
  } catch (error) {
    return [fault('database', messageOf(error), 'Start PostgreSQL, or correct DATABASE_URL; its own log tells more.')]
  }
  const logins = await Promise.all(Object.entries(roles).map(([room, url]) => checkLogin(room, url)))
  return [...(await withClient(owner, (client) => questions(client, projectRoot))), ...logins.flat()]
}

/** The rooms whose roles write the journal of erasures. */
const WRITERS = ['api', 'system']

async function checkLogin(room: string, url: string): Promise<Finding[]> {
  try {
    await requireDatabase(url)
    return [
      ok('role', `The role of ${room} gets in.`),
      ...(WRITERS.includes(room) ? await checkHistory(room, url) : []),
    ]
  } catch (error) {
    return [
      fault('role', messageOf(error), 'Start Accredit again: each start sets the roles and their passwords anew.'),
    ]
  }
}

/** Functions by which a line of the journal of erasures names its database and its transaction. */
const ASKED = ['pg_control_system()', 'pg_current_wal_lsn()', 'pg_walfile_name(pg_lsn)']

/** Warns where the database does not tell a role which one it is. */
function checkHistory(room: string, url: string): Promise<Finding[]> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ role: string; withheld: string }>(
      `select quote_ident(current_user) as role, string_agg(asked, ', ') as withheld
      from unnest($1::text[]) as t (asked) where not has_function_privilege(asked, 'execute') group by 1`,
      [ASKED],
    )
    return rows.map(({ role, withheld }) =>
      warning(
        'journal',
        `The role of ${room} may not ask which database it is in: an erasure that failed after its line in the journal is carried out at the next start.`,
        `As a superuser: GRANT EXECUTE ON FUNCTION ${withheld} TO ${role};`,
      ),
    )
  })
}

async function questions(client: pg.Client, projectRoot: string): Promise<Finding[]> {
  const before = Date.now()
  const { rows } = await client.query<{ version: number; now: Date; used: number; most: number }>(
    `select current_setting('server_version_num')::int as version, clock_timestamp() as now,
      (select count(*)::int from pg_stat_activity) as used, current_setting('max_connections')::int as most`,
  )
  const after = Date.now()
  const [server] = rows
  if (!server) return []
  return [
    server.version >= OLDEST_POSTGRES
      ? ok('database', `PostgreSQL ${Math.floor(server.version / 10_000)} answers.`)
      : fault(
          'database',
          `PostgreSQL ${Math.floor(server.version / 10_000)} is too old.`,
          'Use PostgreSQL 14 or later.',
        ),
    checkConnections(server.used, server.most),
    checkClock(server.now.getTime(), before, after),
    await checkMigrations(client, projectRoot),
    ...(await checkLedger(client)),
  ]
}

function checkConnections(used: number, most: number): Finding {
  const says = `${used} of ${most} connections are in use.`
  if (used < most * 0.9) return ok('connections', says)
  return warning('connections', says, 'Raise max_connections, or lower DATABASE_POOL times the number of replicas.')
}

/** Two clocks agree when the server's lies between what ours said before and after. */
export function checkClock(theirs: number, before: number, after: number): Finding {
  const skew = theirs < before ? before - theirs : Math.max(0, theirs - after)
  if (skew <= SKEW_MS) return ok('clock', "The clocks of this machine and of the database's agree.")
  return fault(
    'clock',
    `The clocks of this machine and of the database's differ by ${Math.round(skew / 1000)} s.`,
    'Let both follow a time server (chrony, systemd-timesyncd): proofs and authorisations carry times.',
  )
}

async function checkMigrations(client: pg.Client, projectRoot: string): Promise<Finding> {
  const folder = join(projectRoot, 'api', 'migrations')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'))
  const { rows: there } = await client.query<{ is: boolean }>(
    `select to_regclass('service.migrations') is not null as is`,
  )
  if (!there[0]?.is)
    return fault('migrations', 'The database has no tables of the service.', 'Start Accredit, which makes them.')
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from service.migrations',
  )
  const unknown = rows.filter(({ name }) => !files.includes(name)).map(({ name }) => name)
  if (unknown.length > 0)
    return fault(
      'migrations',
      `The database is of a newer version: it has ${unknown.join(', ')}.`,
      'Use that version, or restore the copy from before the upgrade.',
    )
  for (const { name, checksum } of rows)
    if (
      createHash('sha256')
        .update(await readFile(join(folder, name)))
        .digest('hex') !== checksum
    )
      return fault(
        'migrations',
        `${name} is not the file that this database ran.`,
        'Bring the file back: git checkout api/migrations.',
      )
  const pending = files.length - rows.length
  if (pending > 0)
    return warning('migrations', `${pending} migrations have not run yet.`, 'Start Accredit, which runs them.')
  return ok('migrations', 'Every migration has run.')
}

interface Heights {
  chain: number | null
  index: number | null
  signer: number | null
  newest: Date | null
  now: Date
}

/** Compares how far the embedded ledger is with those who follow it. */
async function checkLedger(client: pg.Client): Promise<Finding[]> {
  const { rows: tables } = await client.query<{ all: boolean }>(
    `select to_regclass('chain.blocks') is not null and to_regclass('ledger.block') is not null
      and to_regclass('signer.ledger') is not null as all`,
  )
  if (!tables[0]?.all) return [notChecked('ledger', 'There is no embedded ledger in this database.')]
  const { rows } = await client.query<Heights>(
    `select (select max(number) from chain.blocks) as chain, (select max(height) from ledger.block) as index,
      (select max(height)::int from signer.ledger) as signer, (select max(time) from ledger.block) as newest, clock_timestamp() as now`,
  )
  const [heights] = rows
  if (!heights || heights.chain === null) return [notChecked('ledger', 'The embedded ledger has no block yet.')]
  return [...follows(heights, heights.chain), ...turnedBack(heights)]
}

function follows({ index, signer }: Heights, chain: number): Finding[] {
  return Object.entries({ index, signer }).map(([who, height]) => {
    const says = `The ledger is at block ${chain}, and the ${who} at ${height ?? 'none'}.`
    if ((height ?? 0) > chain)
      return fault(
        who,
        says,
        `The ledger's tables are older than the ${who}'s: restore all of one copy (npm run restore).`,
      )
    if (chain - (height ?? 0) > LAG_BLOCKS)
      return fault(
        who,
        says,
        `See the log of the ${who === 'index' ? 'indexer' : who} (it says what it waits for); npm run rebuild -w indexer builds an index anew.`,
      )
    return ok(who, says)
  })
}

function turnedBack({ newest, now }: Heights): Finding[] {
  if (newest === null || newest.getTime() <= now.getTime() + SKEW_MS) return []
  return [
    fault(
      'clock',
      `The newest block is of ${newest.toISOString()}, which is still to come.`,
      'Set the clock right: it was turned back, and nothing that is signed now is valid yet.',
    ),
  ]
}
