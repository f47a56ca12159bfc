import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { schemaRefText } from '../platform/identifiers.js'

/** A JSON Schema document; its own rules are checked by the validator of its dialect. */
export const SchemaDocument = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'draft-07 (default) or 2020-12' })),
    name: Type.Optional(Type.String({ description: 'Left out: `title`, the end of `$id`, or `Schema`' })),
    description: Type.Optional(Type.String()),
    type: Type.Optional(Type.Unknown({ description: 'Usually `object`' })),
    properties: Type.Optional(Type.Object({})),
    required: Type.Optional(Type.Array(Type.String())),
    additionalProperties: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: true },
)

export const SchemaRecord = Type.Object({
  id: Type.String({ description: 'The URI; the hash for a schema that only the ledger knows' }),
  uri: Type.String(),
  schema: Type.Union([Type.Object({}), Type.Null()]),
  created: Type.String({ format: 'date-time' }),
  isOwner: Type.Boolean(),
  ownerName: Type.String(),
  ownerLogo: Type.String(),
})

export const SchemaStarted = Type.Object({ ...JobStarted.properties, data: SchemaRecord })

export const SchemaDeletion = Type.Object({
  ...JobStarted.properties,
  data: Type.Object({ status: Type.String() }),
})

export const SchemaParams = Type.Object({
  schemaId: schemaRefText('The URI, encoded or raw, or the hash, with or without 0x', 2000),
})

/** A hosted file, `<Name>-V<n>-<ms>.<extension>`. */
export const FileParams = Type.Object({ file: Type.String({ maxLength: 200 }) })
