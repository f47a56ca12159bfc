/** What web hooks are told of schemas. */
export const SCHEMA_EVENTS = ['schema_create'] as const
