import type { Did, Hex32 } from '@accredit/chain'
import { type ParticipantRow, participantsAt } from '../ecosystems/participant.queries.js'
import type { Paged, ReadPoint } from '../ecosystems/read-point.js'
import { type RegistryRow, registryAt, type Summary, summaryOf } from '../ecosystems/registry.queries.js'
import { type RegistrySchemaRow, registrySchemasAt } from '../ecosystems/registry-schemas.queries.js'
import { type RegistryRef, registryRef } from '../ecosystems/slug.js'
import { type HistoryPage, historyOf } from '../ledger/history.js'
import type { PublicContext } from '../platform/context.js'
import { cursorAfter, keyOfCursor } from '../platform/cursor.js'
import { ApiError } from '../platform/errors.js'
import { inWords } from './dates.js'
import { type Life, lifeOf, namesOf, pricesOf, schemaNames } from './ecosystem.queries.js'
import type { Asked } from './page-links.js'
import { participantsLike } from './participant-search.js'
import { didsIn, type Names, TOLD_EVENTS } from './timeline.js'

const PARTICIPANTS = 25
const SCHEMAS = 50
const EVENTS = 20

/** All that the page of an ecosystem tells, as of one point. */
export interface EcosystemFacts {
  asked: Asked
  point: ReadPoint
  registry: RegistryRow
  summary: Summary
  participants: Paged<ParticipantRow>
  pageSize: number
  schemas: Paged<RegistrySchemaRow>
  history: HistoryPage
  names: Names
  schemaName(hash: Hex32): string
  pricesOf(did: Did, schema: Hex32): Record<string, string>
  apiUrl: string
}

/** Throws 404 that says what there is instead, where the ledger did not have the registry at the point. */
export async function ecosystemFacts(
  ctx: PublicContext,
  slug: string,
  asked: Asked,
  point: ReadPoint,
): Promise<EcosystemFacts> {
  const ref = registryRef(slug)
  const shown = await ctx.db.read('public', async (reader) => {
    const registry = await registryAt(reader, point, ref)
    if (registry === undefined) throw notThere(await lifeOf(reader, ref, point), ref)
    const { id } = registry
    const page = { offset: (asked.page - 1) * PARTICIPANTS, limit: PARTICIPANTS }
    const participants = await participantsAt(reader, point, participantsLike(id, asked.search, point), page)
    const dids = participants.list.map(({ did }) => did)
    return {
      registry,
      participants,
      summary: await summaryOf(reader, point, id),
      schemas: await registrySchemasAt(reader, point, id, { offset: 0, limit: SCHEMAS }, 0),
      pricesOf: await pricesOf(reader, point, id, dids),
    }
  })
  const history = await historyPage(ctx, shown.registry.id, asked.before, point)
  const names = await namesIn(ctx, point, shown.participants.list, history)
  const schemaName = names.schema
  return { ...shown, asked, point, history, names, schemaName, pageSize: PARTICIPANTS, apiUrl: ctx.config.apiUrl }
}

async function historyPage(
  ctx: PublicContext,
  trustRegistryId: Hex32,
  before: string | undefined,
  at: ReadPoint,
): Promise<HistoryPage> {
  const filter = { trustRegistryId, events: TOLD_EVENTS }
  const after = before === undefined ? undefined : keyOfCursor(filter, before, 'before')
  const page = await historyOf(ctx.index, filter, { at, order: 'desc', after, limit: EVENTS })
  return { ...page, next: page.next && cursorAfter(filter, page.next) }
}

function namesIn(
  ctx: PublicContext,
  point: ReadPoint,
  participants: readonly ParticipantRow[],
  { list }: HistoryPage,
): Promise<Names> {
  const hashes = [
    ...participants.flatMap(({ issuer_ids, verifier_ids }) => [...issuer_ids, ...verifier_ids]),
    ...list.map(({ schema_id }) => schema_id).filter((hash) => hash !== null),
  ]
  return ctx.db.read('public', async (reader) => ({
    did: await namesOf(reader, didsIn(list), point),
    schema: await schemaNames(reader, hashes),
  }))
}

function notThere(life: Life | undefined, ref: RegistryRef): ApiError {
  if (life === undefined) {
    const text =
      'slug' in ref
        ? 'No ecosystem has this address. If one had it in the past, choose a date on which it did.'
        : 'The ledger never had a trust registry of this id.'
    return new ApiError('not_found', text)
  }
  const { created, removed } = life
  const [title, message] =
    removed === null
      ? ['This ecosystem did not exist yet', `It was founded on ${inWords(created)}. Choose a later date.`]
      : [
          'This ecosystem was not there then',
          `It was there from ${inWords(created)} until ${inWords(removed)}. Choose a date between them.`,
        ]
  return new ApiError('not_found', message, { members: { title } })
}
