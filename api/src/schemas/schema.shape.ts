import { Type } from 'typebox'
import { JobStarted } from '../jobs/job.shape.js'
import { schemaRefText } from '../platform/http/identifiers.js'

/** A JSON Schema document; the validator of its dialect checks it further. */
export const SchemaDocument = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'draft-07 (default) or 2020-12' })),
    name: Type.Optional(Type.String({ description: 'Left out: `title`, the end of `$id`, or `Schema`' })),
    description: Type.Optional(Type.String({ description: 'The purpose of the schema' })),
    type: Type.Optional(Type.Unknown({ description: 'Usually `object`' })),
    properties: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'The members that the subject may have, each with its own schema' },
      ),
    ),
    required: Type.Optional(Type.Array(Type.String(), { description: 'The members that the subject must have' })),
    additionalProperties: Type.Optional(Type.Unknown({ description: 'false: it may have nothing else' })),
  },
  { additionalProperties: true },
)

export const SchemaRecord = Type.Object({
  id: Type.String({ description: 'The URI; the hash for a schema that only the ledger knows' }),
  uri: Type.String({ description: 'Its public address' }),
  schema: Type.Union([Type.Object({}), Type.Null()], {
    description: 'The document; null for one that only the ledger knows',
  }),
  created: Type.String({ format: 'date-time', description: 'The time at which it was hosted here' }),
  isOwner: Type.Boolean({ description: 'Whether your team hosts it' }),
  ownerName: Type.String({ description: 'The name of whoever hosts it, or empty' }),
  ownerLogo: Type.String({ description: 'The address of their logo, or empty' }),
})

export const SchemaStarted = Type.Object({
  ...JobStarted.properties,
  data: Type.Object(SchemaRecord.properties, { description: 'The schema as it is hosted' }),
})

export const SchemaDeletion = Type.Object({
  ...JobStarted.properties,
  data: Type.Object(
    { status: Type.String({ description: 'pending, as with other deletions' }) },
    { description: 'The outcome' },
  ),
})

export const SchemaParams = Type.Object({
  schemaId: schemaRefText('The URI, encoded or raw, or the hash, with or without 0x', 2000),
})

/** A hosted file, `<Name>-V<n>-<ms>.<extension>`. */
export const FileParams = Type.Object({ file: Type.String({ maxLength: 200, description: 'The end of its address' }) })
