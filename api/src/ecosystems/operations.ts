import type { Served } from '../platform/http/operation.js'
import { addParticipants } from './bulk/add-participants.js'
import { listDelegates } from './delegates/list-delegates.js'
import { setDelegates } from './delegates/set-delegates.js'
import { acceptInvitation } from './invitations/accept-invitation.js'
import { declineInvitation } from './invitations/decline-invitation.js'
import { inviteParticipant } from './invitations/invite-participant.js'
import { snoozeInvitation } from './invitations/snooze-invitation.js'
import { getParticipant } from './participants/get-participant.js'
import { listEcosystemsOfDid } from './participants/list-ecosystems-of-did.js'
import { listParticipants } from './participants/list-participants.js'
import { removeParticipant } from './participants/remove-participant.js'
import { updateParticipant } from './participants/update-participant.js'
import { updateParticipantInfo } from './participants/update-participant-info.js'
import { listWaitingActions } from './pending/list-waiting-actions.js'
import { withdrawWaitingAction } from './pending/withdraw-waiting-action.js'
import { listSchemaPrices } from './prices/list-schema-prices.js'
import { removeSchemaPrice } from './prices/remove-schema-price.js'
import { setSchemaPrice } from './prices/set-schema-price.js'
import { createTrustRegistry } from './registries/create-trust-registry.js'
import { getPublicTrustRegistry } from './registries/get-public-trust-registry.js'
import { getTrustRegistry } from './registries/get-trust-registry.js'
import { listTrustRegistries } from './registries/list-trust-registries.js'
import { queryTrustRegistries } from './registries/query-trust-registries.js'
import { removeTrustRegistry } from './registries/remove-trust-registry.js'
import { updateTrustRegistry } from './registries/update-trust-registry.js'
import { listRegistrySchemas } from './schemas/list-registry-schemas.js'
import { listRegistryVerifiers } from './schemas/list-registry-verifiers.js'
import { listSchemaDids } from './schemas/list-schema-dids.js'
import { removeRegistrySchema } from './schemas/remove-registry-schema.js'
import { setRegistrySchema } from './schemas/set-registry-schema.js'

export const ecosystems: Served = {
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
