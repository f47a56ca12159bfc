import { Type } from 'typebox'
import { invalid, notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { StatusParams } from './get-revocation-status.js'
import { findRegistry } from './registry.store.js'
import { parseId } from './revocation-id.js'

export const getRevocationWitness = operation({
  method: 'GET',
  url: '/revocationStatus/:regId/:revId/witness',
  operationId: 'getRevocationWitness',
  tags: ['revocationStatus'],
  summary: 'Get the witness of a member of an accumulator',
  description: 'Status lists have no witnesses: 400. Accumulators are not available yet.',
  auth: 'key',
  tenancy: 'public',
  params: StatusParams,
  response: { 200: Type.Object({ value: Type.String() }) },
  codes: [400, 402, 404],
  handler: async (ctx, { params }) => {
    const id = parseId(params.regId)
    const registry = id && (await ctx.db.read(ctx.scope, (reader) => findRegistry(reader, id)))
    if (!registry) throw notFound('Registry')
    throw invalid(`A registry of type ${registry.type} has no witnesses`)
  },
})
