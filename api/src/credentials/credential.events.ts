/** What web hooks are told of credentials: of one that was issued, under both of its names. */
export const CREDENTIAL_EVENTS = ['credential_create', 'credential_issued'] as const
