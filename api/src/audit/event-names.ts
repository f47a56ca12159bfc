import { invalid } from '../platform/errors.js'

/** Every event of the ledger's three pallets. */
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
}

export const EVENT_NAMES: readonly string[] = Object.entries(EVENTS).flatMap(([pallet, names]) =>
  names.map((name) => `${pallet}.${name}`),
)

const KNOWN = new Set([...EVENT_NAMES, ...Object.values(EVENTS).flat()])

/** Names of events, with their pallet or without. Throws `invalid_request` that names the first unknown one. */
export function eventNames(text: string): string[] {
  const names = text.split(',')
  const unknown = names.find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw invalid(`event: unknown event ${unknown}; see the parameter's description`)
  return names
}
