import type { Handler } from '../handler'
import { accumulatorUpdated } from './accumulator-updated'
import { decisions } from './council/governance'
import { memberChanges } from './council/members'
import { motions } from './council/motions'
import { delegateAdded } from './delegate-added'
import { delegateRemoved } from './delegate-removed'
import { didControllerAdded } from './did-controller-added'
import { didControllerRemoved } from './did-controller-removed'
import { didCreated } from './did-created'
import { didDeactivated } from './did-deactivated'
import { didDispatched } from './did-dispatched'
import { didKeyAdded } from './did-key-added'
import { didKeyRetired } from './did-key-retired'
import { didKeyRevoked } from './did-key-revoked'
import { didServiceRemoved } from './did-service-removed'
import { didServiceSet } from './did-service-set'
import { issuerChanged } from './issuer-changed'
import { issuerSuspended } from './issuer-suspended'
import { issuerUnsuspended } from './issuer-unsuspended'
import { revocationRegistryCreated } from './revocation-registry-created'
import { revocationRegistryRemoved } from './revocation-registry-removed'
import { schemaAdded } from './schema-added'
import { schemaPublicSet } from './schema-public-set'
import { schemaRemoved } from './schema-removed'
import { schemasMetadataSet } from './schemas-metadata-set'
import { statusChanged } from './status-changed'
import { transferProposed } from './transfer-proposed'
import { transferred } from './transferred'
import { trustRegistryInitialized } from './trust-registry-initialized'
import { trustRegistryRemoved } from './trust-registry-removed'
import { trustRegistryUpdated } from './trust-registry-updated'
import { verifierChanged } from './verifier-changed'
import { verifierSuspended } from './verifier-suspended'
import { verifierUnsuspended } from './verifier-unsuspended'

/** Every event of the three pallets, one file each, and those of a network's council. */
export const handlers: Handler[] = [
  accumulatorUpdated,
  ...decisions,
  delegateAdded,
  delegateRemoved,
  didControllerAdded,
  didControllerRemoved,
  didCreated,
  didDeactivated,
  didDispatched,
  didKeyAdded,
  didKeyRetired,
  didKeyRevoked,
  didServiceRemoved,
  didServiceSet,
  issuerChanged,
  issuerSuspended,
  issuerUnsuspended,
  ...memberChanges,
  ...motions,
  revocationRegistryCreated,
  revocationRegistryRemoved,
  schemaAdded,
  schemaPublicSet,
  schemaRemoved,
  schemasMetadataSet,
  statusChanged,
  transferProposed,
  transferred,
  trustRegistryInitialized,
  trustRegistryRemoved,
  trustRegistryUpdated,
  verifierChanged,
  verifierSuspended,
  verifierUnsuspended,
]
