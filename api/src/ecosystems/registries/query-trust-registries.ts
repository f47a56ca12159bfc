import { Type } from 'typebox'
import { namedDid } from '../../dids/did-param.js'
import { AtBody } from '../../ledger/read/at.js'
import { type IdentifierKind, isIdentifier } from '../../platform/http/identifiers.js'
import { oneOfTwo } from '../../platform/http/input/spellings.js'
import { operation } from '../../platform/http/operation.js'
import { pageQuery } from '../../platform/http/pagination.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { parseSchemaRef } from '../names/schema-ref.js'
import { readPoint } from '../read-point.js'
import { matching, registriesAt } from './registry.queries.js'
import { publicRegistryView } from './registry.view.js'
import { PublicTrustRegistry } from './trust-registry.shape.js'

const optionalText = (description: string, kind?: IdentifierKind) =>
  Type.Optional(Type.String({ maxLength: 1024, ...(kind && isIdentifier(kind)), description }))

export const queryTrustRegistries = operation({
  method: 'POST',
  url: '/trust-registries/query',
  operationId: 'queryTrustRegistries',
  tags: ['trustRegistries'],
  summary: 'Find trust registries by issuer, verifier and schema',
  description:
    'Filters combine by intersection and need not meet on one schema. Issuers match directly or by delegation; verifiers when they are listed. Without a filter: all, newest first.',
  auth: 'public',
  tenancy: 'public',
  input: 'deciding',
  body: Type.Object({
    issuerDID: optionalText('A DID'),
    verifierDID: optionalText('A DID'),
    schema: optionalText('The URI of a schema or its hash', 'schema'),
    schemaId: optionalText('The same as `schema`', 'schema'),
    at: AtBody,
  }),
  querystring: pageQuery(),
  examples: {
    'Registries in which somebody may issue a schema': { issuerDID: EXAMPLE.issuer, schema: EXAMPLE.schema },
    'As it was': { issuerDID: EXAMPLE.issuer, at: EXAMPLE.instant },
  },
  response: { 200: Type.Array(PublicTrustRegistry) },
  errors: ['ledger_unavailable'],
  limits: { concurrencyPerAddress: 16 },
  idempotent: false,
  handler: async (ctx, { body, query }) => {
    const { issuerDID: issuer, verifierDID: verifier } = body
    const schema = oneOfTwo(body, 'schema', 'schemaId')
    const filter = {
      issuer: issuer === undefined ? undefined : namedDid(issuer, 'issuerDID'),
      verifier: verifier === undefined ? undefined : namedDid(verifier, 'verifierDID'),
      schema: schema === undefined ? undefined : parseSchemaRef(schema, 'schema').hash,
    }
    const point = await readPoint(ctx, body.at === undefined ? undefined : String(body.at))
    const list = await ctx.db.read(ctx.scope, (reader) => registriesAt(reader, point, matching(filter, point), query))
    return list.map(publicRegistryView)
  },
})
