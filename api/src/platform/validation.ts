import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

export interface Problem {
  instancePath: string
  message: string
  /** The one value that a `const` allows. */
  allowed?: unknown
}

/** What the first problem is, in words. Of a value that must be one of several, all of them are named. */
export function problemText(problems: readonly Problem[]): string {
  const [first] = problems
  if (first === undefined) return 'is not valid'
  const allowed = problems.filter((one) => one.instancePath === first.instancePath && one.allowed !== undefined)
  return first.allowed === undefined
    ? first.message
    : `must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.map((one) => String(one.allowed)).join(', ')}`
}

const OPTIONS = { useDefaults: true, allErrors: false, strict: false, removeAdditional: false } as const

/** Bodies must have the right types; text of paths and queries is read as the number or boolean that the schema asks for. */
export function validatorCompiler(): FastifySchemaCompiler<TSchema> {
  const bodies = new Ajv2020(OPTIONS)
  const texts = new Ajv2020({ ...OPTIONS, coerceTypes: 'array' })
  for (const ajv of [bodies, texts]) addFormats.default(ajv)
  return ({ schema, httpPart }) => (httpPart === 'body' ? bodies : texts).compile(schema)
}
