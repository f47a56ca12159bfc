import type pg from 'pg'
import { Refusal } from '../refusal.js'
import { withClient } from './client.js'

/** The owner of each schema, and `system`: the role of the worker and of authentication. */
export const roomNames = ['chain', 'signer', 'ledger', 'api', 'system'] as const
export type RoomName = (typeof roomNames)[number]

export interface Rooms {
  /** The role that may change every schema, and runs the migrations. */
  migrationUrl: string
  urls: Record<RoomName, string>
  roleNames: Record<RoomName, string>
  /** False where the given role may not create roles: then all processes share it. */
  separate: boolean
}

/** The names and passwords of the login roles. */
export interface RoleNaming {
  name(room: RoomName): string
  password(room: RoomName): string
}

/**
 * Gives every process a login role of its own and makes the schemas that they own, so that a process cannot read what
 * is not its business. Can be repeated: it adds what is missing, and takes back what earlier versions gave.
 */
export function prepareRooms(migrationUrl: string, naming: RoleNaming): Promise<Rooms> {
  return withClient(migrationUrl, async (client) => {
    const { rows } = await client.query<{ name: string; may: boolean; database: string }>(
      'select current_user as name, (rolcreaterole or rolsuper) as may, current_database() as database from pg_roles where rolname = current_user',
    )
    const [owner] = rows
    if (!owner?.may) return shareOneRole(client, migrationUrl, owner?.name ?? '')
    const roleNames = mapRooms(naming.name)
    await requireOurs(client, roleNames.signer, owner.name)
    for (const room of roomNames) await prepareRole(client, roleNames[room], naming.password(room))
    const quotedDatabase = client.escapeIdentifier(owner.database)
    for (const room of roomNames) {
      const role = client.escapeIdentifier(roleNames[room])
      await client.query(`grant connect on database ${quotedDatabase} to ${role}`)
      // An index that is built anew stands beside the one in use; nobody else makes schemas.
      await client.query(
        room === 'ledger'
          ? `grant create on database ${quotedDatabase} to ${role}`
          : `revoke create on database ${quotedDatabase} from ${role}`,
      )
    }
    await closePublicSchema(client)
    for (const schema of ['chain', 'signer', 'ledger'] as const) await prepareSchema(client, schema, roleNames[schema])
    const urls = mapRooms((room) => urlOf(migrationUrl, roleNames[room], naming.password(room)))
    return { migrationUrl, urls, roleNames, separate: true }
  })
}

/** Before PostgreSQL 15 everybody may make tables in it, which could mislead another role. */
async function closePublicSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ open: boolean }>(
    `select exists (select from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'public' and a.grantee = 0
      and a.privilege_type = 'CREATE') as open`,
  )
  if (rows[0]?.open) await client.query('revoke create on schema public from public')
}

/** Returns the login URL of each role when all is prepared already: nothing of an installation that runs is changed. */
export function preparedUrls(migrationUrl: string, naming: RoleNaming): Promise<Record<RoomName, string>> {
  return withClient(migrationUrl, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [naming.name('api')])
    if (rowCount === 0) return mapRooms(() => migrationUrl)
    return mapRooms((room) => urlOf(migrationUrl, naming.name(room), naming.password(room)))
  })
}

/** The keys of one installation cannot open the data of another: two in one database would both be lost. */
async function requireOurs(client: pg.Client, ours: string, migrationRole: string): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    `select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = 'signer'`,
  )
  const [signer] = rows
  if (signer && signer.owner !== ours && signer.owner !== migrationRole)
    throw new Refusal(
      `The database of DATABASE_URL belongs to another installation of Accredit (its role is ${signer.owner}). Use a database of its own, or the folder that installation keeps its state in (--state).`,
    )
}

async function shareOneRole(client: pg.Client, url: string, role: string): Promise<Rooms> {
  for (const schema of ['chain', 'signer', 'ledger']) await client.query(`create schema if not exists ${schema}`)
  return { migrationUrl: url, urls: mapRooms(() => url), roleNames: mapRooms(() => role), separate: false }
}

async function prepareRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
  const verb = rowCount === 0 ? 'create' : 'alter'
  await client.query(`${verb} role ${client.escapeIdentifier(role)} login password ${client.escapeLiteral(password)}`)
  // PostgreSQL 16 and later: the creator of a role must be its member to give it a schema.
  await client.query(`grant ${client.escapeIdentifier(role)} to current_user`)
}

async function prepareSchema(client: pg.Client, schema: string, owner: string): Promise<void> {
  await client.query(`create schema if not exists ${schema} authorization ${client.escapeIdentifier(owner)}`)
  await client.query(`alter schema ${schema} owner to ${client.escapeIdentifier(owner)}`)
}

function urlOf(base: string, role: string, password: string): string {
  const url = new URL(base)
  url.username = role
  return withPassword(url.href, password)
}

/** Puts a password into a URL, whatever characters it has. */
export function withPassword(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl)
  url.password = encodeURIComponent(password)
  return url.href
}

function mapRooms<T>(of: (room: RoomName) => T): Record<RoomName, T> {
  return { chain: of('chain'), signer: of('signer'), ledger: of('ledger'), api: of('api'), system: of('system') }
}
