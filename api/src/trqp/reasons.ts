import { AUTHORIZATION_REASONS, type LedgerRole } from '../ledger/read/authorization.js'

export const QUERY_REASONS = [...AUTHORIZATION_REASONS, 'unknown_action', 'unknown_entity'] as const
export const RECOGNITION_REASONS = [...QUERY_REASONS, 'no_authority'] as const
export type Reason = (typeof RECOGNITION_REASONS)[number]

const ROLES: ReadonlyMap<string, LedgerRole> = new Map([
  ['issue', 'issuer'],
  ['verify', 'verifier'],
])

/** Returns the ledger's role for an action; undefined: no registry speaks about such an action. */
export const roleOfAction = (action: string): LedgerRole | undefined => ROLES.get(action)

/** The sentence `Not authorized: did:svc:… may not issue this schema, for the registry suspended it, since …` */
export function sentence(verdict: { authorized: boolean } | { recognized: boolean }, explanation: string): string {
  const words =
    'authorized' in verdict
      ? { is: verdict.authorized, yes: 'Authorized', no: 'Not authorized' }
      : { is: verdict.recognized, yes: 'Recognized', no: 'Not recognized' }
  return `${words.is ? words.yes : words.no}: ${explanation}`
}
