import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { AtQuery, answerAt } from '../../ledger/read/at.js'
import { notFound } from '../../platform/errors.js'
import { operation } from '../../platform/http/operation.js'
import { RevocationRegistryParams } from '../registry-param.js'
import { ProofBundle } from './proof-bundle.js'
import { PROOF_ERRORS, PROOF_LIMITS, PROOF_NOTE, prove } from './prove.js'

export const getStatusProof = operation({
  method: 'GET',
  url: '/registries/:id/status/:index/proof',
  operationId: 'getStatusProof',
  tags: ['registries'],
  summary: 'Prove whether an index of a revocation registry is revoked',
  description: `The index is the one in the status entry of the credential. ${PROOF_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({
    ...RevocationRegistryParams.properties,
    index: Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'The place in the registry' }),
  }),
  querystring: AtQuery,
  response: { 200: ProofBundle },
  errors: PROOF_ERRORS,
  limits: PROOF_LIMITS,
  handler: async (ctx, { params: { id, index }, query }) => {
    const registryId = parseHex32(id)
    if (registryId === undefined) throw notFound('Registry')
    const at = await answerAt(ctx, query.at)
    return prove(ctx, { question: { kind: 'status', registryId, index }, at })
  },
})
