/** Tells how each operation takes what it does not know. A new operation is entered here on purpose. */
const DECIDING = `
  getJob listJobs watchJob listDids getDid getDidMetadata actOnLedger prepareLedgerAction listProfiles getProfile listSchemas getSchema
  listAccumulatorUpdates changeDelegatableStatus changeWalletRevocations getWalletRevocations
  listRegistries getRegistry updateRegistry getRevocationStatus getRevocationWitness getStatusList getBitstringStatusList
  getStatusListToken
  listTrustRegistries queryTrustRegistries listSchemaDids listSchemaPrices getTrustRegistry listWaitingActions
  getPublicTrustRegistry listRegistryVerifiers listRegistrySchemas removeSchemaPrice listParticipants addParticipants updateParticipant
  getParticipant listDelegates setDelegates listEcosystemsOfDid getAuthorization listTrustRegistryHistory listDidHistory
  getAuthorizationProof getTrustRegistryProof getDidProof getDidKeyProof getStatusProof
  listDidRights getRegistryDiff listRegistryHistory listLedgerEvents getLedgerStatus queryLedger
  listTeams getTeam listTeamMembers listTeamInvitations listTeamAudit listKeys listSubAccounts getSubAccount
  listSubAccountKeys listSweptRows listErasures getErasure getDeletion
  getOwnProfile listNotifications getLimits listHistory listTransactions getStats listSubAccountUsage getSubscription
  listStatements getStatement exportData
  listCredentials getCredential revokeCredential unrevokeCredential verifyCredential
  issueBatch getBatchResult revokeBatch
  listExpirations listWebhooks getWebhook listWebhookDeliveries replayWebhookDeliveries`
const WRITING = `
  retryJob createDid rotateDid deleteDid exportDid importDid importDidDocument createProfile updateProfile deleteProfile
  createSchema deleteSchema createRegistry deleteRegistry createTrustRegistry updateTrustRegistry removeTrustRegistry
  withdrawWaitingAction setRegistrySchema removeRegistrySchema setSchemaPrice inviteParticipant
  updateParticipantInfo removeParticipant acceptInvitation declineInvitation snoozeInvitation issueCredential
  deleteCredential
  createSignInLink createSession deleteSession createTeam updateTeam transferTeam updateTeamMember removeTeamMember
  inviteTeamMembers resendTeamInvitation cancelTeamInvitation acceptTeamInvitation createKey createTemporaryKey updateKey
  rotateKey deleteKey createSubAccount updateSubAccount deleteSubAccount createSubAccountKey deleteSubAccountKey
  updateOwnProfile storeOnboarding markNotificationsRead updateSubscription
  createErasure deleteData deleteAccount
  createWebhook updateWebhook deleteWebhook rotateWebhookSecret testWebhook replayWebhookDelivery`
const STANDARD = `
  resolveDid getLogo getSchemaDocument getSchemaContext explainInvitation openGraphiql getEcosystemPage getStatusPage getPersistedCredential
  queryAuthorization queryRecognition queryGraphql
  issueVcApiCredential verifyVcApiCredential verifyVcApiPresentation changeVcApiStatus`

const entries = (names: string, inputClass: string): [string, string][] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, inputClass])

export const INPUT_CLASSES: Record<string, string> = Object.fromEntries([
  ...entries(DECIDING, 'deciding'),
  ...entries(WRITING, 'writing'),
  ...entries(STANDARD, 'standard'),
])
