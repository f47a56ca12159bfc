import { createDecipheriv } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { open, PASSWORD_COST } from '../../api/src/credentials/keeping/persisted.js'
import { bearerKey } from '../../api/src/platform/security/bearer-key.js'
import { keyDerivation } from '../../api/src/platform/security/service-key.js'

const sources = fileURLToPath(new URL('../../api/src/', import.meta.url))

/** The secrets of an installation and of its callers: whoever has them reads everything that is sealed. */
interface Secrets {
  serviceKey: Buffer
  apiKeys: readonly string[]
  passwords: readonly string[]
}

/** Every text that is a purpose of a derived key, and some that are not: each file that derives one names it in quotes. */
function purposes(): string[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const texts = files.map((file) => readFileSync(join(sources, file), 'utf8')).filter((text) => /deriveKey/.test(text))
  return [...new Set(texts.flatMap((text) => [...text.matchAll(/'([^'\n]{3,60})'/g)].map(([, found = '']) => found)))]
}

function keysOf({ serviceKey, apiKeys }: Secrets): Buffer[] {
  const derive = keyDerivation(serviceKey)
  return [...purposes().map(derive), ...apiKeys.map((key) => bearerKey(key, 'idempotent answer'))]
}

/** Opens a sealed value without asking for its purpose: under AES-GCM the text is that of CTR from the second counter. */
function opened(sealed: Buffer, key: Buffer): Buffer {
  const counter = Buffer.concat([sealed.subarray(0, 12), Buffer.from([0, 0, 0, 2])])
  return createDecipheriv('aes-256-ctr', key, counter).update(sealed.subarray(28))
}

/**
 * Returns where in an installation each of some texts stands: every table of every schema, also in what is sealed there,
 * and every file of its folder but for those of the database itself, which are read through its tables.
 */
export async function placesOf(
  markers: readonly string[],
  { databaseUrl, stateDir, secrets }: { databaseUrl: string; stateDir: string; secrets: Secrets },
): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const found = new Map(markers.map((marker) => [marker, new Set<string>()]))
    const look = (bytes: Buffer, place: string): void => {
      for (const [marker, places] of found) if (bytes.includes(marker)) places.add(place)
    }
    await readTables(client, secrets, look)
    readFiles(stateDir, look)
    return Object.fromEntries([...found].map(([marker, places]) => [marker, [...places].sort()]))
  } finally {
    await client.end()
  }
}

type Look = (bytes: Buffer, place: string) => void

async function readTables(client: pg.Client, secrets: Secrets, look: Look): Promise<void> {
  const keys = keysOf(secrets)
  const { rows: tables } = await client.query<{ schema: string; name: string }>(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  for (const { schema, name } of tables) {
    const place = `${schema}.${name}`
    const { rows } = await client.query<Record<string, unknown>>(`select t.* from "${schema}"."${name}" t`)
    for (const row of rows)
      for (const value of Object.values(row)) {
        look(bytesOf(value), place)
        if (!Buffer.isBuffer(value) || schema !== 'service' || value.length <= 28) continue
        for (const key of keys) look(opened(value, key), `${place} unsealed`)
        if (name !== 'credentials') continue
        for (const password of secrets.passwords)
          look(Buffer.from((await open(value, password, PASSWORD_COST)) ?? ''), `${place} unsealed`)
      }
  }
}

const bytesOf = (value: unknown): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function readFiles(folder: string, look: Look): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    // Sockets and folders hold no text.
    if (!statSync(file).isFile() || name.startsWith('postgres/')) continue
    look(readFileSync(file), `file ${name}`)
  }
}
