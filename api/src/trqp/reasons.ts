import { AUTHORIZATION_REASONS, type LedgerRole } from '../ledger/authorization.js'

export const QUERY_REASONS = [...AUTHORIZATION_REASONS, 'unknown_action', 'unknown_entity'] as const
export const RECOGNITION_REASONS = [...QUERY_REASONS, 'no_authority'] as const
export type Reason = (typeof RECOGNITION_REASONS)[number]

const ROLES: ReadonlyMap<string, LedgerRole> = new Map([
  ['issue', 'issuer'],
  ['verify', 'verifier'],
])

/** What the ledger calls who does it; undefined: no registry speaks about such an action. */
export const roleOfAction = (action: string): LedgerRole | undefined => ROLES.get(action)

const SENTENCES: Record<Reason, string> = {
  direct: 'the registry lists it',
  delegated: 'an issuer that the registry lists delegated to it',
  public_schema: 'anyone may verify this schema',
  suspended: 'it is suspended in the registry',
  delegator_suspended: 'the issuer that delegated to it is suspended in the registry',
  deactivated: 'its DID is deactivated',
  not_listed: 'the registry does not list it for this',
  unknown_registry: 'the ledger had no such registry at that time',
  unknown_schema: 'the registry does not have this resource',
  unknown_action: 'the registry says nothing about this action',
  unknown_entity: 'it is no DID that a registry can list',
  no_authority: 'it convenes no other registry that is this resource',
}

/** `Not authorized: it is suspended in the registry.` */
export function sentence(verdict: { authorized: boolean } | { recognized: boolean }, reason: Reason): string {
  const words =
    'authorized' in verdict
      ? { is: verdict.authorized, yes: 'Authorized', no: 'Not authorized' }
      : { is: verdict.recognized, yes: 'Recognized', no: 'Not recognized' }
  return `${words.is ? words.yes : words.no}: ${SENTENCES[reason]}.`
}
