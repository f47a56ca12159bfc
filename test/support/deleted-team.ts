import pg from 'pg'
import { KEPT_DATA } from '../../api/src/platform/database/kept-data.js'

/** Tables with many rows of the team: one is deleted early, one late, and of one the texts are blanked at the end. */
const FILLED = { audit: 'true', jobs: 'true', profiles: "name <> '[deleted]'" } as const
export type Filled = keyof typeof FILLED

/** The progress of a deletion: of each table the rows that it told of, and those that are left. */
export type Progress = Record<Filled, { told: number; left: number }>

/** A team that is filled, and then deleted. It is seen past row-level security. */
export class DeletedTeam {
  readonly #client: pg.Client
  readonly #team: number

  private constructor(client: pg.Client, team: number) {
    this.#client = client
    this.#team = team
  }

  static async open(databaseUrl: string, team: number): Promise<DeletedTeam> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    return new DeletedTeam(client, team)
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  async fill(rows: number): Promise<void> {
    for (const text of [
      `insert into service.audit (team_id, actor, action) select $1, 'key:1', 'createProfile' from generate_series(1, $2::int)`,
      `insert into service.jobs (id, team_id, kind, status)
       select 'of-' || $1::bigint || '-' || n, $1, 'old', 'finalized' from generate_series(1, $2::int) n`,
      `insert into service.profiles (did, team_id, name, created, valid_from)
       select 'did:example:' || $1::bigint || ':' || n, $1, 'A person', now(), now() from generate_series(1, $2::int) n`,
    ])
      await this.#client.query(text, [this.#team, rows])
  }

  /** Reads all at one moment. */
  async progress(): Promise<Progress> {
    const of = Object.entries(FILLED).map(
      ([table, where]) => `'${table}', json_build_object(
        'told', coalesce((select (counts ->> '${table}')::int from service.deletions where team_id = $1), 0),
        'left', (select count(*)::int from service.${table} where team_id = $1 and ${where}))`,
    )
    const { rows } = await this.#client.query(`select json_build_object(${of.join()}) as progress`, [this.#team])
    return rows[0].progress
  }

  /** Returns the tables that still have rows of the team, but for those whose rows stay. */
  async left(): Promise<string[]> {
    const tables = await this.#client.query<{ name: string }>(
      `select relname as name from pg_class c join pg_attribute a on attrelid = c.oid
       where relnamespace = 'service'::regnamespace and relkind = 'r' and attname = 'team_id' and not attisdropped`,
    )
    const kept = new Map(Object.entries(KEPT_DATA))
    const going = tables.rows.filter(({ name }) => {
      const { retention, outlivesTeam } = kept.get(name) ?? {}
      return retention?.until !== 'always' && !outlivesTeam
    })
    const found: string[] = []
    for (const { name } of going) {
      const { rowCount } = await this.#client.query(`select from service.${name} where team_id = $1 limit 1`, [
        this.#team,
      ])
      if (rowCount) found.push(name)
    }
    return found
  }

  /** Returns how many private keys of its DIDs the signer has, by the references that it gave for them. */
  async sealedKeys(refs: readonly string[]): Promise<number> {
    const { rowCount } = await this.#client.query(
      'select from signer.keys where key_ref = any($1) and sealed is not null',
      [refs],
    )
    return rowCount ?? 0
  }

  async keyRefs(): Promise<string[]> {
    const { rows } = await this.#client.query<{ key_ref: string }>(
      'select key_ref from service.did_keys where team_id = $1',
      [this.#team],
    )
    return rows.map(({ key_ref }) => key_ref)
  }
}
