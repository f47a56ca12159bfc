import { Type } from 'typebox'
import { BILLED_KINDS } from '../../platform/database/billing.js'

export const COUNTED =
  'A transaction is a credential issued, a verification answered, or a ledger action that is final. Each is counted once, with the thing itself; retries, refusals and dry runs count nothing, and a sandbox counts nothing at all.'

export const KindCounts = {
  credential: Type.Integer({ description: 'Credentials issued' }),
  verification: Type.Integer({ description: 'Verifications answered' }),
  ledgerAction: Type.Integer({ description: 'Ledger actions that became final' }),
}

export const Transaction = Type.Object({
  id: Type.Integer({ description: 'Its number, which grows' }),
  time: Type.String({ description: 'The time at which it was counted' }),
  kind: Type.Enum([...BILLED_KINDS], { description: 'The kind of transaction' }),
  account: Type.Integer({ description: 'The team, or the sub-account, that made it' }),
  actor: Type.String({
    description: 'The key or person who asked: key:5, user:7; system: the ledger told that it is final',
  }),
  requestId: Type.Union([Type.String(), Type.Null()], { description: 'The request, as in the audit and the log' }),
})
