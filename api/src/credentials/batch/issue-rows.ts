import { FORMATS, formatsOf } from '../../formats/formats.js'
import type { IdempotencyScope, Tx } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors.js'
import type { Context, Environment, OperationServices } from '../../platform/http/context.js'
import { idsIn } from '../../platform/http/input/ids-in.js'
import { fieldsOf, isFields } from '../../platform/http/input/json-schema.js'
import { refuseUnstorable } from '../../platform/http/input/request-body.js'
import { IGNORED_HEADER, ignoredHeader, inputReader, refuseIgnored } from '../../platform/http/input/unknown-members.js'
import type { FairQueue } from '../../platform/process/fair-queue.js'
import { toApiError } from '../../platform/to-api-error.js'
import { type IssueBody, issue, issueCredential } from '../issuing/issue-credential.js'
import { DONE, type HeldBatch, requireOutcome, type SealedRow } from './batch.store.js'
import { batchKey, openRow, sealRow } from './batch-seal.js'
import { firstOfKind } from './first-of-kind.js'

/** The times that a row is tried again at once when something failed that is no refusal. */
const MORE_TRIES = 2

export interface Turn {
  /** The rows of all teams that are in work in this process. */
  places: FairQueue
  /** True when no further row is to be begun. */
  isOver: () => boolean
  /** True when rows that cannot be done for a reason that passes have waited long enough. */
  isLast: boolean
}

/** Loads what issuing needs, once a process. @returns issues rows of a batch, and counts those that have to wait */
export async function openRowIssuer(environment: Environment) {
  const services = {
    ...environment,
    formats: formatsOf(FORMATS),
    statusMethods: await environment.loadStatusMethods(),
  }
  const read = inputReader(issueCredential, services)
  const key = batchKey(environment)

  return async function issueRows(batch: HeldBatch, rows: readonly SealedRow[], turn: Turn): Promise<number> {
    const inOrder = firstOfKind()
    let waiting = 0
    let next = 0
    const run = async (): Promise<void> => {
      for (let row = rows[next++]; row !== undefined && !turn.isOver(); row = rows[next++]) {
        const opened = new RowToIssue(services, { batch, row: row.row, key, read }, row.sealed)
        const tryIt = () => turn.places.run(`team ${batch.team_id}`, () => opened.issue(turn.isLast))
        if ((await inOrder(opened.kind, tryIt, 'issued')) === 'later') waiting++
      }
    }
    await Promise.all(Array.from({ length: ROWS_AT_ONCE }, run))
    return waiting
  }
}

/** The rows of a batch that are in work at once. */
const ROWS_AT_ONCE = 32

interface Origin {
  batch: HeldBatch
  row: number
  key: Uint8Array
  read: ReturnType<typeof inputReader>
}

/** The outcome of trying: issued, refused, or left for a later turn. */
type Tried = 'issued' | 'refused' | 'later'

class RowToIssue {
  private readonly text: string
  private headers: Record<string, string> = {}
  private ignored: readonly string[] = []
  private isStored = false

  constructor(
    private readonly services: Environment & OperationServices,
    private readonly from: Origin,
    sealed: Uint8Array,
  ) {
    const { batch, row, key } = from
    this.text = openRow(key, { seal: batch.seal, row, holds: 'request' }, sealed)
  }

  /** Tells what it needs of its issuer: of rows with the same need the first one makes what is missing. */
  get kind(): string {
    const body: unknown = JSON.parse(this.text)
    if (!isFields(body)) return ''
    const { credential, format, algorithm, revocable } = body
    const issuer = fieldsOf(credential).issuer
    return JSON.stringify([fieldsOf(issuer).id ?? issuer, format, algorithm, revocable])
  }

  async issue(isLast: boolean): Promise<Tried> {
    for (let more = MORE_TRIES; ; more--)
      try {
        return await this.tryIssue()
      } catch (error) {
        if (error === DONE) return 'issued'
        const refusal = toApiError(error)
        // A failure that is no refusal may be gone with the next try: another transaction was in the way, say.
        if (!(error instanceof ApiError) && refusal.status !== 503 && more > 0) continue
        if (isPassing(refusal) && !isLast) return 'later'
        if (refusal.status >= 500)
          this.services.log.error({ err: error, job: this.from.batch.job_id, row: this.from.row }, 'a row failed')
        return this.refuse(refusal)
      }
  }

