import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'

type Row = Record<string, unknown>

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')
const number = (): number => randomBytes(5).readUIntBE(0, 5)

/** The values that the checks of a table demand, beside those that follow from a column's type. */
const DEMANDED: Readonly<Record<string, () => Row>> = {
  team_members: () => ({ role: 'member' }),
  api_keys: () => ({ role: 'member' }),
  team_invitations: () => ({ role: 'member', status: 'canceled' }),
  idempotency_keys: () => ({ state: 'answered' }),
  jobs: () => ({ status: 'finalized' }),
  ledger_actions: () => ({ state: 'done' }),
  billed_transactions: () => ({ kind: 'credential' }),
  webhooks: () => ({ id: String(number()), status: 0 }),
  dids: () => ({ type: 'ledgerA', status: 'active' }),
  did_keys: () => ({ kind: 'Ed25519', public_key: `0x${hex(32)}`, state: 'active' }),
  mac_keys: () => ({ public_key: `0x${hex(48)}` }),
  logos: () => ({ sha256: hex(32), media_type: 'image/png' }),
  logo_copies: () => ({ logo: null }),
  schemas: () => ({ hash: `0x${hex(32)}`, document: '{}', context: '{}' }),
  remote_documents: () => ({ kind: 'schema' }),
  prepared_actions: () => ({
    nonce: null,
    valid_until: null,
    signature: null,
    job_id: null,
    wish_hash: null,
    versions: null,
  }),
  revocation_registries: () => ({
    id: `0x${hex(32)}`,
    type: 'StatusList2021Entry',
    status: 'active',
    purpose: 'revocation',
    messages: null,
  }),
  status_entries: () => ({ revocation_id: `0x${hex(32)}` }),
  credential_batch_rows: () => ({ state: 'issued' }),
  credentials: () => ({ registry_id: null, status_index: null, sealed: null }),
  trust_registries: () => ({ registry_id: `0x${hex(32)}`, state: 'active' }),
  trust_registry_versions: () => ({ state: 'active', from_time: new Date() }),
  participants: () => ({ state: 'active', from_time: new Date() }),
  participant_names: () => ({ state: 'active', from_time: new Date() }),
  suspension_reasons: () => ({ state: 'active', from_time: new Date() }),
  invitation_uses: () => ({ use: 'accepted' }),
  schema_uris: () => ({ hash: `0x${hex(32)}` }),
  verifier_prices: () => ({ currency: 'EUR', to_time: null }),
}

const byType: Record<string, () => unknown> = {
  text: () => `text-${hex(8)}`,
  bigint: number,
  integer: () => number() % 1_000_000,
  smallint: () => 0,
  boolean: () => false,
  numeric: () => 1,
  uuid: randomUUID,
  date: () => '2026-01-31',
  bytea: () => randomBytes(32),
  jsonb: () => '{}',
  json: () => '{}',
  'text[]': () => [],
  'bytea[]': () => [randomBytes(16)],
}

const TIME = 'timestamp with time zone'

interface ColumnOf {
  name: string
  type: string
  isNullable: boolean
  isMade: boolean
  /** The table and column whose value it has. */
  names: string | null
  /** No two rows of the table have the same value of it. */
  isUnique: boolean
}

/** The demands on the row that another names. */
interface Naming {
  /** The column whose value the other row takes. */
  key: string
  /** The team that has both, where it matters. */
  team: unknown
  /** A value of the column that no further row may take. */
  taken: unknown
}

/** Writes rows of any table of the service, past row-level security. */
export class RowWriter {
  readonly #client: pg.Client
  /** The newest row of each table, which rows of others name. */
  readonly rows = new Map<string, Row>()

  readonly #now: Date

  private constructor(client: pg.Client, now: Date) {
    this.#client = client
    this.#now = now
  }

  /** @param now the time of rows for which no other is given */
  static async open(adminUrl: string, now = new Date()): Promise<RowWriter> {
    const client = new pg.Client({ connectionString: adminUrl })
    await client.connect()
    return new RowWriter(client, now)
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async query<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    return (await this.#client.query<R>(text, values)).rows
  }

  /** Inserts a row, and first those that it has to name. @returns the whole row */
  async insert(table: string, given: Row = {}): Promise<Row> {
    const row: Row = {}
    const demanded = DEMANDED[table]?.() ?? {}
    const taken = ({ name, isUnique }: ColumnOf) => (isUnique ? this.rows.get(table)?.[name] : undefined)
    for (const column of await this.#columns(table)) {
      const { name, type, isNullable, isMade, names } = column
      const [parent = '', key = ''] = names?.split('.') ?? []
      if (name in given) row[name] = given[name]
      else if (name in demanded) row[name] = demanded[name]
      else if (parent !== '' && !(isNullable && parent === table))
        row[name] = (await this.#rowOf(parent, { key, team: given.team_id, taken: taken(column) }))[key]
      else if (type === TIME && !isNullable) row[name] = this.#now
      else if (!isMade && !isNullable) row[name] = (byType[type] ?? missing(table, column))()
    }
    const columns = Object.keys(row)
    const values =
      columns.length === 0
        ? 'default values'
        : `(${columns.map((name) => `"${name}"`)}) values (${columns.map((_, index) => `$${index + 1}`)})`
    const text = `insert into service.${table} ${values} returning *`
    const [made] = await this.query<Row>(text, Object.values(row))
    if (made === undefined) throw new Error(`no row of ${table} was made`)
    this.rows.set(table, made)
    return made
  }

  /** Returns a row that others can name. */
  async #rowOf(table: string, { key, team, taken }: Naming): Promise<Row> {
    const known = this.rows.get(table)
    const owner = table === 'teams' ? 'id' : 'team_id'
    const isOfTeam = team === undefined || known?.[owner] === undefined || String(known[owner]) === String(team)
    if (known !== undefined && isOfTeam && (taken === undefined || known[key] !== taken)) return known
    const tellsTeam = table !== 'teams' && (await this.#columns(table)).some(({ name }) => name === owner)
    return this.insert(table, tellsTeam && team !== undefined ? { team_id: team } : {})
  }

  #columns(table: string): Promise<ColumnOf[]> {
    return this.query<ColumnOf>(
      `select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as "isNullable",
        a.atthasdef or a.attidentity <> '' as "isMade",
        (select r.relname || '.' || p.attname from pg_constraint f join pg_class r on r.oid = f.confrelid
          join pg_attribute p on p.attrelid = r.oid and p.attnum = f.confkey[array_position(f.conkey, a.attnum)]
          where f.conrelid = a.attrelid and f.contype = 'f' and a.attnum = any(f.conkey) limit 1) as names,
        exists (select from pg_constraint u where u.conrelid = a.attrelid and u.contype in ('p', 'u')
          and u.conkey = array[a.attnum]) as "isUnique"
      from pg_attribute a where a.attrelid = ('service.' || $1)::regclass and a.attnum > 0 and not a.attisdropped
      order by a.attnum`,
      [table],
    )
  }
}

function missing(table: string, { name, type }: ColumnOf): never {
  throw new Error(`no value of the type ${type} is known for ${table}.${name}`)
}
