/** The events of schemas that web hooks get. */
export const SCHEMA_EVENTS = ['schema_create'] as const
