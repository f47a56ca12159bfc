import type { Hex32 } from '@accredit/chain'
import { displayNames } from '../ecosystems/participants/display-name.js'
import type { ParticipantRow } from '../ecosystems/participants/participant.queries.js'
import { participantsByName } from '../ecosystems/participants/participants-by-name.js'
import { reasonsOf } from '../ecosystems/participants/suspension-reason.store.js'
import type { AnsweredPoint, Paged, ReadPoint } from '../ecosystems/read-point.js'
import { type RegistryRow, registryAt } from '../ecosystems/registries/registry.queries.js'
import { type RegistryRef, registryRef } from '../ecosystems/registries/slug.js'
import { idOfRef, presentSlug } from '../ecosystems/registries/slug.queries.js'
import { type RegistrySchemaRow, registrySchemasAt } from '../ecosystems/schemas/registry-schemas.queries.js'
import { type HistoryPage, historyOf } from '../ledger/read/history/history.js'
import { type Life, lifeOf, type Summary, summaryOf } from '../ledger/read/registries/registry-states.js'
import type { ApiError } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { cursorAfter, keyOfCursor } from '../platform/http/cursor.js'
import { wordsOf } from '../platform/http/search.js'
import { FairQueue } from '../platform/process/fair-queue.js'
import { networkOf } from '../platform/security/client-address.js'
import { ownLogos } from '../profiles/logo-copies.js'
import { schemaNames } from './ecosystem.queries.js'
import { type Asked, pageOf } from './page-links.js'
import { pageRefusal } from './page-refusal.js'
import { didsIn, isSuspension, type Names, TOLD_EVENTS } from './timeline.js'
import type { Words } from './words.js'

const PARTICIPANTS = 25
const SCHEMAS = 50
const EVENTS = 20

/** A search looks at every participant, and anyone may search. */
const searches = new FairQueue({ running: 2, waiting: 32, waitingPerCaller: 8 })

/** Everything that the page of an ecosystem tells, as of one point. */
export interface EcosystemFacts {
  words: Words
  asked: Asked
  point: AnsweredPoint
  registry: RegistryRow
  summary: Summary
  participants: Paged<ParticipantRow>
  pageSize: number
  schemas: Paged<RegistrySchemaRow>
  history: HistoryPage
  names: Names
  schemaName(hash: Hex32): string
  /** Addresses of logos here, by the address that somebody gave. */
  logos: Map<string, string>
  /** The reasons of suspensions, by `keyOf` their event. */
  reasons: Map<string, string>
  apiUrl: string
  /** True where validators vote for what the ledger says: an embedded one has none. */
  isProvable: boolean
  /** The address of this software's source, and with it of the verifier, where its operators tell one. */
  sourceUrl: string | undefined
}

/**
 * Throws 404 or 410 with an alternative, where the ledger did not have the registry at the point, and 301 where it has
 * another slug now.
 */
export async function ecosystemFacts(
  ctx: PublicContext,
  slug: string,
  asked: Asked,
  point: AnsweredPoint,
  words: Words,
): Promise<EcosystemFacts> {
  const ref = registryRef(slug)
  const shown = await ctx.db.read('public', async (reader) => {
    const registry = await registryAt(reader, point, ref)
    if (registry === undefined) throw notThere(await lifeOf(reader, idOfRef(ref, point)), point, ref, words)
    const { id } = registry
    const slug = 'slug' in ref ? await presentSlug(reader, id) : undefined
    if ('slug' in ref && slug !== undefined && slug !== ref.slug)
      throw moved(pageOf(ctx.config.webUrl, slug, asked), words)
    return {
      registry,
      summary: await summaryOf(reader, point, id),
      schemas: await registrySchemasAt(reader, point, id, { offset: 0, limit: SCHEMAS }, 0),
    }
  })
  const { id } = shown.registry
  const participants = await participantsPage(ctx, id, asked, point)
  const history = await historyPage(ctx, id, asked.before, point)
  const names = await namesIn(ctx, point, id, participants.list, history)
  const logoUrls = [shown.registry, ...participants.list].map(({ logo_url }) => logo_url ?? '')
  const { logos, reasons } = await ctx.db.read('public', async (reader) => ({
    logos: await ownLogos(reader, logoUrls, ctx.config.apiUrl),
    reasons: await reasonsOf(reader, id, suspensionsIn(history)),
  }))
  return {
    ...shown,
    words,
    asked,
    point,
    participants,
    history,
    names,
    logos,
    reasons,
    schemaName: names.schema,
    pageSize: PARTICIPANTS,
    apiUrl: ctx.config.apiUrl,
    sourceUrl: ctx.config.sourceUrl,
    isProvable: (await ctx.index.head()).isNetwork,
  }
}

