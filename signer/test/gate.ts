/** The steps of a signer's work at which it can be held: triggers wait for a lock that the test has. */
import type pg from 'pg'
import { until } from './support.js'

/** The writes that wait uncommitted at the gate: a state of an action, or how far the ledger is followed. */
export const steps = ['queued', 'signed', 'submitted', 'included', 'final', 'followed'] as const
export type Step = (typeof steps)[number]

export interface Gate {
  close(step: Step): Promise<void>
  open(step: Step): Promise<void>
  /** Resolves when a signer waits at the step. */
  isWaitedFor(step: Step): Promise<void>
}

/** "gate" in numbers. */
const space = 0x67617465

/** `sql` is a connection that nothing else locks by. */
export async function installGate(sql: pg.Client): Promise<Gate> {
  await sql.query(`
    create schema gate;
    create function gate.pass(step text) returns void language sql as $$
      select pg_advisory_xact_lock_shared(${space}, array_position(array['${steps.join("','")}'], step))
    $$;
    create function gate.action() returns trigger language plpgsql as $$
      begin perform gate.pass(new.state); return null; end
    $$;
    create function gate.block() returns trigger language plpgsql as $$
      begin perform gate.pass('followed'); return null; end
    $$;
    create trigger gate after insert or update of state on signer.actions for each row execute function gate.action();
    create trigger gate after update on signer.ledger for each row execute function gate.block()`)
  const key = (step: Step) => [space, steps.indexOf(step) + 1]
  return {
    async close(step) {
      await sql.query('select pg_advisory_lock($1, $2)', key(step))
    },
    async open(step) {
      await sql.query('select pg_advisory_unlock($1, $2)', key(step))
    },
    isWaitedFor: (step) =>
      until(async () => {
        const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted and classid = $1 and objid = $2`
        return (await sql.query(waiting, key(step))).rows.length > 0
      }),
  }
}
