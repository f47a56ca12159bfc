import { type DidDocument, type DidDocumentMetadata, type DidState, didDocumentMetadata } from '@accredit/chain'

/** The problems of a resolution, by the names that DID Core 1.0 or the method of did:key gives them. */
export type ResolutionProblem =
  | 'invalidDid'
  | 'invalidDidUrl'
  | 'methodNotSupported'
  | 'unsupportedPublicKeyType'
  | 'featureNotSupported'
  | 'invalidOptions'
  | 'notFound'
  | 'representationNotSupported'

/** DID Resolution 1.0, sections 11 and 12.1: the newer name of each, its HTTP status, and its title. */
const PROBLEMS: Record<ResolutionProblem, readonly [name: string, status: number, title: string]> = {
  invalidDid: ['INVALID_DID', 400, 'Invalid DID'],
  invalidDidUrl: ['INVALID_DID_URL', 400, 'Invalid DID URL'],
  invalidOptions: ['INVALID_OPTIONS', 400, 'Invalid resolution options'],
  notFound: ['NOT_FOUND', 404, 'DID not found'],
  representationNotSupported: ['REPRESENTATION_NOT_SUPPORTED', 406, 'Representation not supported'],
  methodNotSupported: ['METHOD_NOT_SUPPORTED', 501, 'DID method not supported'],
  unsupportedPublicKeyType: ['UNSUPPORTED_PUBLIC_KEY_TYPE', 501, 'Kind of public key not supported'],
  featureNotSupported: ['FEATURE_NOT_SUPPORTED', 501, 'Feature not supported'],
}

const GONE = 410

export class ResolutionError extends Error {
  constructor(
    readonly problem: ResolutionProblem,
    message: string,
  ) {
    super(message)
  }
}

/** The form of an answer: the whole result or the bare document, as DID Core 1.0 or as DID Resolution 1.0 has it. */
interface Representation {
  mediaType: string
  isResult: boolean
  /** True for the result of dereferencing a DID URL, which has its own names for the same three parts. */
  isDereferenced: boolean
  /** The media type of the document by itself. */
  contentType: string
  isNewer: boolean
}

const PROFILE = 'https://w3id.org/did-resolution'
const URL_PROFILE = 'https://w3id.org/did-url-dereferencing'
const CORE_RESULT: Representation = {
  mediaType: `application/ld+json;profile="${PROFILE}"`,
  isResult: true,
  isDereferenced: false,
  contentType: 'application/did+ld+json',
  isNewer: false,
}
const NEWER_RESULT: Representation = {
  mediaType: 'application/did-resolution',
  isResult: true,
  isDereferenced: false,
  contentType: 'application/did',
  isNewer: true,
}
const PLAIN_RESULT: Representation = { ...CORE_RESULT, mediaType: 'application/json; charset=utf-8' }
const CORE_URL_RESULT: Representation = {
  ...CORE_RESULT,
  mediaType: `application/ld+json;profile="${URL_PROFILE}"`,
  isDereferenced: true,
}
const NEWER_URL_RESULT: Representation = {
  ...NEWER_RESULT,
  mediaType: 'application/did-url-dereferencing',
  isDereferenced: true,
}
const documentAs = (mediaType: string, isNewer: boolean): Representation => ({
  mediaType,
  isResult: false,
  isDereferenced: false,
  contentType: mediaType,
  isNewer,
})

/**
 * The representations that a caller may ask for, in the order of our preference. A request without a preference gets
 * the first.
 */
const OFFERED: readonly (readonly [range: string, representation: Representation])[] = [
  ['application/ld+json', CORE_RESULT],
  ['application/did-resolution', NEWER_RESULT],
  ['application/did+ld+json', documentAs('application/did+ld+json', false)],
  ['application/did+json', documentAs('application/did+json', false)],
  ['application/did', documentAs('application/did', true)],
  ['application/json', PLAIN_RESULT],
  [URL_PROFILE, CORE_URL_RESULT],
  ['application/did-url-dereferencing', NEWER_URL_RESULT],
]

/** Returns the same representation of the target of a DID URL. */
export function dereferenced(as: Representation): Representation {
  if (as === PLAIN_RESULT || !as.isResult) return { ...as, isDereferenced: true }
  return as.isNewer ? NEWER_URL_RESULT : CORE_URL_RESULT
}

