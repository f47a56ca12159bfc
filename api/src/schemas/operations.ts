import type { Served } from '../platform/http/operation.js'
import { createSchema } from './create-schema.js'
import { deleteSchema } from './delete-schema.js'
import { getSchema } from './get-schema.js'
import { getSchemaContext } from './get-schema-context.js'
import { getSchemaDocument } from './get-schema-document.js'
import { listSchemas } from './list-schemas.js'

export const schemas: Served = {
  operations: [createSchema, listSchemas, getSchema, deleteSchema, getSchemaDocument, getSchemaContext],
}
