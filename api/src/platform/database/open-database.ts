import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import type { Database, Scope, Tx, TxTools } from './database.js'
import { dryRunDatabase } from './dry-run-transaction.js'
import type { TeamId } from './ids.js'
import type { OutgoingEvent, OutgoingEvents } from './outgoing-events.js'
import { connectWithRetry } from './pool.js'
import { preparedStatements } from './prepared-statements.js'
import { Session } from './session.js'
import { json, type ServiceTables } from './tables.js'

/**
 * @param tenant pool of the role that row-level security binds to a team set
 * @param system pool of the role for authentication and the worker
 * @param events seals outgoing events; without it none can be emitted
 */
export function openDatabase(tenant: pg.Pool, system: pg.Pool, events?: OutgoingEvents): Database {
  const ofTenants = preparedStatements(connectWithRetry(tenant))
  const ofSystem = preparedStatements(connectWithRetry(system))
  const systemDb = new Kysely<ServiceTables>({ dialect: new PostgresDialect({ pool: ofSystem }) })
  const alone = oneAtATime()

  /** Lends a connection to a session; what it has not committed is undone. */
  async function inSession<T>(
    scope: Scope,
    kind: 'reads' | 'writes',
    run: (session: Session) => Promise<T>,
  ): Promise<T> {
    const connections = scope === 'system' ? ofSystem : ofTenants
    const session = new Session(await connections.connect(), scope, kind)
    try {
      return await run(session)
    } finally {
      await session.release()
    }
  }

  const database: Database = {
    async transaction(scope, run) {
      const committed: (() => void)[] = []
      const result = await alone(() =>
        inSession(scope, 'writes', async (session) => {
          const tx = txOf(session, scope, committed, events)
          const value = await run(tx)
          const claim = typeof scope === 'object' ? scope.idempotency : undefined
          claim?.acted(tx)
          if (claim) committed.unshift(() => claim.committed(tx))
          await session.commit()
          return value
        }),
      )
      for (const tell of committed) tell()
      return result
    },
    read: (scope, run) => alone(() => inSession(scope, 'reads', ({ reader }) => run(reader))),
    dryRun: (scope, run) =>
      alone(() =>
        inSession(scope, 'writes', (session) =>
          run(
            dryRunDatabase(session, scope, {
              txOf: (of) => txOf(session, of, [], events),
              readAsSystem: (read) => inSession('system', 'reads', ({ reader }) => read(reader)),
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

function txOf(session: Session, scope: Scope, committed: (() => void)[], events: OutgoingEvents | undefined): Tx {
  const teamOr = (team: TeamId | undefined): TeamId => {
    if (team !== undefined) return team
    if (typeof scope === 'object') return scope.teams[0]
    throw new Error(`scope ${scope} has no team: name one`)
  }
  const emitAll = async (emitted: readonly OutgoingEvent[]): Promise<void> => {
    if (!events) throw new Error('this process emits no events: it was opened without the key that seals them')
    if (emitted.length === 0) return
    defer(session.reader.insertInto('outgoing_events').values(emitted.map(events.seal)))
    if (events.stored) committed.push(events.stored)
  }
  const defer: TxTools['defer'] = (statement) => session.defer(statement.compile())
  const tx: Tx = Object.assign(session.reader, {
    scope,
    defer,
    require: (...required) => session.require(...required),
    inSavepoint: (run) => session.inSavepoint(run),
    async audit({ action, subject, detail = {}, team }) {
      const { actor, requestId } = typeof scope === 'object' ? scope : { actor: scope, requestId: undefined }
      const row = {
        team_id: teamOr(team),
        actor,
        action,
        subject: subject ?? null,
        detail: json(detail),
        request_id: requestId ?? null,
      }
      defer(session.reader.insertInto('audit').values(row))
    },
    emit: (event, data, team, resource) => emitAll([{ team: teamOr(team), event, data, resource }]),
    emitAll,
    async answer(body) {
      if (typeof scope === 'object') scope.idempotency?.answered(tx, body)
      return body
    },
    afterCommit(run) {
      committed.push(run)
    },
  } satisfies TxTools)
  return tx
}
