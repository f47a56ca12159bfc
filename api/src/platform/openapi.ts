import { type TSchema, Type } from 'typebox'
import type { Config } from '../config.js'
import { DRY_RUN, DryRunAnswer } from './dry-run.js'
import { inputClassOf } from './input-class.js'
import type { Described } from './operation.js'
import { IGNORED_HEADER } from './unknown-members.js'

type Json = Record<string, unknown>

const ERROR_TEXT: Record<number, string> = {
  400: 'The request is not valid, or a rule refuses it',
  401: 'The key is missing, unknown, or used in the wrong place',
  402: 'The plan does not include this',
  403: 'The role of the key is too small',
  404: 'It does not exist, or belongs to another team',
  406: 'It cannot be answered in the form that was asked for',
  409: 'It conflicts with what exists',
  412: 'It is not as If-Match says any more',
  413: 'The body is too large',
  429: 'Too many requests',
  500: 'An internal error',
  503: 'The ledger or its index cannot be asked now',
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['status', 'type', 'message'],
  properties: {
    status: { type: 'integer' },
    type: {
      type: 'string',
      description: 'Of the catalogue at /docs/errors; more may come',
      examples: ['invalid_request'],
    },
    message: { type: 'string' },
    problems: {
      type: 'array',
      description: 'All that has to be mended in the request, each with its place; the first 20 where it is more',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'A member of the body as a percent-encoded JSON pointer; a parameter as ? and its name',
            examples: ['/params/expectedVersoin', '?at'],
          },
          message: { type: 'string' },
        },
      },
    },
    refusal: {
      type: 'string',
      description: 'The error by which the ledger would refuse what was asked for, where that was tried',
      examples: ['TrustRegistry.NotAuthorized'],
    },
  },
}

/** The OpenAPI 3.1 document of these operations, made from the schemas that validate their requests. */
export function openApiDocument(
  operations: readonly Described[],
  config: Pick<Config, 'apiUrl' | 'environment'>,
): Json {
  const paths: Record<string, Json> = {}
  for (const op of operations) {
    const path = op.url.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [op.method.toLowerCase()]: describe(op) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Accredit',
      version: '1',
      description: `Credentials, trust registries and their history. This is the ${config.environment} environment.`,
    },
    servers: [{ url: config.apiUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'SVC-API-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: ERROR_SCHEMA, DryRun: DryRunAnswer },
    },
  }
}

function describe(op: Described): Json {
  return {
    operationId: op.operationId,
    tags: op.tags,
    summary: op.summary,
    ...(op.description && { description: op.description }),
    ...(op.deprecated && { deprecated: true }),
    'x-tenancy': op.tenancy,
    'x-input-class': inputClassOf(op),
    ...(op.role && op.role !== 'member' && { 'x-role': op.role }),
    ...(op.auth === 'public' && { security: [] }),
    ...(op.auth === 'optional' && { security: [{}, { apiKey: [] }, { bearer: [] }] }),
    parameters: [
      ...parameters(op.params, 'path'),
      ...parameters(op.querystring, 'query'),
      ...(op.ledgerWrite ? parameters(DryRunQuery, 'query') : []),
      ...idempotencyHeader(op),
      ...(op.tagged ? (op.method === 'GET' ? [IF_MATCH, IF_NONE_MATCH] : [IF_MATCH]) : []),
      ...(inputClassOf(op) === 'writing' ? [PREFER] : []),
    ],
    ...(op.body && {
      requestBody: { required: hasRequired(asSent(op.body)), content: bodiesOf(op, op.body) },
    }),
    responses: {
      200: {
        description: 'Done',
        headers: {
          ...(op.tagged && { ETag: ENTITY_TAG }),
          ...(inputClassOf(op) === 'writing' && { [IGNORED_HEADER]: IGNORED }),
        },
        content: answersOf(op),
      },
      ...(op.tagged &&
        op.method === 'GET' && { 304: { description: 'It is what If-None-Match names; nothing follows' } }),
      ...Object.fromEntries(errorCodes(op).map((code) => [code, errorResponse(code, op)])),
    },
  }
}

