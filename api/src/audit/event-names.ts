import { invalid } from '../platform/errors.js'

/** Every event of the ledger's three pallets, and of what a network's council decides. */
const EVENTS = {
  Did: [
    'ControllerAdded',
    'ControllerRemoved',
    'Created',
    'Deactivated',
    'Dispatched',
    'KeyAdded',
    'KeyRetired',
    'KeyRevoked',
    'ServiceRemoved',
    'ServiceSet',
  ],
  TrustRegistry: [
    'DelegateAdded',
    'DelegateRemoved',
    'IssuerChanged',
    'IssuerSuspended',
    'IssuerUnsuspended',
    'SchemaAdded',
    'SchemaPublicSet',
    'SchemaRemoved',
    'SchemasMetadataSet',
    'TransferProposed',
    'Transferred',
    'TrustRegistryInitialized',
    'TrustRegistryRemoved',
    'TrustRegistryUpdated',
    'VerifierChanged',
    'VerifierSuspended',
    'VerifierUnsuspended',
  ],
  Revocation: ['AccumulatorUpdated', 'RegistryCreated', 'RegistryRemoved', 'StatusChanged'],
  Governance: ['Acted', 'Equivocated', 'ValidatorsSet'],
  Council: ['Approved', 'Closed', 'Disapproved', 'Executed', 'Killed', 'MemberExecuted', 'Proposed', 'Voted'],
  CouncilMembers: ['KeyChanged', 'MemberAdded', 'MemberRemoved', 'MembersReset', 'MembersSwapped'],
}

export const EVENT_NAMES: readonly string[] = Object.entries(EVENTS).flatMap(([pallet, names]) =>
  names.map((name) => `${pallet}.${name}`),
)

/** The full names of events by the names that callers may use. */
const KNOWN = new Map(
  EVENT_NAMES.flatMap((name): [string, string[]][] => [
    [name, [name]],
    [shortOf(name), EVENT_NAMES.filter((other) => shortOf(other) === shortOf(name))],
  ]),
)

function shortOf(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

/** Names of events, given with their pallet or without. Throws `invalid_request` that names the first unknown one. */
export function eventNames(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const known = KNOWN.get(name)
    if (known === undefined) throw invalid(`event: unknown event ${name}; see the parameter's description`)
    return known
  })
}
