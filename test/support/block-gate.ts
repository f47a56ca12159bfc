import pg from 'pg'

const TRIGGER = `
create table public.gate (last_block int);
insert into public.gate values (null);
grant select on public.gate to public;
create function public.pass_gate() returns trigger language plpgsql as $$
begin
  while new.number > (select last_block from public.gate) loop perform pg_sleep(0.02); end loop;
  return new;
end $$;
create trigger gate before insert on chain.blocks for each row execute function public.pass_gate();
`

/** Holds a ledger before a block that it wants to write, for tests of the state until then. */
export class BlockGate {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async on(databaseUrl: string): Promise<BlockGate> {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query(TRIGGER)
    return new BlockGate(client)
  }

  /** One block may be written beyond those that are, and no other. */
  async letOneThrough(): Promise<void> {
    await this.#client.query('update public.gate set last_block = 1 + (select max(number) from chain.blocks)')
  }

  async remove(): Promise<void> {
    await this.#client.query('update public.gate set last_block = null')
    await this.#client.end()
  }
}
