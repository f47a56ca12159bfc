import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { schema } from './built-schema.js'
import { DEFAULT_FIRST, MAX_FIRST } from './connection.js'
import { COST_OF_TOTAL } from './schema-parts.js'

/**
 * The most that a document asks for, computed before anything is run. The rules are our own: `graphql-query-complexity`
 * estimates each field by its arguments and children, and has no place for a statement that is put once, however often
 * its field is told.
 */
export interface Demand {
  /** Levels of fields. */
  depth: number
  /** The number of values; a value of any length counts ten, each statement to the index counts 25. */
  cost: number
}

/** A selection's demand: the cost of each time that it is told, and the cost that comes once. */
interface Counted extends Demand {
  once: number
}

export const MAX_DEPTH = 10
export const MAX_COST = 5_000
export const COST_OF_STATEMENT = 25
const COST_OF_LENGTH = 10
/** JSON of any length. */
const OF_ANY_LENGTH = ['Did.document', 'Event.before', 'Event.after']
/** The two statements for the point in time that a root field answers for. */
const POINT = 2
/** A total and a page. */
const EVENTS = 2
/** The statements for the blocks that the two instants mean, where they are given. */
const EVENT_FILTER = 2
/** The statement that finds the DID, and those for its keys, controllers and services. */
const DID_STATE = 4
/** The most statements that a field puts to the index; a field that is not named here puts none. */
const STATEMENTS: Readonly<Record<string, number>> = {
  'Query.point': POINT,
  'Query.registries': POINT + 1,
  'Query.registry': POINT + 2,
  'Query.participants': POINT + 2,
  'Query.dids': POINT + 1,
  'Query.did': POINT + DID_STATE,
  'Query.rights': POINT + 1,
  'Query.keys': POINT + DID_STATE,
  'Query.revocationRegistries': POINT + 1,
  'Query.revocationRegistry': POINT + 1,
  'Query.events': POINT + EVENTS,
  'Query.authorization': POINT + 3,
  'Registry.schemas': 1,
  'Registry.participants': 1,
  'Registry.events': EVENTS,
  'Did.state': DID_STATE,
  'Did.document': DID_STATE,
  'Did.rights': 1,
  'Did.events': EVENTS,
  'RevocationRegistry.status': 2,
  'RevocationRegistry.events': EVENTS,
}
/** Each thing that such a field tells is read by itself. */
const READ_ONE_BY_ONE = ['Query.revocationRegistries']
/** The value is beyond any limit, and sums of it stay exact. */
const TOO_MUCH = 1e9
const NOTHING: Counted = { depth: 0, cost: 0, once: 0 }

/**
 * The demand of all operations of a document. Fragments are followed at their spreads and counted once, so that a
 * document of nested spreads costs no time; one that spreads itself is past every limit.
 */
export function demandOf(document: DocumentNode, variables: Record<string, unknown> = {}): Demand {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const meter = new Meter(fragments, variables)
  return all(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? [meter.selections(definition.selectionSet, schema.getQueryType())]
        : [],
    ),
  )
}

type Type = GraphQLNamedType | null | undefined

const conditionOf = ({ typeCondition }: { typeCondition?: { name: { value: string } } | undefined }): Type =>
  typeCondition && schema.getType(typeCondition.name.value)

function typeOf(parent: Type, field: string): Type {
  const definition = isObjectType(parent) ? parent.getFields()[field] : undefined
  return definition && getNamedType(definition.type)
}

class Meter {
  private readonly known = new Map<string, Counted>()
  private readonly open = new Set<string>()

  constructor(
    private readonly fragments: Map<string, FragmentDefinitionNode>,
    private readonly variables: Record<string, unknown>,
  ) {}

  /** @param of the type that is selected from; validation refuses a field that the type lacks */
  selections({ selections }: SelectionSetNode, of: Type): Counted {
    return all(
      selections.map((selection) => {
        if (selection.kind === Kind.FIELD) return this.field(selection, of)
        if (selection.kind === Kind.INLINE_FRAGMENT)
          return this.selections(selection.selectionSet, conditionOf(selection) ?? of)
        return this.fragment(selection.name.value)
      }),
    )
  }

  private fragment(name: string): Counted {
    const known = this.known.get(name)
    if (known !== undefined) return known
    const definition = this.fragments.get(name)
    // An unknown name is refused by validation.
    if (definition === undefined) return NOTHING
    if (this.open.has(name)) return { depth: TOO_MUCH, cost: TOO_MUCH, once: 0 }
    this.open.add(name)
    const demand = this.selections(definition.selectionSet, conditionOf(definition))
    this.open.delete(name)
    this.known.set(name, demand)
    return demand
  }

  private field(field: FieldNode, of: Type): Counted {
    const name = field.name.value
    if (name.startsWith('__')) return this.introspected(field)
    const coordinate = `${of?.name}.${name}`
    // A connection has one total, however many things it holds.
    if (name === 'totalCount') return { depth: 1, cost: 0, once: COST_OF_TOTAL }
    const own = COST_OF_STATEMENT * statementsOf(field, coordinate)
    if (field.selectionSet === undefined)
      return { depth: 1, cost: own + (OF_ANY_LENGTH.includes(coordinate) ? COST_OF_LENGTH : 1), once: 0 }
    const type = typeOf(of, name)
    const inner = this.selections(field.selectionSet, type)
    const times = this.timesOf(field, type)
    const each = inner.cost + (READ_ONE_BY_ONE.includes(coordinate) ? COST_OF_STATEMENT : 0)
    const cost = Math.min(1 + own + each * times + inner.once, TOO_MUCH)
    return { depth: Math.min(inner.depth + 1, TOO_MUCH), cost, once: 0 }
  }

  /** Introspection reads nothing and is counted by itself; here only a fragment that spreads itself is found. */
  private introspected({ selectionSet }: FieldNode): Counted {
    const isEndless = selectionSet !== undefined && this.selections(selectionSet, undefined).depth >= TOO_MUCH
    return { depth: isEndless ? TOO_MUCH : 1, cost: 1, once: 0 }
  }

  /** A connection repeats everything below it `first` times. */
  private timesOf(field: FieldNode, type: Type): number {
    const first = field.arguments?.find((argument) => argument.name.value === 'first')
    if (first !== undefined) return this.numberOf(first.value)
    return type?.name.endsWith('Connection') ? DEFAULT_FIRST : 1
  }

  private numberOf(value: ValueNode): number {
    const given =
      value.kind === Kind.VARIABLE ? this.variables[value.name.value] : value.kind === Kind.INT && Number(value.value)
    return typeof given === 'number' && given >= 1 && given <= MAX_FIRST ? given : MAX_FIRST
  }
}

function statementsOf(field: FieldNode, coordinate: string): number {
  const hasFilter = field.name.value === 'events' && field.arguments?.some(({ name }) => name.value === 'filter')
  return (STATEMENTS[coordinate] ?? 0) + (hasFilter ? EVENT_FILTER : 0)
}

function all(demands: Counted[]): Counted {
  return {
    depth: demands.reduce((deepest, { depth }) => Math.max(deepest, depth), 0),
    cost: demands.reduce((sum, { cost }) => Math.min(sum + cost, TOO_MUCH), 0),
    once: demands.reduce((sum, { once }) => Math.min(sum + once, TOO_MUCH), 0),
  }
}
