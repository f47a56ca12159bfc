import type { FastifyRequest } from 'fastify'
import { type Envelope, envelopesOf, memberNames } from './envelope.js'
import { ApiError, invalid } from './errors.js'
import { type InputClass, inputClassOf } from './input-class.js'
import { nearName } from './near-name.js'
import type { Described } from './operation.js'
import { type Place, pointerTo } from './pointer.js'

export const IGNORED_HEADER = 'Accredit-Ignored'

/** A query parameter, where members are told by their pointer. */
const parameterNamed = (name: string): string => `?${encodeURIComponent(name)}`

interface Problem {
  path: string
  message: string
  isUnknown?: true
}

interface Found {
  problems: Problem[]
  ignored: string[]
}

/**
 * What reads the names in requests to an operation before anything validates or uses them. It takes out of the request what counts
 * as absent, throws what has to be refused, and returns what will be ignored.
 */
export function inputReader(op: Described): (request: FastifyRequest) => string[] {
  const inputClass = inputClassOf(op)
  const walk = op.body ? envelopesOf(op.body) : undefined
  const parameters = parametersOf(op)
  const record = new Set(memberNames(op.record ?? op.response[200]))
  return (request) => {
    const found: Found = { problems: [], ignored: [] }
    readQuery(request.query, parameters, inputClass, found)
    if (inputClass !== 'standard') {
      const visit = (object: Fields, envelope: Envelope, place: Place) => {
        if (inputClass === 'deciding') refuseBlanks(object, envelope, place, found)
        else dropNulls(object, envelope, op.method === 'PATCH')
        if (!envelope.isOpen) findUnknown(object, { envelope, place, inputClass, record }, found)
      }
      if (op.body) walk?.(request.body, visit, [])
      else if (request.body !== undefined && request.body !== null) withoutBody(request.body, visit)
    }
    refuse(found, prefersStrict(request))
    return found.ignored
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
  // It has a rule of its own, which has looked at it by now.
  return new Set(op.method === 'GET' ? names : [...names, 'dryRun'])
}

const isBlankText = (value: unknown): boolean => value === '' || value === 'undefined'

/** Wallets in the field send this one, which means nothing. */
const meansNothing = (name: string, value: unknown): boolean => name === 'issuerDID' && value === 'undefined'

function readQuery(query: unknown, known: ReadonlySet<string>, inputClass: InputClass, found: Found): void {
  if (typeof query !== 'object' || query === null) return
  for (const [name, value] of Object.entries(query)) {
    // Clients send `?=&=`.
    const isNothing = name === '' || meansNothing(name, value)
    if (isNothing || (inputClass !== 'deciding' && isBlankText(value))) Reflect.deleteProperty(query, name)
    else if (known.has(name)) {
      if (isBlankText(value)) found.problems.push(blank(parameterNamed(name), 'parameter', name))
    } else if (inputClass !== 'standard')
      reportUnknown({ name, path: parameterNamed(name), kind: 'parameter' }, { known, inputClass }, found)
  }
}

function refuseBlanks(object: Fields, { members }: Envelope, place: Place, { problems }: Found): void {
  for (const [name, { isOptional, takesBlank }] of members) {
    const value = object[name]
    if (meansNothing(name, value)) Reflect.deleteProperty(object, name)
    else if (isOptional && (value === null || (isBlankText(value) && !takesBlank)))
      problems.push(blank(pointerTo([...place, name]), 'member', name))
  }
}

const blank = (path: string, kind: Unknown['kind'], name: string): Problem => ({
  path,
  message: `The ${kind} ${name} is blank: give it a value, or leave it out`,
})

function dropNulls(object: Fields, { members }: Envelope, clears: boolean): void {
  for (const [name, { isOptional, takesNull }] of members)
    if (object[name] === null && isOptional && !(clears && takesNull)) Reflect.deleteProperty(object, name)
}

interface Looking {
  envelope: Envelope
  place: Place
  inputClass: InputClass
  record: ReadonlySet<string>
}

function findUnknown(
  object: Fields,
  { envelope: { members }, place, inputClass, record }: Looking,
  found: Found,
): void {
  const known = new Set(members.keys())
  for (const name of Object.keys(object)) {
    if (known.has(name)) continue
    const path = pointerTo([...place, name])
    if (inputClass === 'writing' && place.length === 0 && record.has(name)) found.ignored.push(path)
    else reportUnknown({ name, path, kind: 'member' }, { known, inputClass }, found)
  }
}

interface Unknown {
  name: string
  path: string
  kind: 'member' | 'parameter'
}

interface Knowing {
  known: ReadonlySet<string>
  inputClass: InputClass
}

function reportUnknown(unknown: Unknown, { known, inputClass }: Knowing, { problems, ignored }: Found): void {
  const near = nearName(unknown.name, known)
  if (near === undefined && inputClass === 'writing') ignored.push(unknown.path)
  else problems.push({ path: unknown.path, isUnknown: true, message: unknownText(unknown, near, known) })
}

const SHOWN = 64

function unknownText({ name, kind }: Unknown, near: string | undefined, known: ReadonlySet<string>): string {
  const shown = name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name
  if (near !== undefined) return `There is no ${kind} ${shown}: did you mean ${near}?`
  const all = [...known].join(', ')
  return `There is no ${kind} ${shown}${all === '' ? '' : `; there are ${all}`}`
}

const TOLD = 20

function refuse({ problems, ignored }: Found, isStrict: boolean): void {
  const all = isStrict ? [...problems, ...ignored.map(unwanted)] : problems
  const [first] = all
  if (first === undefined) return
  const type = all.some(({ isUnknown }) => isUnknown) ? 'unknown_member' : 'invalid_request'
  const told = all.slice(0, TOLD).map(({ path, message }) => ({ path, message }))
  const rest = all.length - 1
  const message = rest === 0 ? first.message : `${first.message} (and ${rest} more, see problems)`
  throw new ApiError(type, message, { members: { problems: told }, malformed: { field: fieldAt(first.path) } })
}

/** @throws `ApiError` where the request prefers strict handling */
export function refuseIgnored(request: FastifyRequest, ignored: string[]): void {
  refuse({ problems: [], ignored }, prefersStrict(request))
}

const unwanted = (path: string): Problem => ({
  path,
  isUnknown: true,
  message: `${path} would be ignored, and the request prefers strict handling`,
})

/** In the form in which other refusals name a member. */
const fieldAt = (path: string): string => path.slice(1).replaceAll('/', '.')

/** Whether `Prefer: handling=strict` (RFC 7240) asks to refuse what would be ignored. */
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
