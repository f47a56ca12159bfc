import { Type } from 'typebox'
import { operation } from '../platform/http/operation.js'
import { serveFile } from './hosted-file.js'
import { FileParams } from './schema.shape.js'

export const getSchemaContext = operation({
  method: 'GET',
  url: '/contexts/:file',
  operationId: 'getSchemaContext',
  tags: ['schemas'],
  summary: 'Get the JSON-LD context of a hosted schema',
  description: 'Its content never changes: signatures depend on it.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: FileParams,
  response: { 200: Type.Unknown() },
  mediaTypes: ['application/ld+json'],
  errors: ['not_found'],
  handler: (ctx, { params }) =>
    serveFile(ctx, { file: params.file, extension: '.jsonld', part: 'context', mediaType: 'application/ld+json' }),
})
