import { DidParams } from '../../dids/did.shape.js'
import { namedDid } from '../../dids/did-param.js'
import { AtQuery, answerAt } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { ProofBundle } from './proof-bundle.js'
import { PROOF_ERRORS, PROOF_LIMITS, PROOF_NOTE, prove } from './prove.js'

export const getDidProof = operation({
  method: 'GET',
  url: '/dids/:did/proof',
  operationId: 'getDidProof',
  tags: ['dids'],
  summary: 'Prove whether a DID of the ledger is in use',
  description: `Its counts of keys, controllers and services, proved; or that it is deactivated, or was never made. A did:key follows from itself and is 400. ${PROOF_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  params: DidParams,
  querystring: AtQuery,
  response: { 200: ProofBundle },
  errors: PROOF_ERRORS,
  limits: PROOF_LIMITS,
  handler: async (ctx, { params, query }) => {
    const did = namedDid(params.did, 'did')
    const at = await answerAt(ctx, query.at)
    return prove(ctx, { question: { kind: 'did', did }, at })
  },
})
