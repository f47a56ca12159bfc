import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { ApiError, invalid } from '../../errors.js'

import { type Envelope, envelopesOf, memberNames } from '../envelope.js'
import type { Described } from '../operation.js'
import { blankText, type Problem, parameterNamed, refusalOf, TOLD, unknownText } from '../problems.js'
import { type InputClass, inputClassOf } from './input-class.js'
import { isFields } from './json-schema.js'
import { brokenRules, type RuleServices } from './member-rules.js'
import { nearName } from './near-name.js'
import { inexactParameters } from './numeric-parameters.js'
import { type Place, pointerTo } from './pointer.js'
import { requestValidator } from './validation.js'

export const IGNORED_HEADER = 'Accredit-Ignored'

/** The most unknown members of a body that are compared with known names: a body with more is somebody else's. */
const MOST_UNKNOWN = 1000

/** The findings of reading a request. Beyond the number that anybody reads, they are only counted. */
class Found {
  readonly problems: Problem[] = []
  problemCount = 0
  readonly ignored: string[] = []
  ignoredCount = 0
  private unknownCount = 0

  problem(problem: Problem): void {
    this.problemCount++
    if (this.problems.length < TOLD) this.problems.push(problem)
  }

  /** Adds problems of values, except at paths that have a problem already. */
  invalid(problems: readonly Problem[]): void {
    const told = new Set(this.problems.map(({ path }) => path))
    for (const problem of problems) if (!told.has(problem.path)) this.problem(problem)
    if (problems.length > TOLD) this.problemCount = Number.POSITIVE_INFINITY
  }

  ignore(path: string): void {
    this.ignoredCount++
    if (this.ignored.length <= MOST_IGNORED) this.ignored.push(path)
  }

  countUnknown(): void {
    if (++this.unknownCount > MOST_UNKNOWN)
      throw new ApiError('unknown_member', `More than ${MOST_UNKNOWN} members are not known here`)
  }
}

/** The parts of a request that are read: its own, or those of a row of many. */
type Given = Pick<FastifyRequest, 'body' | 'query' | 'params' | 'headers'>

/**
 * Returns a reader of an operation's requests, for use before all else: it reads their names, then their values. It
 * takes out of the request what counts as absent, throws all that has to be refused, and returns what will be ignored.
 */
export function inputReader(op: Described, services: RuleServices): (request: Given) => string[] {
  const inputClass = inputClassOf(op)
  const parameters = parametersOf(op)
  const readBody = op.bodyUnread ? undefined : bodyReader(op, inputClass, parameters)
  const inexact = inexactParameters(op.querystring)
  const validate = requestValidator(op)
  return (request) => {
    const found = new Found()
    readQuery(request.query, { known: parameters, inputClass, changes: op.ledgerWrite }, found)
    readBody?.(request.body, found)
    found.invalid(inexact(request.query))
    found.invalid(validate(request))
    if (op.rules && isFields(request.body)) found.invalid(brokenRules(op.rules(request.body, services)))
    refuse(found, prefersStrict(request))
    return found.ignored
  }
}

/**
 * Reads the names in a body that a thread has read; a deciding operation ignores nothing of it. Where one is refused,
 * the problems of values are told with it.
 */
export function decidingBodyReader<T>(body: TSchema): (value: T, valueProblems: (value: T) => Problem[]) => void {
  const read = bodyReader({ method: 'POST', body, response: { 200: body } }, 'deciding', new Set())
  return (value, valueProblems) => {
    const found = new Found()
    read?.(value, found)
    if (found.problemCount > 0) found.invalid(valueProblems(value))
    refuse(found, false)
  }
}

function bodyReader(
  {
    body: schema,
    record,
    response,
    method,
    ledgerWrite,
  }: Pick<Described, 'body' | 'record' | 'response' | 'method' | 'ledgerWrite'>,
  inputClass: InputClass,
  parameters: ReadonlySet<string>,
): ((body: unknown, found: Found) => void) | undefined {
  if (inputClass === 'standard') return undefined
  const walk = schema ? envelopesOf(schema) : undefined
  const names = new Set(memberNames(record ?? response[200]))
  return (body, found) => {
    const visit = (object: Fields, envelope: Envelope, place: Place) => {
      if (inputClass === 'deciding') refuseBlanks(object, envelope, { place, changes: ledgerWrite }, found)
      else dropNulls(object, envelope, method === 'PATCH')
      if (!envelope.isOpen) findUnknown(object, { envelope, place, inputClass, record: names, parameters }, found)
    }
    if (schema) walk?.(body, visit, [])
    else if (body !== undefined && body !== null) withoutBody(body, visit)
  }
}

type Fields = Record<string, unknown>

const NO_MEMBERS: Envelope = { members: new Map(), isOpen: false }

/** Clients send bodies where none is asked for. */
function withoutBody(body: unknown, visit: (object: Fields, envelope: Envelope, place: Place) => void): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('This operation takes no body; what was sent is no JSON object')
  visit({ ...body }, NO_MEMBERS, [])
}

function parametersOf(op: Described): ReadonlySet<string> {
  const properties: unknown = op.querystring && Reflect.get(op.querystring, 'properties')
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  // The parameter has a rule of its own, which was checked before.
  return new Set(op.method === 'GET' ? names : [...names, 'dryRun'])
}

