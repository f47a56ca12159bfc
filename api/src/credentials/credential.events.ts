/** The events of credentials for web hooks: the issuing of one, under both of its names. */
export const CREDENTIAL_EVENTS = ['credential_create', 'credential_issued'] as const