const ENTITY_TAG: Json = {
  description: 'Changes with the answer. An answer with Accredit-Pending has none',
  schema: { type: 'string' },
}

const IGNORED: Json = {
  description:
    'What of the request was ignored, parted by commas: members of the body as percent-encoded JSON pointers, parameters as ? and their name; at most 20 and 1 kB, then %E2%80%A6. Absent when nothing was',
  schema: { type: 'string' },
}

const PREFER: Json = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description: '`handling=strict`: 400 instead of ignoring members and parameters that are not known',
  schema: { type: 'string' },
}

const IF_MATCH: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what is to be changed or read; 412 when that is not what is there any more',
  schema: { type: 'string' },
}

const IF_NONE_MATCH: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what the reader has; 304 without a body when that is still what is there',
  schema: { type: 'string' },
}

const DryRunQuery = Type.Object({ dryRun: DRY_RUN })

const answerOf = (op: Described): Json | TSchema =>
  op.ledgerWrite ? { anyOf: [op.response[200], { $ref: '#/components/schemas/DryRun' }] } : op.response[200]

const answersOf = (op: Described): Json =>
  Object.fromEntries(
    (op.mediaTypes ?? ['application/json']).map((mediaType) => [
      mediaType,
      { schema: mediaType === 'application/json' ? answerOf(op) : { type: 'string' } },
    ]),
  )

function errorCodes(op: Described): number[] {
  const always = op.auth === 'public' ? [400, 404, 429, 500] : [400, 401, 404, 429, 500]
  const body = op.body ? [413] : []
  const role = op.role && op.role !== 'member' ? [403] : []
  const precondition = op.tagged ? [412] : []
  return [...new Set([...always, ...body, ...role, ...precondition, ...(op.codes ?? [])])].sort((a, b) => a - b)
}

const errorResponse = (code: number, { refusals }: Described): Json => ({
  description: ERROR_TEXT[code] ?? 'An error',
  content: refusals
    ? Object.fromEntries(refusals.mediaTypes.map((mediaType) => [mediaType, {}]))
    : { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const bodiesOf = ({ bodyTypes = [] }: Described, schema: TSchema): Json =>
  Object.fromEntries(['application/json', ...bodyTypes].map((type) => [type, { schema: asSent(schema) }]))

/** The schema as clients have to fulfil it: validation fills in what has a default before it asks for what is required. */
function asSent(schema: object): object {
  const part = (value: unknown): unknown => (typeof value === 'object' && value !== null ? asSent(value) : value)
  if (Array.isArray(schema)) return schema.map(part)
  const { required: _, ...sent } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, part(value)]),
  )
  const { properties } = sent
  const hasDefault = (name: string): boolean => {
    const member = isFields(properties) ? properties[name] : undefined
    return isFields(member) && member.default !== undefined
  }
  const required = requiredOf(schema).filter((name) => !hasDefault(name))
  return required.length > 0 ? { ...sent, required } : sent
}

const isFields = (value: unknown): value is Json => typeof value === 'object' && value !== null

const hasRequired = (schema: object): boolean => requiredOf(schema).length > 0

function requiredOf(schema: object): string[] {
  const required: unknown = Reflect.get(schema, 'required')
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function parameters(schema: TSchema | undefined, where: 'path' | 'query'): Json[] {
  const properties: unknown = schema && Reflect.get(schema, 'properties')
  if (!schema || typeof properties !== 'object' || properties === null) return []
  const required = requiredOf(schema)
  return Object.entries(properties).map(([name, member]: [string, Json]) => ({
    name,
    in: where,
    required: where === 'path' || (required.includes(name) && member.default === undefined),
    ...(typeof member.description === 'string' && { description: member.description }),
    schema: member,
  }))
}

function idempotencyHeader(op: Described): Json[] {
  if (op.method === 'GET' || op.idempotent === false || op.auth !== 'key') return []
  const description = 'A retry with the same key and content gets the first answer again, for 24 hours'
  return [
    { name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string', maxLength: 255 } },
  ]
}
