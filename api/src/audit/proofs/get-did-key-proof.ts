import { Type } from 'typebox'
import { DidParams } from '../../dids/did.shape.js'
import { namedDid } from '../../dids/did-param.js'
import { AtQuery, answerAt } from '../../ledger/read/at.js'
import { operation } from '../../platform/http/operation.js'
import { ProofBundle } from './proof-bundle.js'
import { PROOF_ERRORS, PROOF_LIMITS, PROOF_NOTE, prove } from './prove.js'

export const getDidKeyProof = operation({
  method: 'GET',
  url: '/dids/:did/keys/:keyNumber/proof',
  operationId: 'getDidKeyProof',
  tags: ['dids'],
  summary: 'Prove a key of a DID of the ledger',
  description: `The key #keys-N with its kind and relationships, proved; or that it was retired or revoked, or never was. It tells the key's state at that block: a later one may revoke it, which takes back all trust in what it signed, at every \`at\` of verify. ${PROOF_NOTE}`,
  auth: 'public',
  tenancy: 'public',
  params: Type.Object({
    ...DidParams.properties,
    keyNumber: Type.Integer({ minimum: 1, maximum: 4_294_967_295, description: 'N of the key #keys-N' }),
  }),
  querystring: AtQuery,
  response: { 200: ProofBundle },
  errors: PROOF_ERRORS,
  limits: PROOF_LIMITS,
  handler: async (ctx, { params: { did: named, keyNumber }, query }) => {
    const did = namedDid(named, 'did')
    const at = await answerAt(ctx, query.at)
    return prove(ctx, { question: { kind: 'key', did, keyNumber }, at })
  },
})
