import { Type } from 'typebox'
import { OWN_CONTEXTS } from '../formats/json-ld/contexts/known-contexts.js'
import { operation } from '../platform/http/operation.js'
import { serveFile } from './hosted-file.js'
import { FileParams } from './schema.shape.js'

export const getSchemaContext = operation({
  method: 'GET',
  url: '/contexts/:file',
  operationId: 'getSchemaContext',
  tags: ['schemas'],
  summary: 'Get the JSON-LD context of a hosted schema',
  description:
    'Its content never changes: signatures depend on it. bbs23.jsonld, bbs.jsonld, bbdt16.jsonld, bbs-2020.jsonld and bjj-2021.jsonld are those of signature suites, which credentials name by other addresses: those that verifiers have built in, and urn:accredit:context:bjj-2021.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: FileParams,
  response: { 200: Type.Unknown() },
  mediaTypes: ['application/ld+json'],
  errors: ['not_found'],
  handler: (ctx, { params: { file } }) =>
    serveFile(
      ctx,
      { file, extension: '.jsonld', part: 'context', mediaType: 'application/ld+json' },
      OWN_CONTEXTS.get(file),
    ),
})
