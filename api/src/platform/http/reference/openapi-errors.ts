import type { TSchema } from 'typebox'
import { ERRORS, type ErrorType } from '../../errors.js'
import type { Described } from '../operation.js'
import { errorTypesOf } from './operation-errors.js'

type Json = Record<string, unknown>

/** The one error body. */
export const ERROR_SCHEMA: Json = {
  type: 'object',
  description: 'Why a request was refused. Programs decide by `type`; messages are for people and may change.',
  required: ['status', 'type', 'message'],
  properties: {
    status: { type: 'integer', description: 'The status of the answer once more' },
    type: {
      type: 'string',
      description: 'Of the catalogue at /docs/errors; more may come',
      examples: ['invalid_request'],
    },
    message: { type: 'string', description: 'The reason, for people' },
    problems: {
      type: 'array',
      description: 'All that has to be mended in the request, each with its place; the first 20 where it is more',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description:
              'A member of the body as a percent-encoded JSON pointer; a parameter as ? and its name; a part of the path in braces',
            examples: ['/params/expectedVersoin', '?at', '{did}'],
          },
          message: { type: 'string', description: 'The value that was sent there, and the values that are allowed' },
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

/** Statuses of standards that have refusals of their own, without a type of ours. */
const OTHER_STATUSES: Record<number, string> = {
  400: 'The request is not valid',
  404: 'There is no such thing',
  406: 'It cannot be answered in the form that Accept asks for',
  410: 'It was here, and is no more',
  500: 'Something failed here',
  501: 'This is not offered here',
  503: 'A source that the answer rests on cannot be asked now',
}

/** The errors of a request that is refused before its operation is known. */
const BEFORE_ALL: readonly ErrorType[] = ['request_timeout', 'headers_too_large']

/** Returns the responses by which an operation refuses, by status, each with its types. */
export function refusalResponses(op: Described): Record<string, Json> {
  const content = refusalContent(op.refusals)
  const everywhere = refusalContent(undefined)
  const byStatus = new Map<number, ErrorType[]>()
  for (const type of errorTypesOf(op)) {
    const [status] = ERRORS[type]
    byStatus.set(status, [...(byStatus.get(status) ?? []), type])
  }
  const own = [...byStatus].map(([status, types]) => {
    const description = types.map((type) => `\`${type}\`: ${ERRORS[type][1]}`).join('\n\n')
    const isBefore = types.every((type) => BEFORE_ALL.includes(type))
    return [status, { description, 'x-types': types, content: isBefore ? everywhere : content }]
  })
  const others = (op.codes ?? []).map((status) => {
    const answers = op.answers?.[status]
    const description = OTHER_STATUSES[status] ?? 'It is refused'
    return [status, { description, content: answers === undefined ? content : contentsOf(answers) }]
  })
  return Object.fromEntries([...own, ...others])
}

function refusalContent(refusals: Described['refusals']): Json {
  if (!refusals) return { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  const schema = refusals.schema ?? { type: 'string' }
  return Object.fromEntries(refusals.mediaTypes.map((mediaType) => [mediaType, { schema }]))
}

/** Returns the value of `content`: a schema by media type. */
export const contentsOf = (answers: Readonly<Record<string, TSchema>>): Json =>
  Object.fromEntries(Object.entries(answers).map(([mediaType, schema]) => [mediaType, { schema }]))
