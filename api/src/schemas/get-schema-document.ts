import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { serveFile } from './hosted-file.js'
import { FileParams } from './schema.shape.js'

export const getSchemaDocument = operation({
  method: 'GET',
  url: '/schema-documents/:file',
  operationId: 'getSchemaDocument',
  tags: ['schemas'],
  summary: 'Get a hosted JSON schema',
  description: 'The address of a schema. Its content never changes.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: FileParams,
  response: { 200: Type.Unknown() },
  errors: ['not_found'],
  handler: (ctx, { params }) =>
    serveFile(ctx, { file: params.file, extension: '.json', part: 'document', mediaType: 'application/json' }),
})
