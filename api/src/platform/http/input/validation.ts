import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Described } from '../operation.js'
import { type Problem, parameterNamed, TOLD } from '../problems.js'
import { firstMismatches } from './mismatches.js'
import { type Place, pointerTo } from './pointer.js'

const OPTIONS = { useDefaults: true, allErrors: false, strict: false, removeAdditional: false } as const

/**
 * Bodies must have the right types; text of paths and queries is read as the number or boolean that the schema asks
 * for.
 */
const bodies = new Ajv2020(OPTIONS)
const texts = new Ajv2020({ ...OPTIONS, coerceTypes: 'array' })
for (const ajv of [bodies, texts]) addFormats.default(ajv)

/** The parts of a request, each with its validator and the way its paths are written. */
const PARTS = {
  params: { ajv: texts, pathOf: ([name = '']: Place) => `{${name}}` },
  body: { ajv: bodies, pathOf: pointerTo },
  query: { ajv: texts, pathOf: ([name = '']: Place) => parameterNamed(String(name)) },
} as const

type Part = keyof typeof PARTS
type Given = Pick<FastifyRequest, Part>

/**
 * Returns a validator that fills defaults into an operation's requests, reads the text of paths and queries as the
 * required type, and finds all violations of their schemas: in all parts at once, with at most one problem more than is
 * reported.
 */
export function requestValidator(op: Pick<Described, 'body' | 'querystring' | 'params' | 'bodyUnread'>) {
  const parts = [
    partValidator('params', op.params),
    partValidator('body', op.bodyUnread ? undefined : op.body),
    partValidator('query', op.querystring),
  ]
  return (request: Given): Problem[] => parts.flatMap((problemsIn) => problemsIn(request))
}

function partValidator(part: Part, schema: TSchema | undefined): (request: Given) => Problem[] {
  if (schema === undefined) return () => []
  const { ajv, pathOf } = PARTS[part]
  // To compile the schemas of all operations is a good part of what a start costs.
  let validate: ValidateFunction | undefined
  return (request) => {
    validate ??= ajv.compile(schema)
    const value = request[part]
    if (validate(value)) return []
    const found = firstMismatches(schema, value, TOLD + 1)
    if (found.length > 0) return found.map(({ place, message }) => ({ path: pathOf(place), message }))
    // Ajv knows a rule that has no words above.
    const place = (validate.errors?.[0]?.instancePath ?? '').split('/').slice(1).map(unescaped)
    return [{ path: pathOf(place), message: `${place.join('.') || 'The request'} is not valid` }]
  }
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')
