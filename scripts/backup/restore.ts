import { constants } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { withClient } from '../start/database/client.js'
import { requireDatabase } from '../start/database/database-failure.js'
import { prepareRooms, type RoleNaming, type Rooms } from '../start/database/roles.js'
import { runToEnd } from '../start/processes/run-to-end.js'
import { codeOf, messageOf, Refusal } from '../start/refusal.js'
import { keyPath, type Manifest, type Room, readManifest, SCHEMAS, verifyFiles } from './archive.js'
import { isSignerAlone, requireFitting, type Shape } from './rooms.js'
import { softwareVersion } from './software-version.js'
import { copyIn, nameOf, tablesOf } from './tables.js'

export interface Copy {
  folder: string
  /** The key files, when they were kept apart from the rest. */
  keysFolder: string
  manifest: Manifest
}

export interface Target {
  projectRoot: string
  databaseUrl: string
  naming: RoleNaming
  environment: string
  shape: Shape
  /** The place of each key file, by its name in the copy. Names that are not here are left in the copy. */
  keyFiles: Readonly<Record<string, string>>
  /** The settings of the API's commands and of the signer's, but for their databases. */
  settings: Record<string, string>
}

export interface Later {
  /** True where nothing was written after the copy was made: lists go on where they were. */
  isComplete: boolean
}

/** Reads a copy and compares all of it with its checksums, before anything is written. */
export async function openCopy(
  folder: string,
  keysFolder: string,
  { projectRoot, environment }: Pick<Target, 'projectRoot' | 'environment'>,
): Promise<Copy> {
  const manifest = await readManifest(folder)
  const own = await softwareVersion(projectRoot)
  if (manifest.runtime > own.runtime || isNewer(manifest.version, own.version))
    throw new Refusal(
      `${folder} was made by a newer version of Accredit (${manifest.version}, ledger runtime ${manifest.runtime}) than this one (${own.version}, ${own.runtime}). Restore it with that version or a later one.`,
    )
  if (manifest.environment !== environment)
    throw new Refusal(
      `${folder} is a copy of environment ${manifest.environment}, and this is ${environment}: use --env ${manifest.environment}.`,
    )
  await verifyFiles(folder, keysFolder, manifest)
  return { folder, keysFolder, manifest }
}

function isNewer(version: string, than: string): boolean {
  const numbers = (text: string): number[] => text.split('.').map(Number)
  const [left, right] = [numbers(version), numbers(than)]
  const place = left.findIndex((number, index) => number !== (right[index] ?? 0))
  return place >= 0 && (left[place] ?? 0) > (right[place] ?? 0)
}

/** Refuses a database that holds anything of an installation: a copy never overwrites. */
export async function requireEmptyDatabase(databaseUrl: string): Promise<void> {
  await requireDatabase(databaseUrl)
  await withClient(databaseUrl, async (client) => {
    const [table] = await tablesOf(client)
    if (table)
      throw new Refusal(
        `The database holds an installation already (${table.schema}.${table.name}): a copy is restored into an empty one, never over another.`,
      )
    await requireLoader(client)
  })
}

/** Rows come in the order of their tables: while they do, references between them cannot be checked. */
async function requireLoader(client: pg.Client): Promise<void> {
  try {
    await client.query('begin; set local session_replication_role = replica; rollback')
  } catch (error) {
    await client.query('rollback')
    const { rows } = await client.query<{ name: string }>('select current_user as name')
    throw new Refusal(
      `The role ${rows[0]?.name} may not load a copy (${codeOf(error)}): it has to be a superuser, or a superuser says "grant set on parameter session_replication_role to ${rows[0]?.name}".`,
    )
  }
}

/**
 * Fills an empty database from a copy: the tables of its rooms as their migrations made them, the rows, the later
 * migrations, and what must not come back. Returns sentences for the person who restores.
 */
export async function restore(copy: Copy, target: Target, later: Later): Promise<string[]> {
  const held = copy.manifest.rooms ?? [...SCHEMAS]
  requireFitting(held, target.shape)
  const rooms = await prepareRooms(target.databaseUrl, target.naming)
  await placeKeys(copy, target.keyFiles)
  await makeTables(copy, held, target, rooms)
  const told = await load(copy, target.databaseUrl)
  if (isSignerAlone(held)) return [...told, 'It is a signer alone: the host of its product has a copy of its own.']
  const api = apiSettings(target, rooms)
  await runToEnd(target, 'api/dist/migrate.js', [], api)
  const options = later.isComplete ? ['--complete'] : []
  const { sentences } = await runToEnd(target, 'api/dist/after-restore.js', options, api)
  return [...told, ...(Array.isArray(sentences) ? sentences.map(String) : [])]
}

