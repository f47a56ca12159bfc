import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Database, Scope } from './database.js'
import { dryRunDatabase } from './dry-run-transaction.js'
import { type DatabaseServices, OpenTransaction } from './open-transaction.js'
import { connectWithRetry } from './pool.js'
import { preparedStatements } from './prepared-statements.js'
import { Session, type SessionKind } from './session.js'
import type { ServiceTables } from './tables.js'

/**
 * @param tenant pool of the role that row-level security binds to a team set
 * @param system pool of the role for authentication and the worker
 */
export function openDatabase(tenant: pg.Pool, system: pg.Pool, services: DatabaseServices = {}): Database {
  const ofTenants = preparedStatements(connectWithRetry(tenant))
  const ofSystem = preparedStatements(connectWithRetry(system))
  const systemDb = new Kysely<ServiceTables>({ dialect: new PostgresDialect({ pool: ofSystem }) })
  const { once, alone } = oneAtATime()
  const lone = services.refusesNested === false ? once : alone

  /** Lends a connection to a session; what it has not committed is undone. */
  async function inSession<T>(scope: Scope, kind: SessionKind, run: (session: Session) => Promise<T>): Promise<T> {
    const connections = scope === 'system' ? ofSystem : ofTenants
    const session = new Session(await connections.connect(), scope, kind)
    try {
      return await run(session)
    } finally {
      await session.release()
    }
  }

  const database: Database = {
    async transaction(scope, run, kind = 'writes') {
      let begun: OpenTransaction | undefined
      const { transaction, value } = await lone(() =>
        inSession(scope, kind, async (session) => {
          const transaction = new OpenTransaction(session, services)
          begun = transaction
          const value = await run(transaction.as(scope))
          transaction.finish()
          await session.commit()
          return { transaction, value }
        }),
      ).catch(async (error: unknown) => {
        await begun?.tellFailed(database)
        throw error
      })
      transaction.tellCommitted()
      return value
    },
    read: (scope, run, kind = 'reads') => lone(() => inSession(scope, kind, ({ reader }) => run(reader))),
    snapshot: (scope, run) => lone(() => inSession(scope, 'snapshot', ({ reader }) => run(reader))),
    dryRun: (scope, run) =>
      alone(() =>
        inSession(scope, 'writes', (session) =>
          run(
            dryRunDatabase(session, scope, {
              begin: () => new OpenTransaction(session, services),
              readAsSystem: (read) => inSession('system', 'reads', ({ reader }) => read(reader)),
              call: database.call,
              alone: oneAtATime().alone,
            }),
          ),
        ),
      ),
    async call(statement) {
      return (await statement.execute(systemDb)).rows
    },
    async close() {
      // Kysely ends a pool only when a statement of its own went through it, and two Kyselys may share one.
      await Promise.all([...new Set([tenant, system])].map((pool) => pool.end()))
    },
  }
  return database
}

/**
 * Runs work that takes a connection, and throws where its caller has one already and would wait for the second one with
 * it.
 */
function oneAtATime() {
  const holding = new AsyncLocalStorage<{ isOpen: boolean }>()
  let open = 0

  /** Runs work that nothing is known of: what it calls is not refused. */
  async function once<T>(run: () => Promise<T>): Promise<T> {
    if (holding.getStore()?.isOpen)
      throw new Error('a transaction inside another one would take a second connection: pass the reader on')
    return run()
  }

  /** Refuses what its work calls. */
  const alone = <T>(run: () => Promise<T>): Promise<T> =>
    once(async () => {
      const held = { isOpen: true }
      open += 1
      try {
        return await holding.run(held, run)
      } finally {
        // Work that was begun in it and goes on after it holds no connection.
        held.isOpen = false
        open -= 1
        // An enabled storage follows every promise of the process.
        if (open === 0) holding.disable()
      }
    })
  return { once, alone }
}