const isBlankText = (value: unknown): boolean => value === '' || value === 'undefined'

/** Wallets in the field send this one, which means nothing in a question, and must not vanish in a change. */
const meansNothing = (name: string, value: unknown, changes: boolean | undefined): boolean =>
  name === 'issuerDID' && value === 'undefined' && !changes

interface ReadingQuery {
  known: ReadonlySet<string>
  inputClass: InputClass
  /** True if the operation changes something on the ledger. */
  changes: boolean | undefined
}

function readQuery(query: unknown, { known, inputClass, changes }: ReadingQuery, found: Found): void {
  if (typeof query !== 'object' || query === null) return
  for (const [name, value] of Object.entries(query)) {
    // Clients send `?=&=`.
    if (name === '' || meansNothing(name, value, changes)) Reflect.deleteProperty(query, name)
    else if (known.has(name)) {
      if (!isBlankText(value)) continue
      // A parameter that was sent means something: a lasting change must not rest on one that vanished.
      if (inputClass === 'standard') Reflect.deleteProperty(query, name)
      else found.problem(blank(parameterNamed(name), 'parameter', name))
    } else if (inputClass !== 'standard')
      reportUnknown({ name, path: parameterNamed(name), kind: 'parameter' }, { known, inputClass }, found)
  }
}

function refuseBlanks(
  object: Fields,
  { members }: Envelope,
  { place, changes }: { place: Place; changes: boolean | undefined },
  found: Found,
): void {
  for (const [name, { isOptional, takesBlank }] of members) {
    const value = object[name]
    if (meansNothing(name, value, changes)) Reflect.deleteProperty(object, name)
    else if (isOptional && (value === null || (isBlankText(value) && !takesBlank)))
      found.problem(blank(pointerTo([...place, name]), 'member', name))
  }
}

const blank = (path: string, kind: Unknown['kind'], name: string): Problem => ({ path, message: blankText(kind, name) })

function dropNulls(object: Fields, { members }: Envelope, clears: boolean): void {
  for (const [name, { isOptional, takesNull }] of members)
    if (object[name] === null && isOptional && !(clears && takesNull)) Reflect.deleteProperty(object, name)
}

const misplacedText = (name: string): string => `${name} is a parameter here, not a member: write ?${name}=… in the URL`

interface Looking {
  envelope: Envelope
  place: Place
  inputClass: InputClass
  record: ReadonlySet<string>
  parameters: ReadonlySet<string>
}

function findUnknown(
  object: Fields,
  { envelope: { members }, place, inputClass, record, parameters }: Looking,
  found: Found,
): void {
  for (const name of Object.keys(object)) {
    if (members.has(name)) continue
    const path = pointerTo([...place, name])
    if (place.length === 0 && parameters.has(name))
      found.problem({ path, isUnknown: true, message: misplacedText(name) })
    else if (inputClass === 'writing' && place.length === 0 && record.has(name)) found.ignore(path)
    else reportUnknown({ name, path, kind: 'member' }, { known: members, inputClass }, found)
  }
}

interface Unknown {
  name: string
  path: string
  kind: 'member' | 'parameter'
}

interface Knowing {
  known: { keys(): Iterable<string> }
  inputClass: InputClass
}

function reportUnknown({ name, path, kind }: Unknown, { known, inputClass }: Knowing, found: Found): void {
  found.countUnknown()
  if (inputClass === 'writing' && nearName(name, known.keys()) === undefined) found.ignore(path)
  else found.problem({ path, isUnknown: true, message: unknownText(kind, name, known.keys()) })
}

/** @throws the refusals; for a request that prefers strict handling, also of parts that would be ignored */
function refuse({ problems, problemCount, ignored, ignoredCount }: Found, isStrict: boolean): void {
  const all = isStrict ? [...problems, ...ignored.map(unwanted)] : problems
  if (all.length > 0) throw refusalOf(all, isStrict ? problemCount + ignoredCount : problemCount)
}

/** @throws `ApiError` where the request prefers strict handling */
export function refuseIgnored(request: Pick<FastifyRequest, 'headers'>, ignored: string[]): void {
  const found = new Found()
  for (const path of ignored) found.ignore(path)
  refuse(found, prefersStrict(request))
}

const unwanted = (path: string): Problem => ({
  path,
  isUnknown: true,
  message: `${path} would be ignored, and the request prefers strict handling`,
})

/** Tells whether `Prefer: handling=strict` (RFC 7240) asks to refuse what would be ignored. */
export const prefersStrict = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  [headers.prefer ?? []]
    .flat()
    .join(',')
    .split(',')
    .some((preference) => /^\s*handling\s*=\s*"?strict"?\s*(;|$)/i.test(preference))

const MOST_IGNORED = 20
const MOST_BYTES = 1000
/** Header values are ASCII: an ellipsis, percent-encoded like the rest. */
const AND_MORE = '%E2%80%A6'

/** The value of Accredit-Ignored. */
export function ignoredHeader(paths: readonly string[]): string {
  const named: string[] = []
  let bytes = 0
  for (const path of paths) {
    bytes += path.length + 2
    if (named.length === MOST_IGNORED || bytes > MOST_BYTES) return [...named, AND_MORE].join(', ')
    named.push(path)
  }
  return named.join(', ')
}