const suspensionsIn = ({ list }: HistoryPage) =>
  list.flatMap((event) =>
    isSuspension(event) && event.subject !== null ? [{ did: event.subject, time: event.time }] : [],
  )

/** Returns a page of all participants, or of those that are searched for. */
function participantsPage(
  ctx: PublicContext,
  registry: Hex32,
  asked: Asked,
  point: ReadPoint,
): Promise<Paged<ParticipantRow>> {
  const page = { offset: (asked.page - 1) * PARTICIPANTS, limit: PARTICIPANTS }
  const words = wordsOf(asked.search)
  const read = () => ctx.db.read('public', (reader) => participantsByName(reader, point, { registry, words }, page))
  return words === undefined ? read() : searches.run(networkOf(ctx), read)
}

async function historyPage(
  ctx: PublicContext,
  trustRegistryId: Hex32,
  before: string | undefined,
  at: ReadPoint,
): Promise<HistoryPage> {
  const filter = { trustRegistryId, events: TOLD_EVENTS }
  const after = before === undefined ? undefined : keyOfCursor(filter, before, 'before')
  const page = await historyOf(ctx.index, filter, { at, order: 'desc', after, limit: EVENTS, isNetOnly: true })
  return { ...page, next: page.next && cursorAfter(filter, page.next) }
}

function namesIn(
  ctx: PublicContext,
  point: ReadPoint,
  registry: Hex32,
  participants: readonly ParticipantRow[],
  { list }: HistoryPage,
): Promise<Names> {
  const hashes = [
    ...participants.flatMap(({ issuer_ids, verifier_ids }) => [...issuer_ids, ...verifier_ids]),
    ...list.map(({ schema_id }) => schema_id).filter((hash) => hash !== null),
  ]
  return ctx.db.read('public', async (reader) => {
    const suspending = participants.flatMap(({ suspended_by }) => suspended_by ?? [])
    const names = await displayNames(reader, point, registry, [...new Set([...didsIn(list), ...suspending])])
    return { did: (did) => names.get(did) ?? did, schema: await schemaNames(reader, hashes) }
  })
}

const moved = (address: string, words: Words): ApiError =>
  pageRefusal('moved', {
    title: words.plain('movedTitle'),
    text: words.plain('moved', { address }),
    address,
    headers: { Location: address },
  })

function notThere(life: Life | undefined, { instant }: ReadPoint, ref: RegistryRef, words: Words): ApiError {
  if (life === undefined) {
    const text = words.plain('slug' in ref ? 'neverEcosystemHere' : 'neverRegistry')
    return pageRefusal('not_found', { title: words.plain('noSuchEcosystem'), text })
  }
  const { created, removed } = life
  if (removed === null) {
    const text = words.plain('notYet', { moment: words.momentOf(created) })
    return pageRefusal('not_found', { title: words.plain('notYetTitle'), text })
  }
  const text = words.plain('notThen', { created: words.momentOf(created), removed: words.momentOf(removed) })
  return pageRefusal(removed <= instant ? 'gone' : 'not_found', { title: words.plain('notThenTitle'), text })
}
