import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import { I18N, RDF } from '../contexts/namespaces.js'

/**
 * Refuses a document of which anything left no statement in its canonical form, and would thus not be signed. Each
 * value of an expanded document can leave one statement at most (an item of a list two: itself and what follows), so
 * when there are as many statements as values, each has left its own. What was dropped needs no name: the sum is short
 * of it.
 * @param expected how many statements the document makes (`countStatements`)
 * @param canonical N-Quads
 * @throws FormatError
 */
export function checkAllStated(expected: number, canonical: string): void {
  // A data set holds each statement once, however often its text does.
  const stated = new Set(canonical.split('\n')).size - 1
  if (stated !== expected)
    throw new FormatError(
      'malformed',
      'something in it leaves no statement that is signed: an empty id or reference, or a thing said twice',
    )
}

/** Counts the statements of an expanded document; one that is made in two places about one thing counts once. */
export function countStatements(expanded: Json): number {
  const statements = new Statements()
  for (const node of asArray(expanded)) statements.node(node, '')
  return statements.count
}

/** The keywords of a value that RDF states: the value itself, its datatype, its language and its direction. */
const TOLD_OF_A_VALUE = new Set(['@value', '@type', '@language', '@direction'])

class Statements {
  readonly #known = new Set<string>()
  #nameless = 0

  get count(): number {
    return this.#known.size
  }

  #add(...statement: string[]): void {
    this.#known.add(JSON.stringify(statement))
  }

  /** A name that no id can be equal to. */
  #newName = (): string => ` ${++this.#nameless}`

  /** Adds what is said of a thing. @returns what others call it by */
  node(node: Json, graph: string): string {
    if (!isObject(node)) throw unstated('something that is no thing')
    const { '@id': id, '@graph': inner, '@type': types, ...properties } = node
    const name = typeof id === 'string' ? id : this.#newName()
    for (const type of asArray(types)) this.#add(graph, name, `${RDF}type`, String(type))
    for (const one of asArray(inner)) this.node(one, name)
    for (const [property, values] of Object.entries(properties)) {
      if (property.startsWith('@')) throw unstated(property)
      for (const value of asArray(values)) this.#add(graph, name, property, this.#object(value, graph))
    }
    return name
  }

  #object(value: Json, graph: string): string {
    if (!isObject(value)) throw unstated('a value of no form')
    if ('@value' in value) return literal(value)
    return '@list' in value ? this.#list(asArray(value['@list']), graph) : this.node(value, graph)
  }

  #list(items: Json[], graph: string): string {
    return items.reduceRight<string>((rest, item) => {
      const place = this.#newName()
      this.#add(graph, place, `${RDF}first`, this.#object(item, graph))
      this.#add(graph, place, `${RDF}rest`, rest)
      return place
    }, `${RDF}nil`)
  }
}

function literal(value: JsonObject): string {
  const other = Object.keys(value).find((name) => !TOLD_OF_A_VALUE.has(name))
  if (other !== undefined) throw unstated(other)
  const {
    '@value': text = null,
    '@type': type = null,
    '@language': language = null,
    '@direction': direction = null,
  } = value
  // Such a datatype is the signed form of a direction, and would be another text for it.
  if (typeof type === 'string' && type.startsWith(I18N)) throw unstated(type)
  return JSON.stringify([text, type, language, direction])
}

const unstated = (what: string): FormatError =>
  new FormatError('malformed', `${what.slice(0, 64)} in it leaves no statement that is signed`)
