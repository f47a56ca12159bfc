import pg from 'pg'

export type Point = 'before it writes' | 'after it wrote' | 'at its commit'

const KEY = 0x67617465

const TRIGGERS = `
create table public.gate (point text);
insert into public.gate values (null);
create function public.pass_gate() returns trigger language plpgsql as $$
begin
  if tg_argv[0] = (select point from public.gate) then perform pg_advisory_xact_lock_shared(${KEY}); end if;
  return new;
end $$;
create trigger before_it_writes before insert on chain.blocks
  for each row execute function public.pass_gate('before it writes');
create trigger after_it_wrote after insert on chain.blocks
  for each row execute function public.pass_gate('after it wrote');
create constraint trigger at_its_commit after insert on chain.blocks deferrable initially deferred
  for each row execute function public.pass_gate('at its commit');
`

/** Holds a ledger inside the statement that makes a block durable: for tests of its state after it dies there. */
export class CommitGate {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async on(databaseUrl: string): Promise<CommitGate> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(TRIGGERS)
    return new CommitGate(client)
  }

  /** Holds blocks at this point from now on. */
  async closeAt(point: Point): Promise<void> {
    await this.#client.query('select pg_advisory_lock($1)', [KEY])
    await this.#client.query('update public.gate set point = $1', [point])
  }

  /** Returns when a block is held. */
  async holds(): Promise<void> {
    while (!(await this.#held())) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  /** Lets the held statement go through, although the process that sent it may be gone. */
  async open(): Promise<void> {
    await this.#client.query('update public.gate set point = null')
    await this.#client.query('select pg_advisory_unlock($1)', [KEY])
  }

  /** Drops the held statement, as if it never was. */
  async rollBack(): Promise<void> {
    await this.#client.query('select pg_terminate_backend($1, 10000)', [await this.#held()])
    await this.open()
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  async #held(): Promise<number | undefined> {
    const { rows } = await this.#client.query<{ pid: number }>(
      `select pid from pg_locks join pg_database on pg_database.oid = database
       where not granted and datname = current_database() and locktype = 'advisory' and objid = $1`,
      [KEY],
    )
    return rows[0]?.pid
  }
}
