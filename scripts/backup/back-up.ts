import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeDurably } from '@accredit/process/durable-files'
import type pg from 'pg'
import { withClient } from '../start/database/client.js'
import { codeOf, Refusal } from '../start/refusal.js'
import { type ArchivedFile, FORMAT, type Manifest, type Migrations, type Room, writeManifest } from './archive.js'
import { isKeyOf, roomsToCopy, type Shape } from './rooms.js'
import { softwareVersion } from './software-version.js'
import { copyOut, sequencesOf, tablesOf } from './tables.js'

export interface Original {
  projectRoot: string
  /** The database, as a role that may read every row. */
  databaseUrl: string
  environment: string
  shape: Shape
  /** The key files, by the names that they have in the copy; those that do not exist are left out. */
  keyFiles: Readonly<Record<string, string>>
}

/** Bytes and the writes beside them are those of one moment: the settings that change how values are written as text. */
const AS_ONE_MOMENT = `begin isolation level repeatable read read only;
  set local row_security = off; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local extra_float_digits = 3`

/**
 * Makes a copy of an installation in a new folder, while it runs: every table in one snapshot, and the keys that open
 * it. The folder gets its name when all of it is on the disk.
 */
export async function backUp(original: Original, folder: string): Promise<Manifest> {
  const unfinished = `${folder}.unfinished-${process.pid}`
  try {
    await makeFolders(folder, unfinished)
    const manifest = await withClient(original.databaseUrl, async (client) => {
      await requireReader(client)
      return copyAll(client, original, unfinished)
    })
    await writeManifest(unfinished, manifest)
    for (const made of [join(unfinished, 'tables'), join(unfinished, 'keys'), unfinished]) await syncFolder(made)
    await rename(unfinished, folder)
    await syncFolder(dirname(folder))
    return manifest
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (codeOf(error) === 'ENOSPC') throw new Refusal(`No space is left for the copy in ${folder}.`)
    throw error
  }
}

async function makeFolders(folder: string, unfinished: string): Promise<void> {
  if (existsSync(folder)) throw new Refusal(`${folder} is there already: a copy gets a folder of its own.`)
  try {
    for (const part of ['tables', 'keys']) await mkdir(join(unfinished, part), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Refusal(`The folder ${folder} cannot be made: ${codeOf(error)}.`)
  }
}

/** A role that is bound by row-level security would copy a part, and not know it. */
async function requireReader(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; may: boolean }>(
    'select rolname as name, rolsuper or rolbypassrls as may from pg_roles where rolname = current_user',
  )
  const [role] = rows
  if (role?.may) return
  throw new Refusal(
    `The role ${role?.name} does not see every row: a copy needs a superuser, or a role with BYPASSRLS (alter role ${role?.name} bypassrls).`,
  )
}

async function copyAll(client: pg.Client, original: Original, folder: string): Promise<Manifest> {
  const keysBefore = await readKeys(original.keyFiles)
  await client.query(AS_ONE_MOMENT)
  const tables = await tablesOf(client)
  const rooms = await roomsToCopy(client, tables, original.shape)
  const migrations = await migrationsOf(client, rooms)
  const height = rooms.includes('chain') ? await heightOf(client) : null
  const archived = []
  for (const table of tables) if (rooms.includes(table.schema)) archived.push(await copyOut(client, folder, table))
  const candidates = [keysBefore, await readKeys(original.keyFiles)]
  const keys = rooms.includes('signer') ? await fittingKeys(client, ...candidates) : keysBefore
  const manifest: Manifest = {
    format: FORMAT,
    made: new Date().toISOString(),
    ...(await softwareVersion(original.projectRoot)),
    environment: original.environment,
    height,
    rooms,
    migrations,
    tables: archived,
    sequences: await sequencesOf(client, rooms),
    keys: await writeKeys(folder, new Map([...keys].filter(([name]) => isKeyOf(rooms, name)))),
  }
  await client.query('commit')
  return manifest
}

async function migrationsOf(client: pg.Client, rooms: readonly Room[]): Promise<Migrations> {
  const namesIn = async (query: string) => (await client.query<{ name: string }>(query)).rows.map(({ name }) => name)
  const migrations: Migrations = {}
  if (rooms.includes('service')) migrations.service = await namesIn('select name from service.migrations order by name')
  if (rooms.includes('signer'))
    migrations.signer =
      (await namesIn('select name from signer.kysely_migration order by timestamp, name')).at(-1) ?? ''
  if (rooms.includes('ledger')) migrations.ledger = await namesIn('select name from ledger.migrations order by name')
  return migrations
}

async function heightOf(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ height: number | null }>('select max(number) as height from chain.blocks')
  return rows[0]?.height ?? null
}

type Keys = ReadonlyMap<string, Buffer>

async function readKeys(files: Original['keyFiles']): Promise<Keys> {
  const keys = new Map<string, Buffer>()
  for (const [name, path] of Object.entries(files)) {
    const bytes = await readFile(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined
      throw new Refusal(`${path} cannot be read: ${codeOf(error)}.`)
    })
    if (bytes) keys.set(name, bytes)
  }
  return keys
}

/** A master key that is rotated meanwhile opens either the snapshot or what came after it: the copy takes the one that fits. */
async function fittingKeys(client: pg.Client, ...candidates: Keys[]): Promise<Keys> {
  const { rows } = await client.query<{ id: string }>('select distinct master_key_id as id from signer.data_keys')
  const needed = rows.map(({ id }) => id)
  const fitting = candidates.find((keys) => {
    const text = keys.get('master.key')?.toString() ?? ''
    return needed.every((id) => text.includes(JSON.stringify(id)))
  })
  if (fitting) return fitting
  throw new Refusal(
    'The master key file does not open this database: it is being rotated, or is another one. Try again.',
  )
}

async function writeKeys(folder: string, keys: Keys): Promise<ArchivedFile[]> {
  const written: ArchivedFile[] = []
  for (const [name, bytes] of keys) {
    const path = `keys/${name}`
    await writeDurably(join(folder, path), bytes)
    written.push({ path, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  return written
}
