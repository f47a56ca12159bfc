import { namedDid } from '../../dids/did-param.js'
import { parseSchemaRef } from '../../ecosystems/names/schema-ref.js'
import { answerAt } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { AuthorizationQuery } from '../get-authorization.js'
import { RegistryParams, registryIdOf, registryNotFound } from '../registry-param.js'
import { ProofBundle } from './proof-bundle.js'
import { PROOF_ERRORS, PROOF_LIMITS, PROOF_NOTE, prove } from './prove.js'

export const getAuthorizationProof = operation({
  method: 'GET',
  url: '/trust-registries/:registryId/authorization/proof',
  operationId: 'getAuthorizationProof',
  tags: ['trustRegistries'],
  summary: 'Prove whether a DID may issue or verify a schema',
  description: `The answer of getAuthorization to the same question, proved; a refusal and its reason no less than a right. ${PROOF_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  params: RegistryParams,
  querystring: AuthorizationQuery,
  response: { 200: ProofBundle },
  errors: PROOF_ERRORS,
  limits: PROOF_LIMITS,
  handler: async (ctx, { params, query: { did: named, schema, role, at: requested } }) => {
    const did = namedDid(named, 'did')
    const { hash: schemaId } = parseSchemaRef(schema, 'schema')
    const at = await answerAt(ctx, requested)
    const registryId = await registryIdOf(ctx, params.registryId, at)
    if (registryId === undefined) throw registryNotFound()
    const question = { kind: 'authorization', registryId, schemaId, did, role }
    return prove(ctx, { question, at, isNamedById: registryId === params.registryId })
  },
})