/**
 * Returns the representation that an Accept header (RFC 9110, section 12.5.1) prefers; undefined where it accepts none
 * of ours.
 */
export function representationFor(accept: string | undefined): Representation | undefined {
  const ranges = (accept ?? '').split(',').flatMap(mediaRange)
  if (ranges.length === 0) return CORE_RESULT
  const weighed = OFFERED.map(([type, representation]) => ({ representation, weight: weightOf(ranges, type) }))
  const best = Math.max(...weighed.map(({ weight }) => weight))
  return best > 0 ? weighed.find(({ weight }) => weight === best)?.representation : undefined
}

interface MediaRange {
  type: string
  weight: number
}

function mediaRange(text: string): MediaRange[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  if (type === '') return []
  const named = (name: string) => parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1)
  const profile = named('profile')?.replaceAll('"', '')
  if (profile !== undefined && profile !== PROFILE && profile !== URL_PROFILE) return [{ type: 'none', weight: 0 }]
  const weight = Number(named('q') ?? '1')
  return [{ type: profile === URL_PROFILE ? profile : type, weight: weight >= 0 && weight <= 1 ? weight : 0 }]
}

/** The most specific range that matches the type gives its weight. */
function weightOf(ranges: readonly MediaRange[], type: string): number {
  for (const wanted of [type, 'application/*', '*/*']) {
    const weights = ranges.filter((range) => range.type === wanted).map(({ weight }) => weight)
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}

interface ResolutionAnswer {
  status: number
  mediaType: string
  body: object
}

/** A deactivated DID has no document: its metadata say why, and the status is 410. */
export function resolved(state: DidState, document: DidDocument, as: Representation): ResolutionAnswer {
  const metadata = didDocumentMetadata(state)
  if (state.deactivated) return result(as, { status: GONE, content: null, metadata })
  if (!as.isResult) return { status: 200, mediaType: as.mediaType, body: document }
  return result(as, { status: 200, content: document, metadata })
}

/** Returns what a fragment names in a document: a key or a service, with the contexts that define its members. */
export function resolvedFragment(
  state: DidState,
  document: DidDocument,
  fragment: string,
  as: Representation,
): ResolutionAnswer {
  if (state.deactivated) return resolved(state, document, as)
  const { '@context': context, verificationMethod = [], service = [] } = document
  const found = [...verificationMethod, ...service].find(({ id }) => id === `${document.id}#${fragment}`)
  if (found === undefined) throw new ResolutionError('notFound', 'The document of the DID has nothing under this id')
  const content = { '@context': context, ...found }
  if (!as.isResult) return { status: 200, mediaType: as.mediaType, body: content }
  return result(as, { status: 200, content, metadata: didDocumentMetadata(state) })
}

export function refused({ problem, message }: ResolutionError, as: Representation = CORE_RESULT): ResolutionAnswer {
  const [name, status, title] = PROBLEMS[problem]
  const error = as.isNewer ? { type: `https://www.w3.org/ns/did#${name}`, title, detail: message } : problem
  return result(as, { status, content: null, metadata: {}, error, message })
}

interface Result {
  status: number
  /** A document, or the part of one that a DID URL points to. */
  content: object | null
  metadata: DidDocumentMetadata
  error?: string | object
  message?: string
}

/** Writes an answer without a document as a result, whatever form the caller asked for one in. */
function result(as: Representation, { status, content, metadata, error, message }: Result): ResolutionAnswer {
  const asResult = as.isResult ? as : resultInstead(as)
  const outcome = error === undefined ? {} : { error, ...(as.isNewer ? {} : { errorMessage: message }) }
  const about = content === null ? outcome : { contentType: as.contentType }
  const context = as.isNewer ? {} : { '@context': `${as.isDereferenced ? URL_PROFILE : PROFILE}/v1` }
  const body = as.isDereferenced
    ? { ...context, dereferencingMetadata: about, contentStream: content, contentMetadata: metadata }
    : { ...context, didDocument: content, didResolutionMetadata: about, didDocumentMetadata: metadata }
  return { status, mediaType: asResult.mediaType, body }
}

function resultInstead({ isNewer, isDereferenced }: Representation): Representation {
  const whole = isNewer ? NEWER_RESULT : CORE_RESULT
  return isDereferenced ? dereferenced(whole) : whole
}
