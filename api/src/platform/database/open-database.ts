import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import type { Database, Reader, Scope, TxTools } from './database.js'
import { dryRunDatabase } from './dry-run-transaction.js'
import type { TeamId } from './ids.js'
import type { EventSealing, OutgoingEvent } from './outgoing-events.js'
import { connectWithRetry } from './pool.js'
import { preparedStatements } from './prepared-statements.js'
import { json, type ServiceTables } from './tables.js'

/**
 * @param tenant pool of the role that row-level security binds to a team set
 * @param system pool of the role for authentication and the worker
 * @param events seals outgoing events; without it none can be emitted
 */
export function openDatabase(tenant: pg.Pool, system: pg.Pool, events?: Pick<EventSealing, 'seal'>): Database {
  const tenantDb = new Kysely<ServiceTables>({
    dialect: new PostgresDialect({ pool: preparedStatements(connectWithRetry(tenant)) }),
  })
  const systemDb = new Kysely<ServiceTables>({
    dialect: new PostgresDialect({ pool: preparedStatements(connectWithRetry(system)) }),
  })
  const dbOf = (scope: Scope): Kysely<ServiceTables> => (scope === 'system' ? systemDb : tenantDb)
  const alone = oneAtATime()

  const database: Database = {
    async transaction(scope, run) {
      const committed: (() => void)[] = []
      const result = await alone(() =>
        inTransaction(dbOf(scope), 'begin', scope, 'commit', async (trx) => {
          const value = await run(Object.assign(trx, txTools(trx, scope, committed, events)))
          const claim = typeof scope === 'object' ? scope.idempotency : undefined
          await claim?.acted(trx)
          if (claim) committed.unshift(() => claim.committed(trx))
          return value
        }),
      )
      for (const tell of committed) tell()
      return result
    },
    read: (scope, run) => alone(() => inTransaction(dbOf(scope), 'begin read only', scope, 'commit', run)),
    dryRun: (scope, run) =>
      alone(() =>
        inTransaction(tenantDb, 'begin', scope, 'rollback', (trx) =>
          run(
            dryRunDatabase(trx, scope, {
              txOf: (of) => Object.assign(trx, txTools(trx, of, [], events)),
              settingsOf,
              readAsSystem: (read) => inTransaction(systemDb, 'begin read only', 'system', 'commit', read),
              call: database.call,
              alone: oneAtATime(),
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
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (holding.getStore()?.isOpen)
      throw new Error('a transaction inside another one would take a second connection: pass the reader on')
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
  }
}

/** Team ids are numbers and the other texts are ours, so they are written into the statement. */
function settingsOf(scope: Scope): string {
  const teams = typeof scope === 'object' ? scope.teams.map(Number).join(',') : ''
  const name = typeof scope === 'object' ? 'team' : scope
  return `set_config('accredit.teams', '${teams}', true), set_config('accredit.scope', '${name}', true)`
}

/** Begins and sets the team set in one round trip. */
function inTransaction<T>(
  db: Kysely<ServiceTables>,
  begin: 'begin' | 'begin read only',
  scope: Scope,
  end: 'commit' | 'rollback',
  run: (trx: Reader) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql.raw(`${begin}; select ${settingsOf(scope)}`).execute(connection)
    try {
      const value = await run(connection)
      await sql.raw(end).execute(connection)
      return value
    } catch (error) {
      // Postgres has rolled back already if the connection is gone; the first error is rethrown.
      await sql`rollback`.execute(connection).catch(() => undefined)
      throw error
    }
  })
}

function txTools(
  trx: Reader,
  scope: Scope,
  committed: (() => void)[],
  events: Pick<EventSealing, 'seal'> | undefined,
): TxTools {
  const teamOr = (team: TeamId | undefined): TeamId => {
    if (team !== undefined) return team
    if (typeof scope === 'object') return scope.teams[0]
    throw new Error(`scope ${scope} has no team: name one`)
  }
  const emitAll = async (emitted: readonly OutgoingEvent[]): Promise<void> => {
    if (!events) throw new Error('this process emits no events: it was opened without the key that seals them')
    if (emitted.length > 0) await trx.insertInto('outgoing_events').values(emitted.map(events.seal)).execute()
  }
  return {
    scope,
    async audit({ action, subject, detail = {}, team }) {
      const { actor, requestId } = typeof scope === 'object' ? scope : { actor: scope, requestId: undefined }
      await trx
        .insertInto('audit')
        .values({
          team_id: teamOr(team),
          actor,
          action,
          subject: subject ?? null,
          detail: json(detail),
          request_id: requestId ?? null,
        })
        .execute()
    },
    emit: (event, data, team) => emitAll([{ team: teamOr(team), event, data }]),
    emitAll,
    async answer(body) {
      if (typeof scope === 'object') await scope.idempotency?.answered(trx, body)
      return body
    },
    afterCommit(run) {
      committed.push(run)
    },
  }
}
