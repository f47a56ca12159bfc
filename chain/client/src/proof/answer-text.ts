import type { Answer, AuthorizationReason } from './answer.js'
import { shownJson } from './shown-json.js'

const AUTHORIZATION: Readonly<Record<AuthorizationReason, string>> = {
  direct: 'Yes: it is listed itself.',
  delegated: 'Yes: it issues as a delegate',
  public_schema: 'Yes: anyone may verify this schema.',
  suspended: 'No: it is suspended.',
  delegator_suspended: 'No: every issuer that delegates to it is suspended or deactivated.',
  deactivated: 'No: it was deactivated.',
  not_listed: 'No: nothing authorises it.',
  unknown_registry: 'No: there is no such registry in use.',
  unknown_schema: 'No: the registry has no such schema.',
}

const REGISTRIES = { removed: 'It was removed.', unknown: 'The ledger has no such registry.' } as const
const DIDS = { deactivated: 'No: it was deactivated.', unknown: 'No: the ledger has no such DID.' } as const

const KEYS = {
  retired: 'It was retired: what it signed before stays good, unless a later block revokes it.',
  revoked: 'It was revoked: nothing that it signed is trusted.',
  unknown: 'The DID never had a key of this number.',
  did_deactivated: 'None: the DID was deactivated.',
  did_unknown: 'None: the ledger has no such DID.',
} as const

const STATUSES = {
  removed: 'The registry was removed.',
  unknown: 'The ledger has no such registry.',
  index_out_of_range: 'The registry has no such index.',
} as const

/** Says an answer in a sentence. Names that people chose are quoted, so that none can pass for words of this one. */
export function answerText(answer: Answer): string {
  switch (answer.kind) {
    case 'authorization':
      return answer.via ? `${AUTHORIZATION.delegated} of ${answer.via}.` : AUTHORIZATION[answer.reason]
    case 'registry':
      if (answer.state !== 'active') return REGISTRIES[answer.state]
      return `${shownJson(answer.name)}, convened by ${answer.convener}, version ${answer.version}; schemas: ${answer.schemas}; issuers: ${answer.issuers}; verifiers: ${answer.verifiers}; governance: ${shownJson(answer.governance)}.`
    case 'did':
      if (answer.state !== 'active') return DIDS[answer.state]
      return `Yes: it has keys: ${answer.keys}; controllers besides itself: ${answer.controllers}; services: ${answer.services}.`
    case 'key':
      if (answer.state !== 'in_use') return KEYS[answer.state]
      return `${answer.keyKind} ${answer.publicKey}, for ${answer.relationships.join(', ')}.`
    case 'status':
      if (answer.state !== 'active') return STATUSES[answer.state]
      return answer.revoked ? 'Yes: it is revoked.' : 'No: it is not revoked.'
  }
}
