import { FairQueue } from '../process/fair-queue.js'
import type { Database, Reader, Scope } from './database.js'
import type { OpenTransaction } from './open-transaction.js'
import type { Session } from './session.js'

interface Surroundings {
  /** Begins a transaction on the connection that is shared. */
  begin(): OpenTransaction
  /** Reads committed rows as the system, over a connection of another pool, whose holders never wait for this one. */
  readAsSystem<T>(run: (reader: Reader) => Promise<T>): Promise<T>
  call: Database['call']
  /** Refuses nested transactions, as outside of a dry run. */
  alone<T>(run: () => Promise<T>): Promise<T>
}

/**
 * Opens a database of which nothing remains: all writes through it are in one transaction, and all tenant reads through
 * it find them. It takes no second connection of their pool, so that any number of dry runs ends.
 */
export function dryRunDatabase(
  session: Session,
  own: Scope,
  { begin, readAsSystem, call, alone }: Surroundings,
): Database {
  const turns = new FairQueue({ running: 1, waiting: Number.POSITIVE_INFINITY })
  let current = own

  function as<T>(scope: Scope, run: () => Promise<T>): Promise<T> {
    return alone(() =>
      turns.run('the dry run', async () => {
        if (scope !== current) session.limitTo(scope)
        current = scope
        return run()
      }),
    )
  }

  return {
    async transaction(scope, run) {
      if (typeof scope === 'string') throw new Error(`in a dry run nothing is written in scope ${scope}`)
      // One that fails leaves the others as they were.
      return as(scope, () =>
        session.inSavepoint(async () => {
          const transaction = begin()
          const value = await run(transaction.as(scope))
          transaction.finish()
          return value
        }),
      )
    },
    read: (scope, run) => (scope === 'system' ? alone(() => readAsSystem(run)) : as(scope, () => run(session.reader))),
    call,
    snapshot: () => Promise.reject(new Error('a dry run takes no snapshots')),
    dryRun: () => Promise.reject(new Error('a dry run has no dry runs')),
    close: () => Promise.resolve(),
  }
}
