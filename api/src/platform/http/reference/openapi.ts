import { type TSchema, Type } from 'typebox'
import type { Config } from '../../../config.js'
import { ACCEPTS, needsCaller } from '../../security/access.js'
import type { Secret } from '../../security/authentication.js'
import { DRY_RUN, DryRunAnswer } from '../dry-run.js'
import { inputClassOf } from '../input/input-class.js'
import { isFields, requiredOf } from '../input/json-schema.js'
import { LINES } from '../input/request-body.js'
import { IGNORED_HEADER } from '../input/unknown-members.js'
import type { Described, SentMessage } from '../operation.js'
import { contentsOf, ERROR_SCHEMA, refusalResponses } from './openapi-errors.js'
import { pointHeaders } from './point-headers.js'
import { TAGS } from './tags.js'

type Json = Record<string, unknown>

const describeApi = (
  apiUrl: string,
  environment: string,
): string => `Issue and verify credentials, and govern who may issue and verify what, on a ledger that everyone can check.

**Begin** with a DID (\`POST /dids\`), give it a name (\`POST /profiles\`), describe a credential (\`POST /schemas\`), issue it
(\`POST /credentials\`), and let anybody verify it (\`POST /verify\`).

**Your key** goes into the header \`SVC-API-TOKEN\`, or \`Authorization: Bearer\`.

**Who may do it**: \`x-role\` is the smallest role that may call: member, administrator or owner. A key has a role of its own, a person that of
the team that the session (\`SVC-WEB-TOKEN\`) is for.

**What is written to the ledger** takes a moment: an answer names its job (\`id\`, or the header \`Accredit-Job\`), and
\`GET /jobs/{id}\` tells when it is final. With \`dryRun=true\` such an operation tells what it would change, and does nothing.

**Answers from the ledger** are true for one block and name it: \`Accredit-Block\`, \`Accredit-Block-Time\`, and \`Accredit-Final\`, which is
true where no fork of the ledger can take the block back. On a network of validators they stand on its newest final block, and a block that
is not final yet cannot be asked for (400). Where the ledger cannot be followed, questions about the present are refused (503
\`ledger_unavailable\`); lists of events are answered, and say so: \`Accredit-Stale\`, with the reason. What is your own may be ahead of the ledger: such an answer carries \`Accredit-Pending: true\`.

**Refusals** have one body, \`{ status, type, message }\`, with \`problems\` where parts of the request are wrong. Programs decide by
\`type\`: [all types](${apiUrl}/docs/errors).

This is the **${environment}** environment.`

/** The OpenAPI 3.1 document of these operations, made from the schemas that validate their requests. */
export function openApiDocument(
  operations: readonly Described[],
  config: Pick<Config, 'apiUrl' | 'environment'>,
  sent: readonly SentMessage[] = [],
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
      description: describeApi(config.apiUrl, config.environment),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: config.apiUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: tagsOf(operations),
    paths,
    ...(sent.length > 0 && {
      webhooks: Object.fromEntries(sent.map((message) => [message.name, describeSent(message)])),
    }),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'SVC-API-TOKEN', description: 'The key of your team' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same key' },
        session: {
          type: 'apiKey',
          in: 'header',
          name: 'SVC-WEB-TOKEN',
          description: 'The session of a person who signed in (POST /auth/sessions)',
        },
        sponsorKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-MOBILE-SPONSOR-KEY',
          description: 'The key of a sponsor, which pays for what a wallet signs',
        },
      },
      schemas: { Error: ERROR_SCHEMA, DryRun: DryRunAnswer },
    },
  }
}

/** The receiver's side of a message. */
function describeSent({ name, summary, description, tags, headers, body, isSent }: SentMessage): Json {
  return {
    post: {
      operationId: `on_${name}`,
      tags,
      summary: isSent ? summary : `${summary} (not sent yet)`,
      ...(description && { description }),
      'x-sent': isSent,
      security: [],
      parameters: parameters(headers, 'header'),
      requestBody: { required: true, content: { 'application/json': { schema: asTold(body) } } },
      responses: {
        '2XX': { description: 'The receiver has it' },
        410: { description: 'The receiver wants nothing more: the web hook is disabled' },
        default: { description: 'It is sent again later; redirects are not followed' },
      },
    },
  }
}