async function placeKeys({ keysFolder, manifest }: Copy, places: Target['keyFiles']): Promise<void> {
  for (const key of manifest.keys) {
    const place = places[key.path.replace(/^keys\//, '')]
    if (place === undefined) continue
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    await copyFile(keyPath(keysFolder, key), place, constants.COPYFILE_EXCL)
  }
}

const apiSettings = ({ settings }: Target, { urls, migrationUrl }: Rooms): Record<string, string> => ({
  ...settings,
  DATABASE_URL: urls.api,
  SYSTEM_DATABASE_URL: urls.system,
  MIGRATION_DATABASE_URL: migrationUrl,
})

/** Makes the tables of every room of the copy as they were when the copy was made. */
async function makeTables({ manifest }: Copy, held: readonly Room[], target: Target, rooms: Rooms): Promise<void> {
  const { service = [], signer = '' } = manifest.migrations
  const at = (url: string): Record<string, string> => ({ ...target.settings, DATABASE_URL: url })
  const making: Record<Room, () => Promise<unknown>> = {
    chain: () => runToEnd(target, 'chain/embedded/dist/make-tables.js', [], at(rooms.urls.chain)),
    signer: () => runToEnd(target, 'signer/dist/main.js', ['tables', signer], at(rooms.urls.signer)),
    service: () => runToEnd(target, 'api/dist/migrate.js', ['--only', service.join(',')], apiSettings(target, rooms)),
    ledger: () =>
      runToEnd(target, 'indexer/lib/make-tables.js', [], {
        ...at(rooms.urls.ledger),
        LEDGER_URL: 'ws://127.0.0.1:9',
        INDEX_READERS: [rooms.roleNames.api, rooms.roleNames.system].join(','),
        CHAIN_READER: rooms.roleNames.chain,
      }),
  }
  // A refused restore takes the rooms away: nobody may still be making tables then.
  const made = await Promise.allSettled(held.map((room) => making[room]()))
  const failed = made.find((one) => one.status === 'rejected')
  if (failed) throw new Refusal(`This version cannot make the tables of the copy: ${messageOf(failed.reason)}`)
}

/** Loads all rows in one transaction: either every table is as it was, or none has a row. */
function load({ folder, manifest }: Copy, databaseUrl: string): Promise<string[]> {
  return withClient(databaseUrl, async (client) => {
    await client.query(
      `begin; set local session_replication_role = replica; set local statement_timeout = 0; set local datestyle = 'ISO'; set local intervalstyle = 'postgres'`,
    )
    const made = new Map((await tablesOf(client)).map((table) => [nameOf(table), table.columns]))
    const isAsMade = (table: Manifest['tables'][number]): boolean => {
      const columns = made.get(nameOf(table)) ?? []
      return table.columns.length === columns.length && table.columns.every((column) => columns.includes(column))
    }
    // An index of another line of migrations is read from the ledger again, as an upgrade does.
    const strange = manifest.tables.filter((table) => !isAsMade(table))
    const isIndexKept = strange.every(({ schema }) => schema !== 'ledger')
    const wrong = strange.find(({ schema }) => schema !== 'ledger')
    if (wrong) throw new Refusal(`This version makes table ${nameOf(wrong)} with other columns than the copy has.`)
    const loaded = manifest.tables.filter(({ schema }) => schema !== 'ledger' || isIndexKept)
    await client.query(`truncate ${loaded.map(nameOf).join(', ')}`)
    for (const table of loaded) await copyIn(client, folder, table)
    for (const { schema, name, last } of manifest.sequences)
      if (schema !== 'ledger' || isIndexKept)
        await client.query("select setval(format('%I.%I', $1::text, $2::text)::regclass, $3::bigint)", [
          schema,
          name,
          last,
        ])
    await client.query('commit')
    // Without statistics the first questions are answered by the wrong index.
    for (const table of await tablesOf(client)) await client.query(`analyze ${nameOf(table)}`)
    return isIndexKept ? [] : ['The index is of an older kind: the indexer reads it from the ledger again.']
  })
}

export const keyFilesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(['master.key', 'service.key', 'ledger.key', 'api-key'].map((name) => [name, join(folder, name)]))
