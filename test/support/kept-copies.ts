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

/**
 * Every text that is a purpose of a derived key, and some that are not: each file that derives one names it in quotes.
 * Tests derive none that the product has not, and no purpose is the path of a module.
 */
function purposes(): string[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.test(ing)?\.ts$/.test(file),
  )
  const texts = files.map((file) => readFileSync(join(sources, file), 'utf8')).filter((text) => /deriveKey/.test(text))
  const quoted = texts.flatMap((text) => [...text.matchAll(/'([^'\n]{3,60})'/g)].map(([, found = '']) => found))
  return [...new Set(quoted)].filter((text) => !/^(\.|node:|@)/.test(text))
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

interface Installation {
  databaseUrl: string
  stateDir: string
  secrets: Secrets
}

/**
 * Looks where in an installation each of some texts stands: every table of every schema, also in what is sealed there,
 * and every file of its folder but for those of the database itself, which are read through its tables.
 */
export class KeptCopies {
  readonly #keys: readonly Buffer[]
  /** The texts in what is sealed, by its bytes: those are opened once, since what stands in them stays. */
  readonly #sealed: Map<string, readonly string[]>

  /** @param passedOver what was sealed before any of the texts was anywhere */
  constructor(
    private readonly markers: readonly string[],
    private readonly installation: Installation,
    passedOver: readonly string[],
  ) {
    this.#keys = keysOf(installation.secrets)
    this.#sealed = new Map(passedOver.map((sealed) => [sealed, []]))
  }

  async places(): Promise<Record<string, string[]>> {
    const found = new Map(this.markers.map((marker) => [marker, new Set<string>()]))
    const look = (texts: readonly string[], place: string): void => {
      for (const text of texts) found.get(text)?.add(place)
    }
    await readTables(this.installation.databaseUrl, async (value, place) => {
      look(this.#textsIn(bytesOf(value)), place)
      if (isSealed(value, place)) look(await this.#textsSealedIn(value, place), `${place} unsealed`)
    })
    readFiles(this.installation.stateDir, (bytes, place) => look(this.#textsIn(bytes), place))
    return Object.fromEntries([...found].map(([marker, places]) => [marker, [...places].sort()]))
  }

  #textsIn(bytes: Buffer): string[] {
    return this.markers.filter((marker) => bytes.includes(marker))
  }

  async #textsSealedIn(value: Buffer, place: string): Promise<readonly string[]> {
    const known = this.#sealed.get(value.toString('latin1'))
    if (known !== undefined) return known
    const texts = this.#keys.map((key) => opened(value, key))
    if (place === 'service.credentials')
      for (const password of this.installation.secrets.passwords)
        texts.push(Buffer.from((await open(value, password, PASSWORD_COST)) ?? ''))
    // None of the texts has a line end, so none stands across two.
    const found = this.#textsIn(Buffer.concat(texts.flatMap((text) => [text, LINE_END])))
    this.#sealed.set(value.toString('latin1'), found)
    return found
  }
}

const LINE_END = Buffer.from('\n')

const isSealed = (value: unknown, place: string): value is Buffer =>
  Buffer.isBuffer(value) && place.startsWith('service.') && value.length > 28

/** Returns what is sealed in a database, as texts of its bytes. */
export async function sealedIn(databaseUrl: string): Promise<string[]> {
  const sealed: string[] = []
  await readTables(databaseUrl, async (value, place) => {
    if (isSealed(value, place)) sealed.push(value.toString('latin1'))
  })
  return sealed
}

async function readTables(databaseUrl: string, read: (value: unknown, place: string) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    for (const { schema, name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select t.* from "${schema}"."${name}" t`)
      for (const row of rows) for (const value of Object.values(row)) await read(value, `${schema}.${name}`)
    }
  } finally {
    await client.end()
  }
}

const bytesOf = (value: unknown): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function readFiles(folder: string, look: (bytes: Buffer, place: string) => void): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    // Sockets and folders hold no text.
    if (!statSync(file).isFile() || name.startsWith('postgres/')) continue
    look(readFileSync(file), `file ${name}`)
  }
}
