import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { accumulatorChanges } from '../ledger/read/accumulators.js'
import { AtQuery, answerAt } from '../ledger/read/at.js'
import { revocationRegistryAt } from '../ledger/read/status-list.js'
import { invalid, notFound } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { RegistryId } from './registry.shape.js'

const Indexes = (description: string) => Type.Array(Type.Integer(), { description })

const Update = Type.Object({
  version: Type.Integer({ description: 'The version that it made' }),
  accumulated: Type.String({ description: 'The value from this version on, 0x and 48 bytes' }),
  block: Type.Integer({ description: 'The block that it is in' }),
  additions: Indexes('The revocationIds of credentials that are good again'),
  removals: Indexes('The revocationIds of credentials that were revoked'),
  witnessUpdateInfo: Type.String({ description: 'The information that a witness is updated with, 0x' }),
})

/** Each may have 64 KiB of information. */
const MOST = 64

export const listAccumulatorUpdates = operation({
  method: 'GET',
  url: '/registries/:id/updates',
  operationId: 'listAccumulatorUpdates',
  tags: ['registries'],
  summary: 'List the updates of an accumulator',
  description:
    'For holders: with all updates after the version of their witness, in their order, they bring it to the present value themselves, and nobody learns which credential they have. An empty list: the witness is up to date. 400 for registries of other types.',
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({ id: RegistryId }),
  querystring: Type.Object({
    ...AtQuery.properties,
    from: Type.Integer({
      minimum: 0,
      maximum: 4_294_967_295,
      default: 0,
      description: 'The version of the witness: what follows it is answered. The first version of a registry is 0',
    }),
    limit: Type.Integer({
      minimum: 1,
      maximum: MOST,
      default: MOST,
      description: 'The number of updates to answer; the next page is from the last version of this one',
    }),
  }),
  response: { 200: Type.Array(Update) },
  errors: ['not_found', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, query }) => {
    const id = parseHex32(params.id)
    if (!id) throw notFound('Registry')
    const at = await answerAt(ctx, query.at)
    const registry = await revocationRegistryAt(ctx.index, id, at)
    if (!registry || registry.isRemoved) throw notFound('Registry')
    if (registry.kind !== 'Accumulator') throw invalid('Only accumulators have updates; a status list has a list')
    return accumulatorChanges(ctx.index, id, { after: query.from, limit: query.limit, block: at.block })
  },
})
