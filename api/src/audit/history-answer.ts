import type { Readable } from 'node:stream'
import type { Did, Hex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { namedDid } from '../dids/did-param.js'
import { parseSchemaRef } from '../ecosystems/names/schema-ref.js'
import { type At, AtQuery, answerAt } from '../ledger/read/at.js'
import { type HistoryEvent, historyOf, refuseMixedBackwards, wholeHistory } from '../ledger/read/history/history.js'
import { type HistoryFilter, parseBound, refuseBackwards } from '../ledger/read/history/history-filter.js'
import type { PublicContext } from '../platform/http/context.js'
import { cursorAfter, keyOfCursor } from '../platform/http/cursor.js'
import { schemaRefText } from '../platform/http/identifiers.js'
import { STREAM_CHUNK, streamedList, wantedStream } from '../platform/http/streamed-list.js'
import { EVENT_NAMES, eventNames } from './event-names.js'
import { LedgerEvent, ledgerEvent } from './ledger-event.shape.js'
import { schemaUris } from './schema-uris.js'

const MAX_LIMIT = 1000
const LIMIT = 64

export const HistoryQuery = Type.Object({
  event: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z.]+(,[A-Za-z.]+)*$',
      maxLength: 1000,
      description: `Names of events, comma between, with their pallet or without: IssuerSuspended or TrustRegistry.IssuerSuspended. Known: ${EVENT_NAMES.join(', ')}`,
    }),
  ),
  did: Type.Optional(Type.String({ maxLength: 512, description: 'It acted, or it happened to it' })),
  schema: Type.Optional(schemaRefText()),
  from: Type.Optional(
    Type.String({ maxLength: 64, description: 'First block or instant; a full date begins at its midnight in UTC' }),
  ),
  to: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Last block or instant; a full date ends with its last millisecond in UTC',
    }),
  ),
  order: Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
    default: 'desc',
    description: 'desc: newest first',
  }),
  cursor: Type.Optional(
    Type.String({ maxLength: 64, description: 'next of the page before, with the same filters and order' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, description: `${LIMIT} when left out; of a page, not of a stream` }),
  ),
  at: AtQuery.properties.at,
})
type HistoryQuery = Static<typeof HistoryQuery>

const Page = Type.Object({
  total: Type.Integer({ description: 'The number of matches, on all pages' }),
  list: Type.Array(LedgerEvent, { description: 'The events of this page' }),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'The cursor of the next page; null: this is the last',
  }),
})

/** Returns the page, or all of it as a stream where the caller accepts `application/x-ndjson` or `text/csv`. */
export const HistoryAnswer = Type.Unsafe<Static<typeof Page> | Readable>(Page)

const EVENT_COLUMNS = [
  'id',
  'block',
  'time',
  'event',
  'actor',
  'keyId',
  'nonce',
  'callHash',
  'submitter',
  'extrinsicHash',
  'registryId',
  'schemaId',
  'schemaUri',
  'subject',
  'before',
  'after',
] as const satisfies readonly (keyof LedgerEvent)[]

/** The part of the filter that the route itself gives: a registry, or a DID. */
export interface Subject {
  trustRegistryId?: Hex32
  revocationRegistryId?: Hex32
  did?: Did
}

/**
 * Answers a history route. `subjectAt` throws 404 where the ledger had never heard of the thing at that point; `exists`
 * does too, and is asked only when nothing was found.
 */
export async function answerHistory(
  ctx: PublicContext,
  query: HistoryQuery,
  subjectAt: (at: At) => Promise<Subject>,
  exists?: (subject: Subject, at: At) => Promise<void>,
): Promise<Static<typeof HistoryAnswer>> {
  const { order, limit = LIMIT, cursor } = query
  const stream = wantedStream(ctx, { limit: query.limit, cursor })
  const at = await answerAt(ctx, query.at, { mayBeStale: true })
  const subject = await subjectAt(at)
  const filter = filterOf(query, subject)
  await refuseMixedBackwards(ctx.index, filter)
  if (stream !== undefined) {
    await exists?.(subject, at)
    const chunks = chunksOf(ctx, wholeHistory(ctx.index, filter, { at, order }))
    return streamedList(ctx, stream, { columns: EVENT_COLUMNS, chunks })
  }
  const asked = { filter, order }
  const after = cursor === undefined ? undefined : keyOfCursor(asked, cursor)
  const { total, list, next } = await historyOf(ctx.index, filter, { at, order, limit, after })
  if (total === 0) await exists?.(subject, at)
  return { total, list: await told(ctx, list), next: next === undefined ? null : cursorAfter(asked, next) }
}

function filterOf(query: HistoryQuery, { did, ...registry }: Subject): HistoryFilter {
  const dids = [did, query.did === undefined ? undefined : namedDid(query.did, 'did')].filter(
    (one) => one !== undefined,
  )
  const filter = {
    ...registry,
    ...(dids.length > 0 && { dids }),
    ...(query.event !== undefined && { events: eventNames(query.event.split(',')) }),
    ...(query.schema !== undefined && { schemaId: parseSchemaRef(query.schema, 'schema').hash }),
    ...(query.from !== undefined && { from: parseBound(query.from, 'from') }),
    ...(query.to !== undefined && { to: parseBound(query.to, 'to') }),
  }
  refuseBackwards(filter)
  return filter
}

async function told(ctx: PublicContext, rows: HistoryEvent[]): Promise<LedgerEvent[]> {
  const uriOf = await schemaUris(
    ctx,
    rows.map((row) => row.schema_id),
  )
  return rows.map((row) => ledgerEvent(row, uriOf))
}

async function* chunksOf(ctx: PublicContext, rows: AsyncIterable<HistoryEvent>): AsyncGenerator<LedgerEvent[]> {
  let chunk: HistoryEvent[] = []
  for await (const row of rows) {
    chunk.push(row)
    if (chunk.length < STREAM_CHUNK) continue
    yield await told(ctx, chunk)
    chunk = []
  }
  if (chunk.length > 0) yield await told(ctx, chunk)
}
