import { createHash, createHmac } from 'node:crypto'
import { seal, unseal } from '@accredit/process/seal'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Database, IdempotencyScope, Reader, Tx } from '../database/database.js'
import type { EventSealing } from '../database/outgoing-events.js'
import { ApiError, invalid } from '../errors.js'
import type { Random } from '../process/random.js'
import { bearerKey } from '../security/bearer-key.js'
import { callerName, type SponsorPrincipal, type TeamPrincipal } from '../security/principal.js'
import { idsIn } from './input/ids-in.js'

/** An answer as it is kept: enough to send it again. */
const StoredAnswer = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  kind: Type.Enum(['empty', 'json', 'text', 'bytes']),
  content: Type.String(),
})
export type StoredAnswer = Type.Static<typeof StoredAnswer>

type Principal = TeamPrincipal | SponsorPrincipal

export interface IdempotentRequest {
  principal: Principal
  /** The key or session as presented: it seals the answer. */
  secret: string
  /** The value of the Idempotency-Key header. */
  key: string
  method: string
  path: string
  /** The content that must be the same in a retry. */
  content: unknown
}

/** The right to carry out a request: nobody else does it at the same time, and its answer is kept for retries. */
export interface Claim extends IdempotencyScope {
  /** Keeps the answer; with `secret`, only the fact that there was one. */
  finish(answer: StoredAnswer, secret: boolean): Promise<void>
  /** The request failed: a retry may try again, unless something was changed already. */
  fail(answer: StoredAnswer | undefined): Promise<void>
}

export type Begun = { claim: Claim } | { replay: StoredAnswer }

const LEASE_SECONDS = 10
const RENEW_MS = 3000
const digest = (...parts: string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest()

/** The hash is keyed, since bodies may hold passwords, which nobody may guess from the stored hash. */
const macOf = ({ secret, content }: IdempotentRequest): Buffer =>
  createHmac('sha256', bearerKey(secret, 'idempotent request')).update(JSON.stringify(content)).digest()

interface ClaimedRow {
  id: number
  attempt: number
}

/**
 * Idempotency keys of one process. Its leases are renewed together; those of a killed process run out within 10
 * seconds.
 */
export class IdempotencyKeys {
  private readonly held = new Map<number, number>()
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly db: Database,
    private readonly random: Random,
    private readonly events: Pick<EventSealing, 'marksOf'>,
  ) {
    this.timer = setInterval(() => void this.renew().catch(() => undefined), RENEW_MS).unref()
  }

  close(): void {
    clearInterval(this.timer)
  }

  /**
   * Claims a key, or returns the first answer.
   *
   * @param headers the headers set so far, for answers that are stored inside a transaction
   */
  async begin(request: IdempotentRequest, headers: () => Record<string, string>): Promise<Begun> {
    if (!/^[\x21-\x7e]{1,255}$/.test(request.key))
      throw invalid('Idempotency-Key must be 1 to 255 visible ASCII characters')
    const keyHash = digest(request.method, request.path, request.key)
    const requestMac = macOf(request)
    const row = await this.db.transaction('system', async (tx): Promise<ClaimedRow | Buffer> => {
      tx.defer(
        tx
          .deleteFrom('idempotency_keys')
          .where('caller', '=', callerName(request.principal))
          .where('key_hash', '=', keyHash)
          .where('created', '<', sql<Date>`now() - interval '24 hours'`),
      )
      return (
        (await insertClaim(tx, request.principal, keyHash, requestMac)) ??
        takeOrReplay(tx, request.principal, keyHash, requestMac)
      )
    })
    const key = bearerKey(request.secret, 'idempotent answer')
    if (Buffer.isBuffer(row)) return { replay: parseAnswer(unseal(key, row, keyHash).toString()) }
    this.held.set(row.id, row.attempt)
    const sealed = (answer: StoredAnswer): Buffer =>
      seal(key, Buffer.from(JSON.stringify(answer)), keyHash, this.random.bytes)
    const marks = (ids: readonly string[]): Buffer[] => this.events.marksOf(request.principal.team, ids)
    return { claim: new HeldClaim(this.db, this.held, row, request.principal, { sealed, marks }, headers) }
  }

  private async renew(): Promise<void> {
    if (this.held.size === 0) return
    const ids = [...this.held.keys()]
    await this.db.transaction('system', async (tx) => {
      await sql`update service.idempotency_keys k set leased_until = ${leaseEnd}
        from unnest(${ids}::bigint[], ${ids.map((id) => this.held.get(id) ?? 0)}::int[]) as h (id, attempt)
        where k.id = h.id and k.attempt = h.attempt`.execute(tx)
    })
  }
}

const leaseEnd = sql<Date>`now() + make_interval(secs => ${LEASE_SECONDS})`

async function insertClaim(
  tx: Reader,
  principal: Principal,
  keyHash: Buffer,
  requestMac: Buffer,
): Promise<ClaimedRow | undefined> {
  return tx
    .insertInto('idempotency_keys')
    .values({
      team_id: principal.team,
      caller: callerName(principal),
      key_hash: keyHash,
      request_mac: requestMac,
      state: 'running',
      leased_until: leaseEnd,
    })
    .onConflict((conflict) => conflict.columns(['caller', 'key_hash']).doNothing())
    .returning(['id', 'attempt'])
    .executeTakeFirst()
}

