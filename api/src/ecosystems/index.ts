import type { Capability } from '../platform/http/operation.js'
import { acceptInvitation } from './accept-invitation.js'
import { addParticipants } from './add-participants.js'
import { createTrustRegistry } from './create-trust-registry.js'
import { declineInvitation } from './decline-invitation.js'
import { getParticipant } from './get-participant.js'
import { getPublicTrustRegistry } from './get-public-trust-registry.js'
import { getTrustRegistry } from './get-trust-registry.js'
import { inviteParticipant } from './invite-participant.js'
import { listDelegates } from './list-delegates.js'
import { listEcosystemsOfDid } from './list-ecosystems-of-did.js'
import { listParticipants } from './list-participants.js'
import { listRegistrySchemas } from './list-registry-schemas.js'
import { listRegistryVerifiers } from './list-registry-verifiers.js'
import { listSchemaDids } from './list-schema-dids.js'
import { listSchemaPrices } from './list-schema-prices.js'
import { listTrustRegistries } from './list-trust-registries.js'
import { listWaitingActions } from './list-waiting-actions.js'
import { queryTrustRegistries } from './query-trust-registries.js'
import { removeParticipant } from './remove-participant.js'
import { removeRegistrySchema } from './remove-registry-schema.js'
import { removeSchemaPrice } from './remove-schema-price.js'
import { removeTrustRegistry } from './remove-trust-registry.js'
import { setDelegates } from './set-delegates.js'
import { setRegistrySchema } from './set-registry-schema.js'
import { setSchemaPrice } from './set-schema-price.js'
import { snoozeInvitation } from './snooze-invitation.js'
import { updateParticipant } from './update-participant.js'
import { updateParticipantInfo } from './update-participant-info.js'
import { updateTrustRegistry } from './update-trust-registry.js'
import { withdrawWaitingAction } from './withdraw-waiting-action.js'

export const ecosystems: Capability = {
  operations: [
    listTrustRegistries,
    createTrustRegistry,
    queryTrustRegistries,
    listSchemaDids,
    listSchemaPrices,
    getTrustRegistry,
    updateTrustRegistry,
    removeTrustRegistry,
    listWaitingActions,
    withdrawWaitingAction,
    getPublicTrustRegistry,
    listRegistryVerifiers,
    listRegistrySchemas,
    setRegistrySchema,
    removeRegistrySchema,
    setSchemaPrice,
    removeSchemaPrice,
    listParticipants,
    inviteParticipant,
    addParticipants,
    getParticipant,
    updateParticipant,
    updateParticipantInfo,
    removeParticipant,
    listDelegates,
    setDelegates,
    acceptInvitation,
    declineInvitation,
    snoozeInvitation,
    listEcosystemsOfDid,
  ],
}
