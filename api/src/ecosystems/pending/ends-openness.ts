import type { SchemaRef } from '../names/schema-ref.js'

/** Returns the refusal of naming a verifier of an open schema. */
export const endsOpenness = ({ hash, uri }: SchemaRef): string =>
  `verifierSchemas: anyone may verify ${uri ?? hash}, which naming a verifier would end: close it first`
