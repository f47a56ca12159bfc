import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getVariableValues,
  introspectionFromSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { isObject, type Json, type JsonObject } from '../../formats/json.js'
import { schema } from './built-schema.js'

/** The number of values that a document may ask of the schema itself; what tools send asks for about 4,000. */
export const MAX_INTROSPECTED = 12_000
const MAX_INTROSPECTION_DEPTH = 20

/** The schema as it is told: whole, and each type by its name. */
interface SchemaDescription {
  whole: Json
  types: ReadonlyMap<Json | undefined, JsonObject>
}

let described: SchemaDescription | undefined

/** Describes the schema when somebody first asks about it: no start of a process waits for that. */
function describedSchema(): SchemaDescription {
  if (described !== undefined) return described
  const whole: Json = JSON.parse(JSON.stringify(introspectionFromSchema(schema).__schema))
  const types = isObject(whole) && Array.isArray(whole.types) ? whole.types.filter(isObject) : []
  described = { whole, types: new Map(types.map((type) => [type.name, type])) }
  return described
}

/**
 * Refuses a document that asks too much of the schema itself. The values are counted in the schema as it is, each as
 * often as it would be told, and not beyond the limit: bounds by the longest list would refuse what every tool sends.
 * The document has been validated, and no fragment of it spreads itself.
 */
export function refuseDearIntrospection(document: DocumentNode, variables: Record<string, unknown>): void {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  const count = new Count(fragments)
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) count.operation(definition, variables)
}

class Count {
  private left = MAX_INTROSPECTED

  constructor(private readonly fragments: Map<string, FragmentDefinitionNode>) {}

  operation({ selectionSet, variableDefinitions = [] }: OperationDefinitionNode, variables: Record<string, unknown>) {
    // Wrong variables are refused when the document runs, before anything of it does.
    const { coerced } = getVariableValues(schema, variableDefinitions, variables, { maxErrors: 1 })
    if (coerced === undefined) return
    for (const field of this.fieldsOf(selectionSet))
      if (field.name.value === '__schema') this.told(field, describedSchema().whole, 1)
      else if (field.name.value === '__type')
        this.told(field, describedSchema().types.get(nameAsked(field, coerced)), 1)
  }

  private told(field: FieldNode, value: Json | undefined, depth: number): void {
    if (depth > MAX_INTROSPECTION_DEPTH)
      throw new GraphQLError(`Introspection has ${MAX_INTROSPECTION_DEPTH} levels at most`)
    if (Array.isArray(value)) for (const one of value) this.told(field, one, depth)
    if (field.selectionSet === undefined || !isObject(value)) return
    // A type is named where it stands; its members stand in the list of all types.
    const whole = typeof value.kind === 'string' ? (describedSchema().types.get(value.name) ?? value) : value
    for (const inner of this.fieldsOf(field.selectionSet)) this.told(inner, whole[inner.name.value], depth + 1)
  }

  private *fieldsOf({ selections }: SelectionSetNode): Generator<FieldNode> {
    for (const selection of selections) {
      if (--this.left < 0)
        throw new GraphQLError(`Introspection tells ${MAX_INTROSPECTED} values at most: ask for less at once`)
      if (selection.kind === Kind.FIELD) yield selection
      else if (selection.kind === Kind.INLINE_FRAGMENT) yield* this.fieldsOf(selection.selectionSet)
      else {
        const fragment = this.fragments.get(selection.name.value)
        if (fragment !== undefined) yield* this.fieldsOf(fragment.selectionSet)
      }
    }
  }
}

function nameAsked(field: FieldNode, variables: Record<string, unknown>): string {
  const given = field.arguments?.[0]?.value
  const name = given?.kind === Kind.VARIABLE ? variables[given.name.value] : given?.kind === Kind.STRING && given.value
  return String(name)
}
