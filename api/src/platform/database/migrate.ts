import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../migrations', import.meta.url))

export interface MigrateOptions {
  /** The role that owns the tables. */
  migrationUrl: string
  /** The role bound by row-level security. */
  tenantUrl: string
  /** The role of authentication and the worker. */
  systemUrl: string
  folder?: string
  /** The names of the only migrations that are applied: the tables become as a version had them that knew no others. */
  only?: ReadonlySet<string>
  warn?: (message: string) => void
}

/** The number of an advisory lock that no other program takes in our database. */
const LOCK = 7_302_101

/**
 * Brings the schema up to date, then gives the roles what they may do. Safe to run twice, and by two processes at once.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const client = new pg.Client({ connectionString: options.migrationUrl, application_name: 'accredit-migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const applied = await applyAll(client, options)
    await bindRoles(client, options)
    return applied
  } finally {
    await client.end()
  }
}

async function applyAll(
  client: pg.Client,
  { folder = MIGRATIONS_FOLDER, only }: Pick<MigrateOptions, 'folder' | 'only'>,
): Promise<string[]> {
  await client.query(`create schema if not exists service;
    create table if not exists service.migrations (name text primary key, checksum text not null, applied timestamptz not null default now())`)
  const known = await client.query<{ name: string; checksum: string }>('select name, checksum from service.migrations')
  const checksums = new Map(known.rows.map((row) => [row.name, row.checksum]))
  const all = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort()
  const missing = [...(only ?? [])].filter((name) => !all.includes(name))
  if (missing.length > 0) throw new Error(`this version has no migration ${missing.join(', ')}`)
  const files = only === undefined ? all : all.filter((name) => only.has(name))
  const applied: string[] = []
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    const before = checksums.get(name)
    if (before === checksum) continue
    if (before !== undefined)
      throw new Error(`migration ${name} was changed after it was applied: add a new one instead`)
    await applyOne(client, name, text, checksum)
    applied.push(name)
  }
  return applied
}

async function applyOne(client: pg.Client, name: string, text: string, checksum: string): Promise<void> {
  await client.query('begin')
  try {
    await client.query("set local search_path = service, pg_temp; set local accredit.scope = 'system'")
    await client.query(text)
    await client.query('insert into service.migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

async function bindRoles(
  client: pg.Client,
  { tenantUrl, systemUrl, warn = () => undefined }: MigrateOptions,
): Promise<void> {
  const { rows } = await client.query<{ name: string; super: boolean }>(
    'select current_user as name, rolsuper as super from pg_roles where rolname = current_user',
  )
  const owner = rows[0]?.name ?? ''
  const tenant = await ensureRole(client, tenantUrl, owner)
  const system = await ensureRole(client, systemUrl, owner)
  if (tenant === system)
    warn(`everything runs as database role ${tenant}: tenants are separated by policy only, not by role`)
  if (tenant === owner && rows[0]?.super)
    warn(
      `database role ${tenant} is a superuser, whom row-level security does not bind: give the service a role of its own`,
    )

  await client.query('begin')
  await client.query(isSystemFunction(owner, tenant, system))
  for (const role of new Set([tenant, system])) {
    if (role === owner) continue
    const name = client.escapeIdentifier(role)
    await client.query(`grant usage on schema service to ${name};
      grant select, insert, update, delete on all tables in schema service to ${name};
      revoke all on service.migrations from ${name};
      grant usage on all sequences in schema service to ${name};
      grant execute on all functions in schema service to ${name}`)
  }
  await client.query('commit')
}

/** With roles of their own, the role identifies the system. With a single role, the transaction's setting does. */
function isSystemFunction(owner: string, tenant: string, system: string): string {
  const byRole = `current_user in (${pg.escapeLiteral(owner)}, ${pg.escapeLiteral(system)})`
  const bySetting = "current_setting('accredit.scope', true) = 'system'"
  const body = tenant === system || tenant === owner ? bySetting : byRole
  return `create or replace function service.is_system() returns boolean language sql stable as $body$ select ${body} $body$`
}

async function ensureRole(client: pg.Client, url: string, owner: string): Promise<string> {
  const { username, password } = new URL(url)
  const role = decodeURIComponent(username) || owner
  const exists = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (exists.rowCount === 0) {
    const secret = pg.escapeLiteral(decodeURIComponent(password))
    await client.query(`create role ${client.escapeIdentifier(role)} login nosuperuser nobypassrls password ${secret}`)
  }
  return role
}
