import type { Described } from '../../platform/http/operation.js'

/** A request in the form that `app.inject` takes. */
export interface Question {
  method: 'GET' | 'POST'
  url: string
  payload?: object
}

/** Values for parameters, by `name`, or by `operationId.name` for one operation alone. */
export type Values = Record<string, readonly (string | number)[]>

interface ObjectSchema {
  properties?: Record<string, { default?: unknown }>
  required?: readonly string[]
}

/**
 * Every question that an operation without a body answers: the required parameters, and each further one with every
 * value.
 */
export function questionsOf({ operationId, url, querystring }: Described, values: Values): Question[] {
  const valuesOf = (name: string) => {
    const known = values[`${operationId}.${name}`] ?? values[name]
    if (known === undefined) throw new Error(`tell this test what ${name} may be in ${operationId}`)
    return known.map(String)
  }
  const { properties: parameters = {}, required = [] }: ObjectSchema = querystring ?? {}
  const needed = Object.fromEntries(
    required.filter((name) => parameters[name]?.default === undefined).map((name) => [name, valuesOf(name)[0] ?? '']),
  )
  const more = Object.keys(parameters).flatMap((name) => valuesOf(name).map((value) => ({ ...needed, [name]: value })))
  const queries = new Set([needed, ...more].map((query) => new URLSearchParams(query).toString()))
  const paths = [...url.matchAll(/:(\w+)/g)].reduce(
    (urls, [place, name = '']) =>
      urls.flatMap((path) => valuesOf(name).map((value) => path.replace(place, encodeURIComponent(value)))),
    [url],
  )
  return paths.flatMap((path) => [...queries].map((query) => ({ method: 'GET', url: `${path}?${query}` })))
}

/** The question after the page that an answer told, where there is one. */
export function nextQuestion(question: Question, body: string): Question | undefined {
  if (question.method === 'GET') {
    const [, name = 'cursor', next] = /"(?:next":"|[^"]*\b(before)=)([^"&#]+)/.exec(body) ?? []
    return next === undefined ? undefined : { ...question, url: `${question.url}&${name}=${encodeURIComponent(next)}` }
  }
  const cursor = /"endCursor":("[^"]+")/.exec(body)?.[1]
  const text = JSON.stringify(question.payload)
  const last = text.lastIndexOf('first: 3')
  if (cursor === undefined || last < 0) return undefined
  const after = `after: ${JSON.stringify(cursor).slice(1, -1)}, `
  return { ...question, payload: JSON.parse(text.slice(0, last) + after + text.slice(last)) }
}
