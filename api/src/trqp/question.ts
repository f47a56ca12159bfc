import { problems } from '../platform/http/problem-details.js'
import { TrqpQuery } from './query.shape.js'

/** The common traits of the protocol's operations: public, small, JSON or signed, refused in the protocol's form. */
export const trqpQuestion = {
  method: 'POST' as const,
  tags: ['trqp'],
  auth: 'public' as const,
  tenancy: 'public' as const,
  namesBlock: true,
  input: 'standard' as const,
  body: TrqpQuery,
  errors: ['not_found', 'not_acceptable', 'ledger_unavailable'] as const,
  limits: { bodyBytes: 16_384 },
  mediaTypes: ['application/json', 'application/jwt'],
  refusals: problems,
}
