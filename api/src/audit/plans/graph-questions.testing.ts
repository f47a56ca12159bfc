import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { SCHEMA } from '../graphql/schema.js'
import type { Question } from './questions.testing.js'

/** Values for arguments, by `name`, by `field.name`, or by `Type.name` for an input object. */
export type Arguments = Record<string, readonly (string | number)[]>

interface Place {
  type: GraphQLObjectType
  /** A selection that contains one thing of the type. */
  around(selection: string): string
}

/** Every field of the graph, on the shortest path to it, with each of its arguments. */
export function graphQuestions(given: Arguments): Question[] {
  const query = buildSchema(SCHEMA).getQueryType()
  if (!query) throw new Error('there is a Query')
  const places: Place[] = [{ type: query, around: (selection) => `{ ${selection} }` }]
  const known = new Set([query.name])
  const questions: string[] = []
  for (const { type, around } of places) {
    for (const field of Object.values(type.getFields())) {
      const of = getNamedType(field.type)
      for (const call of callsOf(type, field, given)) questions.push(around(`${call} ${leaves(of)}`))
      if (!isObjectType(of) || known.has(of.name)) continue
      known.add(of.name)
      const [call = field.name] = callsOf(type, field, given)
      places.push({ type: of, around: (selection) => around(`${call} { ${selection} }`) })
    }
  }
  return [...new Set(questions)].map((text) => ({ method: 'POST', url: '/graphql', payload: { query: text } }))
}

/** Fields that can be selected without going deeper; where there are none, the first field below. */
function leaves(type: ReturnType<typeof getNamedType>): string {
  if (!isObjectType(type)) return ''
  const fields = Object.values(type.getFields()).filter(({ args }) => args.length === 0)
  const scalars = fields.filter(({ type: of }) => !isObjectType(getNamedType(of))).map(({ name }) => name)
  const lists = fields.filter(({ name }) => ['nodes', 'pageInfo'].includes(name))
  const below = lists.map(({ name, type: of }) => `${name} ${leaves(getNamedType(of))}`)
  return `{ ${[...scalars, ...below].join(' ')} }`
}

/**
 * A field with its required arguments, and once with each further one; `first` is small, so that all fits into one
 * answer.
 */
function callsOf(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, given: Arguments): string[] {
  const { name, args } = field
  const needed = args.filter(({ type: of }) => isNonNullType(of)).map((arg) => variantsOf(type, field, arg, given)[0])
  const first = args.some((arg) => arg.name === 'first') ? ['first: 3'] : []
  const more = args.filter((arg) => !isNonNullType(arg.type) && !['first', 'after'].includes(arg.name))
  const variants = [[], ...more.flatMap((arg) => variantsOf(type, field, arg, given).map((variant) => [variant]))]
  const pairs = more.length < 2 ? [] : [more.flatMap((arg) => variantsOf(type, field, arg, given).slice(0, 1))]
  return [...variants, ...pairs].map((chosen) => {
    const all = [...needed, ...first, ...chosen]
    return all.length === 0 ? name : `${name}(${all.join(', ')})`
  })
}

function variantsOf(
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  { name, type: of }: GraphQLArgument,
  given: Arguments,
): string[] {
  const input = getNamedType(of)
  if (!isInputObjectType(input))
    return literals(of, [`${type.name}.${field.name}.${name}`, name], given).map((value) => `${name}: ${value}`)
  const members = Object.values(input.getFields()).map((member) =>
    literals(member.type, [`${input.name}.${member.name}`, member.name], given).map(
      (value) => `${member.name}: ${value}`,
    ),
  )
  const each = members.flat().map((member) => `${name}: { ${member} }`)
  return [...each, `${name}: { ${members.map(([first]) => first).join(', ')} }`]
}

function literals(type: GraphQLInputType, names: string[], given: Arguments): string[] {
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues().map(({ name }) => name)
  const values = names.flatMap((name) => given[name] ?? []).map((value) => JSON.stringify(value))
  if (values.length === 0) throw new Error(`say what ${names[0]} may be`)
  return isListType(getNullableType(type)) ? [`[${values.join(', ')}]`] : values
}