  private async tryIssue(): Promise<Tried> {
    this.headers = {}
    this.isStored = false
    const ctx = this.context()
    const credential = await issue(ctx, this.readBody())
    // One without an issuer leaves no row of its own.
    if (!this.isStored) await this.storeAlone('issued', { credential })
    return 'issued'
  }

  private async refuse(refusal: ApiError): Promise<Tried> {
    await this.storeAlone('refused', { error: refusal.body() }).catch((error: unknown) => {
      if (error !== DONE) throw error
    })
    return 'refused'
  }

  private readBody(): IssueBody {
    const { limits } = this.services.config
    const bytes = Buffer.byteLength(this.text)
    if (bytes > limits.bodyBytes)
      throw new ApiError('payload_too_large', `The body has more than ${limits.bodyBytes.toLocaleString('en')} bytes`)
    const request = { ...this.request(), body: JSON.parse(this.text) }
    refuseUnstorable(request.body)
    const ignored = this.from.read(request)
    if (ignored.length > 0) this.headers[IGNORED_HEADER] = ignoredHeader(ignored)
    this.ignored = ignored
    return request.body
  }

  private request() {
    return { query: {}, params: {}, headers: this.from.batch.is_strict ? { prefer: 'handling=strict' } : {} }
  }

  /** The context that a request of this row alone would have. Its outcome is stored like the answer to a retry. */
  private context(): Context {
    const { services, from } = this
    const { batch, row } = from
    const requestId = batch.request_id ?? batch.job_id
    const outcome: IdempotencyScope = {
      acted: () => undefined,
      answered: (tx, credential, about) => this.store(tx, 'issued', { credential }, about),
      committed: () => undefined,
    }
    return {
      ...services,
      rest: (wait) => wait(),
      requestId,
      address: '',
      accept: undefined,
      acceptLanguage: batch.accept_language ?? undefined,
      authorization: undefined,
      contentType: undefined,
      ifMatch: undefined,
      lastEventId: undefined,
      reply: {
        header: (name, value) => {
          this.headers[name] = value
        },
        type: () => undefined,
        keepWhile: () => undefined,
      },
      team: batch.team_id,
      principal: batch.principal,
      scope: { teams: [batch.team_id], actor: batch.actor, requestId, idempotency: outcome },
      isStrict: batch.is_strict,
      ignore: (pointers) => {
        if (pointers.length === 0) return
        refuseIgnored(this.request(), [...pointers])
        this.ignored = [...this.ignored, ...pointers]
        this.headers[IGNORED_HEADER] = ignoredHeader(this.ignored)
      },
      log: services.log.child({ requestId, row }),
    }
  }

  private async storeAlone(state: 'issued' | 'refused', outcome: object): Promise<void> {
    const { team_id, actor } = this.from.batch
    await this.services.db.transaction({ teams: [team_id], actor }, async (tx) => this.store(tx, state, outcome))
  }

  private store(tx: Tx, state: 'issued' | 'refused', outcome: object, about: readonly string[] = []): void {
    const { batch, row, key } = this.from
    const headers = Object.keys(this.headers).length > 0 ? { headers: this.headers } : {}
    const place = { seal: batch.seal, row, holds: 'outcome' } as const
    const sealed = sealRow(key, place, { row, ...outcome, ...headers })
    // A refusal may quote what was sent.
    const ids = [...idsIn(JSON.parse(this.text)), ...idsIn(outcome), ...about]
    const marks = this.services.events.marksOf(batch.team_id, ids)
    requireOutcome(tx, { job: batch.job_id, row, state, sealed, marks: marks.length > 0 ? marks : null })
    this.isStored = true
  }
}

/** A refusal that says nothing of the row. */
const isPassing = ({ status }: ApiError): boolean => status === 503 || status === 429
