import { traceparent } from '@accredit/process/tracing'
import { type Clock, systemClock } from '../process/clock.js'
import type { Billed } from './billing.js'
import type { Database, IdempotencyScope, Reader, Scope, TeamScope, Tx, TxTools } from './database.js'
import type { TeamId } from './ids.js'
import type { OutgoingEvent, OutgoingEvents } from './outgoing-events.js'
import type { Session } from './session.js'
import { json } from './tables.js'

export interface DatabaseServices {
  /** Seals outgoing events; without it none can be emitted. */
  events?: OutgoingEvents | undefined
  /** The time of audit rows, notifications and what plans count. */
  clock?: Clock
  /** True where plans count. */
  isBilling?: boolean
  /**
   * False where a transaction inside another one is let through, but for dry runs: to know which runs inside which, every
   * promise of the process is followed, on Node 20 at several times its cost. Code nests them or does not, whatever is
   * asked of it, so tests find it.
   */
  refusesNested?: boolean
}

/** A transaction on a session. Several may act in it. */
export class OpenTransaction {
  readonly #session: Session
  readonly #services: DatabaseServices
  readonly #clock: Clock
  readonly #billed: Billed[] = []
  readonly #claims: { tx: Tx; claim: IdempotencyScope }[] = []
  readonly #afterCommit: (() => void)[] = []
  readonly #afterFailure: ((db: Database) => Promise<void>)[] = []
  /** The scope that it began with, once it sees more. */
  #widened: TeamScope | undefined

  constructor(session: Session, services: DatabaseServices) {
    this.#session = session
    this.#services = services
    this.#clock = services.clock ?? systemClock
  }

  /** Returns the tools of who began it. */
  as(scope: Scope): Tx {
    return this.#toolsOf(scope, this.#session.reader)
  }

  #toolsOf(scope: Scope, reader: Reader): Tx {
    const teamOr = (team: TeamId | undefined): TeamId => team ?? teamOf(scope)
    const emitAll: TxTools['emitAll'] = async (emitted) => this.#emit(emitted, tx.trace())
    const tx: Tx = Object.assign(reader, {
      scope,
      trace: () => (typeof scope === 'object' ? scope.trace : undefined) ?? traceparent() ?? null,
      defer: (statement) => this.#session.defer(statement.compile()),
      require: (...required) => this.#session.require(...required),
      alsoSees: (teams) => {
        if (typeof scope !== 'object') throw new Error(`scope ${scope} is no team's: nothing is under it`)
        this.#session.limitTo({ ...scope, teams: [...scope.teams, ...teams] })
        this.#widened = scope
      },
      inSavepoint: (run) => this.#session.inSavepoint(run),
      settled: () => this.#session.settle(),
      onBehalfOf: (another) => {
        if (String(another.teams) !== String(teamsOf(scope)))
          throw new Error('a transaction sees the rows of the teams that it began for, and of no others')
        return this.#toolsOf(another, this.#session.newReader())
      },
      audit: async ({ action, subject, detail = {}, before, after, by, team }) => {
        const { actor, requestId, address } = by ?? actorOf(scope)
        const row = {
          team_id: teamOr(team),
          at: this.#clock.now(),
          actor,
          action,
          subject: subject ?? null,
          detail: json(detail),
          request_id: requestId ?? null,
          address: address ?? null,
          before: before === undefined ? null : json(before),
          after: after === undefined ? null : json(after),
        }
        this.#session.deferRows({ audit: [row] })
      },
      emit: (event, data, team, resource) => emitAll([{ team: teamOr(team), event, data, resource }]),
      emitAll,
      notify: (type, data, team) =>
        tx.defer(
          tx
            .insertInto('notifications')
            .values({ team_id: teamOr(team), type, data: json(data), created: this.#clock.now() }),
        ),
      bill: (kind, team) => {
        if (!this.#services.isBilling) return
        const { actor, requestId = null } = actorOf(scope)
        this.#billed.push({ team: teamOr(team), kind, actor, request: requestId })
      },
      answer: async (body, about) => {
        if (typeof scope === 'object') scope.idempotency?.answered(tx, body, about)
        return body
      },
      afterCommit: (run) => void this.#afterCommit.push(run),
      afterFailure: (run) => void this.#afterFailure.push(run),
    } satisfies TxTools)
    if (typeof scope === 'object' && scope.idempotency) this.#claims.push({ tx, claim: scope.idempotency })
    return tx
  }

  /** Marks that it changed something, for those whose requests can be repeated, and counts what plans count. */
  finish(): void {
    for (const { tx, claim } of this.#claims) claim.acted(tx)
    // In a dry run the session goes on.
    if (this.#widened) this.#session.limitTo(this.#widened)
    if (this.#billed.length === 0) return
    // The last statement: nobody of the team waits for longer than the commit takes.
    this.#session.defer({
      sql: 'select service.bill($1, $2)',
      parameters: [this.#clock.now(), json(this.#billed)],
    })
  }

  tellCommitted(): void {
    for (const { tx, claim } of this.#claims) claim.committed(tx)
    for (const tell of this.#afterCommit) tell()
  }

  async tellFailed(db: Database): Promise<void> {
    for (const tell of this.#afterFailure) await tell(db)
  }

  #emit(emitted: readonly OutgoingEvent[], ofRequest: string | null): void {
    const { events } = this.#services
    if (!events) throw new Error('this process emits no events: it was opened without the key that seals them')
    if (emitted.length === 0) return
    const traced = emitted.map(({ trace = ofRequest, ...event }) => ({ ...event, trace }))
    this.#session.deferRows({ outgoing_events: traced.flatMap(events.seal) })
    if (events.stored) this.#afterCommit.push(events.stored)
  }
}

type ActorFacts = Pick<TeamScope, 'actor' | 'requestId' | 'address'>

const actorOf = (scope: Scope): ActorFacts => (typeof scope === 'object' ? scope : { actor: scope })

const teamsOf = (scope: Scope): readonly TeamId[] => (typeof scope === 'object' ? scope.teams : [])

function teamOf(scope: Scope): TeamId {
  if (typeof scope === 'object') return scope.teams[0]
  throw new Error(`scope ${scope} has no team: name one`)
}