/** The schemas in use, in the order in which they are read. */
function tagsOf(operations: readonly Described[]): Json[] {
  const used = new Set(operations.flatMap(({ tags }) => tags))
  return TAGS.filter(({ name }) => used.has(name))
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
    ...(op.role && { 'x-role': op.role }),
    ...(op.auth !== 'key' && { security: ACCEPTS[op.auth].flatMap((secret) => SCHEMES[secret]) }),
    parameters: [
      ...parameters(op.params, 'path'),
      ...parameters(op.querystring, 'query'),
      ...(op.ledgerWrite ? parameters(DryRunQuery, 'query') : []),
      ...idempotencyHeader(op),
      ...(op.tagged ? (op.method === 'GET' ? [IF_MATCH, IF_NONE_MATCH] : [IF_MATCH]) : []),
      ...(inputClassOf(op) === 'writing' ? [PREFER] : []),
    ],
    ...(op.body && {
      requestBody: { required: asksForSome(asSent(op.body)), content: bodiesOf(op, op.body) },
    }),
    responses: {
      [op.creates ? 201 : 200]: {
        description: 'Done',
        headers: {
          ...(op.tagged && { ETag: ENTITY_TAG }),
          ...pointHeaders(op),
          ...(inputClassOf(op) === 'writing' && { [IGNORED_HEADER]: IGNORED }),
        },
        ...(hasContent(op) && { content: answersOf(op) }),
      },
      ...(op.tagged &&
        op.method === 'GET' && { 304: { description: 'It is what If-None-Match names; nothing follows' } }),
      ...refusalResponses(op),
    },
  }
}

/** The security schemes for what opens an operation. */
const SCHEMES: Record<Secret | 'nothing', Json[]> = {
  nothing: [{}],
  key: [{ apiKey: [] }, { bearer: [] }],
  session: [{ session: [] }],
  sponsor: [{ sponsorKey: [] }],
}

const ENTITY_TAG: Json = {
  description: 'Changes with the answer. An answer with Accredit-Pending has none',
  schema: { type: 'string' },
}

const IGNORED: Json = {
  description:
    'The parts of the request that were ignored, separated by commas: members of the body as percent-encoded JSON pointers, parameters as ? and their name; at most 20 and 1 kB, then %E2%80%A6. Absent when nothing was',
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

const answerOf = (op: Described): object => {
  const answer = asTold(op.response[200])
  return op.ledgerWrite ? { anyOf: [answer, { $ref: '#/components/schemas/DryRun' }] } : answer
}

/** An operation that says so answers nothing at all. */
const hasContent = ({ answers }: Described): boolean =>
  answers?.[200] === undefined || Object.keys(answers[200]).length > 0

function answersOf(op: Described): Json {
  const { mediaTypes = ['application/json'], answers } = op
  if (answers?.[200] !== undefined) return contentsOf(answers[200])
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: schemaOf(op, mediaType) }]))
}

const isJson = (mediaType: string): boolean => /^application\/([\w.-]+\+)?json\b/.test(mediaType)

function schemaOf(op: Described, mediaType: string): object {
  if (isJson(mediaType)) return answerOf(op)
  return mediaType.startsWith('image/') ? { type: 'string', format: 'binary' } : { type: 'string' }
}

const bodiesOf = ({ bodyTypes = [], examples = {} }: Described, schema: TSchema): Json =>
  Object.fromEntries([
    ['application/json', { schema: asSent(asTold(schema)), examples: named(examples) }],
    ...bodyTypes.map((type) => [type, { schema: type === LINES ? LINES_SCHEMA : TOKEN_SCHEMA }]),
  ])

const LINES_SCHEMA = { type: 'string', description: 'An item of the list in each line, as JSON' }
const TOKEN_SCHEMA = { type: 'string', description: 'The token as it is, and nothing around it' }

const named = (examples: Readonly<Record<string, unknown>>): Json =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value], index) => [`example${index + 1}`, { summary, value }]),
  )

/** An object whose members nobody names may have any: generators read one without them as empty. */
function asTold(schema: object): object {
  const told = (value: unknown): unknown => (typeof value === 'object' && value !== null ? asTold(value) : value)
  if (Array.isArray(schema)) return schema.map(told)
  const all: Json = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, told(value)]))
  const { type, properties, ...rest } = all
  const isUnnamed = type === 'object' && isFields(properties) && Object.keys(properties).length === 0
  return isUnnamed ? { additionalProperties: true, ...rest, type } : all
}

/**
 * Returns the schema that clients have to fulfil: validation fills in defaults before it checks for required members.
 */
function asSent(schema: object): object {
  const part = (value: unknown): unknown => (typeof value === 'object' && value !== null ? asSent(value) : value)
  if (Array.isArray(schema)) return schema.map(part)
  if (isAnything(schema)) return withoutForms(schema)
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

/**
 * Tells whether a union has a form that takes everything: its other forms are for validation, and tell clients nothing.
 */
const isAnything = (schema: object): boolean => {
  const forms: unknown = Reflect.get(schema, 'anyOf')
  return Array.isArray(forms) && forms.some((form) => Object.keys(form).length === 0)
}

const withoutForms = ({ anyOf: _, ...schema }: { anyOf?: unknown }): object => schema

const asksForSome = (schema: object): boolean => requiredOf(schema).length > 0

function parameters(schema: TSchema | undefined, where: 'path' | 'query' | 'header'): Json[] {
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
  if (op.method === 'GET' || op.idempotent === false || !needsCaller(op.auth)) return []
  const description = 'A retry with the same key and content gets the first answer again, for 24 hours'
  return [
    { name: 'Idempotency-Key', in: 'header', required: false, description, schema: { type: 'string', maxLength: 255 } },
  ]
}
