import { Type } from 'typebox'
import { type At, answerAt, resolveAt } from '../ledger/read/at.js'
import { parseBound, refuseBackwards } from '../ledger/read/history/history-filter.js'
import { CHANGES, type RegistryChange, registryDiff } from '../ledger/read/history/registry-diff.js'
import { invalid } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { cursorAfter, keyOfCursor } from '../platform/http/cursor.js'
import { operation } from '../platform/http/operation.js'
import { ACTOR } from './ledger-event.shape.js'
import { RegistryParams, registryExists, registryIdOf, registryNotFound } from './registry-param.js'
import { schemaUris } from './schema-uris.js'

const point = (description: string) =>
  Type.Object(
    {
      block: Type.Integer({ description: 'The block that was current then' }),
      time: Type.String({ format: 'date-time', description: 'The time of that block' }),
    },
    { description },
  )

const Change = Type.Object({
  change: Type.Enum([...CHANGES], { description: 'The kind of difference' }),
  did: Type.Optional(Type.String({ description: 'The DID that it is about' })),
  schemaId: Type.Optional(Type.String({ description: 'The hash of the schema' })),
  schemaUri: Type.Optional(Type.String({ description: 'Its URI, where this service knows it' })),
  role: Type.Optional(
    Type.Union([Type.Literal('issuer'), Type.Literal('verifier')], { description: 'Of a right: which one' }),
  ),
  via: Type.Optional(Type.String({ description: 'The issuer that delegated' })),
  before: Type.Optional(
    Type.Any({ description: 'The fact as it was: a name, a reference, prices in millionths by currency' }),
  ),
  after: Type.Optional(Type.Any({ description: 'The fact as it is' })),
  event: Type.Optional(Type.String({ description: 'The last event between the points that made it, <block>-<index>' })),
  actor: Type.Optional(Type.String({ description: ACTOR })),
  keyId: Type.Optional(Type.Integer({ description: 'The number of its key that signed' })),
  block: Type.Optional(Type.Integer({ description: 'The block of that event' })),
  time: Type.Optional(Type.String({ format: 'date-time', description: 'The time of that block' })),
})

const POINT = 'a block number, an ISO 8601 instant with its offset, or a full date (its last millisecond)'

export const getRegistryDiff = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/diff',
  operationId: 'getRegistryDiff',
  tags: ['trustRegistries'],
  summary: 'Compare a trust registry at two points in time',
  description:
    'The differences at `to` from what was so at `from`, by whom and by which event: participants, rights, prices, delegates, ' +
    'suspensions, schemas, name, governance and convener, and which of those listed at `to` were deactivated. What came and went between them is no difference; the history tells it.',
  auth: 'public',
  tenancy: 'public',
  namesBlock: true,
  params: RegistryParams,
  querystring: Type.Object({
    from: Type.String({ maxLength: 64, description: `The earlier point: ${POINT}` }),
    to: Type.Optional(Type.String({ maxLength: 64, description: `The later point: ${POINT}. Default: now` })),
    cursor: Type.Optional(
      Type.String({ maxLength: 800, description: 'next of the page before; without `to`, of the same later point' }),
    ),
    limit: Type.Integer({ minimum: 1, maximum: 1000, default: 64, description: 'The number of entries to answer' }),
  }),
  response: {
    200: Type.Object({
      registryId: Type.String({ description: 'The trust registry' }),
      from: point('The earlier point'),
      to: point('The later point'),
      list: Type.Array(Change, { description: 'The differences of this page' }),
      next: Type.Union([Type.String(), Type.Null()], {
        description: 'The cursor of the next page; null: this is the last',
      }),
    }),
  },
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query }) => {
    const asked = ['diff', params.registryId, query.from, query.to]
    const place = query.cursor === undefined ? undefined : placeOf(keyOfCursor(asked, query.cursor))
    const { from, to } = await pointsOf(ctx, query.from, query.to ?? place?.to)
    const registryId = await registryIdOf(ctx, params.registryId, to)
    if (registryId === undefined) throw registryNotFound()
    await registryExists(ctx, registryId, to)
    const slice = { from, to, first: query.limit, after: place?.key }
    const { list, hasMore } = await registryDiff(ctx.index, registryId, slice)
    const uriOf = await schemaUris(
      ctx,
      list.map(({ schemaId }) => schemaId),
    )
    const last = list.at(-1)
    return {
      registryId,
      from: { block: from.block, time: from.time.toISOString() },
      to: { block: to.block, time: to.time.toISOString() },
      list: list.map((change) => told(change, uriOf)),
      next: hasMore && last !== undefined ? cursorAfter(asked, `${to.block} ${last.key}`) : null,
    }
  },
})

/** All pages of one comparison are of one later point, also where that was `now`. */
function placeOf(key: string): { to: string; key: string } {
  const [, to, rest] = /^(\d{1,9}) (.+)$/s.exec(key) ?? []
  if (to === undefined || rest === undefined) throw invalid('cursor must be one that a page before answered')
  return { to, key: rest }
}

async function pointsOf(ctx: PublicContext, earlier: string, later: string | undefined): Promise<{ from: At; to: At }> {
  refuseBackwards({ from: parseBound(earlier, 'from'), ...(later !== undefined && { to: parseBound(later, 'to') }) })
  const to = await answerAt(ctx, later, { name: "'to'" })
  const from = await resolveAt(ctx.index, earlier, ctx.clock, { name: "'from'" })
  if (from.block > to.block) throw invalid('from must not be later than to')
  return { from, to }
}

function told(
  { change, did, schemaId, role, via, before, after, event, block, time, actor, keyId }: RegistryChange,
  uriOf: (schemaId: string) => string | undefined,
) {
  const schemaUri = schemaId === null ? undefined : uriOf(schemaId)
  return {
    change,
    ...(did !== null && { did }),
    ...(schemaId !== null && { schemaId }),
    ...(schemaUri !== undefined && { schemaUri }),
    ...(role !== null && { role }),
    ...(via !== null && { via }),
    ...(before !== null && { before }),
    ...(after !== null && { after }),
    ...(event !== null && { event }),
    ...(actor !== null && { actor }),
    ...(keyId !== null && { keyId }),
    ...(block !== null && { block }),
    ...(time !== null && { time: time.toISOString() }),
  }
}
