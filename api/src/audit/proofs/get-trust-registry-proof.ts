import { AtQuery, answerAt } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { RegistryParams, registryIdOf, registryNotFound } from '../registry-param.js'
import { ProofBundle } from './proof-bundle.js'
import { PROOF_ERRORS, PROOF_LIMITS, PROOF_NOTE, prove } from './prove.js'

export const getTrustRegistryProof = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/proof',
  operationId: 'getTrustRegistryProof',
  tags: ['trustRegistries'],
  summary: 'Prove what the ledger says of a trust registry',
  description: `Its convener, name, governance reference, version and counts, proved; or that it was removed, or never was. ${PROOF_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  params: RegistryParams,
  querystring: AtQuery,
  response: { 200: ProofBundle },
  errors: PROOF_ERRORS,
  limits: PROOF_LIMITS,
  handler: async (ctx, { params, query }) => {
    const at = await answerAt(ctx, query.at)
    const registryId = await registryIdOf(ctx, params.registryId, at)
    if (registryId === undefined) throw registryNotFound()
    return prove(ctx, { question: { kind: 'registry', registryId }, at, isNamedById: registryId === params.registryId })
  },
})
