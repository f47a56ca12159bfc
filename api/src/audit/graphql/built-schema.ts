import { buildSchema, GraphQLScalarType, Kind } from 'graphql'
import { invalid } from '../../platform/errors.js'
import { SCHEMA } from './schema.js'

const atText = (value: unknown): string => {
  if (typeof value === 'string' || Number.isSafeInteger(value)) return String(value)
  throw invalid('at must be a block number or an ISO 8601 instant')
}

/** The schema, with the parser of its own scalar. A test validates its text, which no process need do again. */
function schemaWithAt() {
  const built = buildSchema(SCHEMA, { assumeValid: true })
  const at = built.getType('At')
  if (!(at instanceof GraphQLScalarType)) throw new Error('the schema has no scalar At')
  at.parseValue = atText
  at.parseLiteral = (node) => {
    if (node.kind === Kind.INT || node.kind === Kind.STRING) return node.value
    throw invalid('at must be a block number or an ISO 8601 instant')
  }
  return built
}

export const schema = schemaWithAt()
