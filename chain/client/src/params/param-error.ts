/** The steps from the parameters of a call to a value in them: `['params', 'update', 'Modify', '0x12…', 'issuers']`. */
export type ParamPlace = readonly (string | number)[]

/** One fault in the parameters of a call. */
export type ParamProblem =
  /** `problem` follows the name of the place. */
  | { readonly kind: 'wrong'; readonly place: ParamPlace; readonly problem: string }
  /** The value is blank, so that nobody knows its meaning. */
  | { readonly kind: 'blank'; readonly place: ParamPlace }
  /** The member does not exist. `name` has the caller's text, in the spelling of the known ones. */
  | { readonly kind: 'unknown'; readonly place: ParamPlace; readonly name: string; readonly known: readonly string[] }

/** The most problems that are told: a caller that sends half a million wrong values does not read all of them. */
const MOST_PROBLEMS = 20

/** The problems of parameters: all of them, or the first 20. */
export class ParamError extends Error {
  override readonly name = 'ParamError'
  constructor(readonly problems: readonly ParamProblem[]) {
    super(problems.slice(0, 1).map(paramProblemText).join())
  }
}

export const wrong = (place: ParamPlace, problem: string): ParamError =>
  new ParamError([{ kind: 'wrong', place, problem }])

/** Tells whether a value is one that forms and careless programs send for an absent one. */
export const isBlankParam = (json: unknown): boolean => json === null || json === '' || json === 'undefined'

export const blank = (place: ParamPlace): ParamError => new ParamError([{ kind: 'blank', place }])

/** Calls a function with each item, and throws the problems of all of them at once. */
export function readEach<Item, Value>(items: readonly Item[], read: (item: Item, index: number) => Value): Value[] {
  const values: Value[] = []
  const problems: ParamProblem[] = []
  for (const [index, item] of items.entries()) {
    if (problems.length >= MOST_PROBLEMS) break
    try {
      values.push(read(item, index))
    } catch (error) {
      if (!(error instanceof ParamError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new ParamError(problems.slice(0, MOST_PROBLEMS))
  return values
}

/** A problem in words that begin with its place: `params.issuers[0] must be a DID`. */
export function paramProblemText(problem: ParamProblem): string {
  const path = pathText(problem.place)
  if (problem.kind === 'wrong') return `${path} ${problem.problem}`
  if (problem.kind === 'blank') return `${path} is blank: give it a value, or leave it out`
  return `${path} is not known: expected ${problem.known.join(', ') || 'nothing'}`
}

function pathText([first = '', ...steps]: ParamPlace): string {
  const rest = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${shown(step)}`))
  return `${first}${rest.join('')}`
}

/** The names of callers can be long, too. */
const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name)