/**
 * Answers for a key that was used before: by its sealed answer, by the claim of a process that died before it changed
 * anything, or with 409.
 */
async function takeOrReplay(
  tx: Reader,
  principal: Principal,
  keyHash: Buffer,
  requestMac: Buffer,
): Promise<ClaimedRow | Buffer> {
  const row = await tx
    .selectFrom('idempotency_keys')
    .select(['id', 'attempt', 'state', 'sealed', 'request_mac', sql<boolean>`leased_until > now()`.as('isHeld')])
    .where('caller', '=', callerName(principal))
    .where('key_hash', '=', keyHash)
    .forUpdate()
    .executeTakeFirst()
  const inProgress = new ApiError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still running',
    {
      headers: { 'Retry-After': '1' },
    },
  )
  if (!row) throw inProgress
  if (!row.request_mac.equals(requestMac))
    throw new ApiError('idempotency_mismatch', 'This Idempotency-Key was used for another request')
  if (row.sealed) return row.sealed
  if (row.state === 'secret')
    throw new ApiError('conflict', 'This request was carried out; its answer held a secret and is not shown again')
  if (row.isHeld) throw inProgress
  if (row.state === 'acted')
    throw new ApiError('conflict', 'This request was carried out, but its answer was lost: read the resource')
  const attempt = row.attempt + 1
  await tx.updateTable('idempotency_keys').set({ attempt, leased_until: leaseEnd }).where('id', '=', row.id).execute()
  return { id: row.id, attempt }
}

/** The form in which an answer is kept: sealed, and with marks of what it is about. */
interface Keeping {
  sealed(answer: StoredAnswer): Buffer
  marks(ids: readonly string[]): Buffer[]
}

class HeldClaim implements Claim {
  private hasActed = false
  private stored: StoredAnswer | undefined
  private about: readonly string[] = []
  private readonly answeredIn = new WeakMap<Reader, StoredAnswer>()

  constructor(
    private readonly db: Database,
    private readonly held: Map<number, number>,
    private readonly row: ClaimedRow,
    private readonly principal: Principal,
    private readonly keeps: Keeping,
    private readonly headers: () => Record<string, string>,
  ) {}

  acted(tx: Tx): void {
    if (!this.hasActed && !this.answeredIn.has(tx)) this.update(tx, 'acted')
  }

  answered(tx: Tx, body: unknown, about: readonly string[] = []): void {
    const answer = storedAnswer(200, body, this.headers())
    this.about = about
    this.update(tx, 'answered', answer)
    this.answeredIn.set(tx, answer)
  }

  /** This comes last: a transaction that was rolled back took its mark with it, and another one may follow. */
  committed(tx: Reader): void {
    this.hasActed = true
    this.stored = this.answeredIn.get(tx) ?? this.stored
  }

  async finish(answer: StoredAnswer, secret: boolean): Promise<void> {
    this.held.delete(this.row.id)
    if (JSON.stringify(answer) === JSON.stringify(this.stored)) return
    await this.db.transaction('system', async (tx) =>
      secret ? this.update(tx, 'secret') : this.update(tx, 'answered', answer),
    )
  }

  async fail(answer: StoredAnswer | undefined): Promise<void> {
    if (this.hasActed && answer) return this.finish(answer, false)
    this.held.delete(this.row.id)
    const { id, attempt } = this.row
    await this.db.transaction('system', async (tx) => {
      // A transaction that rolled back took its mark with it: only a claim that is still `running` is released.
      tx.defer(
        tx
          .deleteFrom('idempotency_keys')
          .where('id', '=', id)
          .where('attempt', '=', attempt)
          .where('state', '=', 'running'),
      )
    })
  }

  private update(tx: Tx, state: 'acted' | 'answered' | 'secret', answer?: StoredAnswer): void {
    const { id, attempt } = this.row
    const sealed = answer ? this.keeps.sealed(answer) : null
    const ids = answer ? [...idsIn(contentOf(answer)), ...this.about] : []
    const marks = ids.length > 0 ? this.keeps.marks(ids) : null
    tx.require(
      sql`update idempotency_keys set state = ${state}, sealed = ${sealed}, marks = ${marks}
        where id = ${id} and team_id = ${this.principal.team} and attempt = ${attempt} returning id`,
      new ApiError('idempotency_in_progress', 'Another process took this request over'),
    )
  }
}

const contentOf = ({ kind, content }: StoredAnswer): unknown => (kind === 'json' ? JSON.parse(content) : undefined)

export function storedAnswer(status: number, body: unknown, headers: Record<string, string>): StoredAnswer {
  if (body === undefined) return { status, headers, kind: 'empty', content: '' }
  if (Buffer.isBuffer(body)) return { status, headers, kind: 'bytes', content: body.toString('base64') }
  if (typeof body === 'string' && headers['content-type'] !== undefined)
    return { status, headers, kind: 'text', content: body }
  return { status, headers, kind: 'json', content: JSON.stringify(body) }
}

function parseAnswer(text: string): StoredAnswer {
  const answer: unknown = JSON.parse(text)
  if (!Check(StoredAnswer, answer)) throw new Error('a stored answer has another shape')
  return answer
}
