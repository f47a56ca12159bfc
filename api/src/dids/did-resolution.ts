import { type DidDocumentMetadata, type DidState, didDocumentMetadata } from '@accredit/chain'
import type { ApiDocument } from './api-document.js'

/** What can go wrong with a resolution, by the name that DID Core 1.0 gives it. */
export type ResolutionProblem =
  | 'invalidDid'
  | 'methodNotSupported'
  | 'featureNotSupported'
  | 'invalidOptions'
  | 'notFound'
  | 'representationNotSupported'

/** DID Resolution 1.0, sections 11 and 12.1: the newer name of each, its HTTP status, and its title. */
const PROBLEMS: Record<ResolutionProblem, readonly [name: string, status: number, title: string]> = {
  invalidDid: ['INVALID_DID', 400, 'Invalid DID'],
  invalidOptions: ['INVALID_OPTIONS', 400, 'Invalid resolution options'],
  notFound: ['NOT_FOUND', 404, 'DID not found'],
  representationNotSupported: ['REPRESENTATION_NOT_SUPPORTED', 406, 'Representation not supported'],
  methodNotSupported: ['METHOD_NOT_SUPPORTED', 501, 'DID method not supported'],
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

/** How an answer is written: the whole result or the bare document, as DID Core 1.0 or as DID Resolution 1.0 has it. */
interface Representation {
  mediaType: string
  isResult: boolean
  /** What the document by itself would be called. */
  contentType: string
  isNewer: boolean
}

const PROFILE = 'https://w3id.org/did-resolution'
const CORE_RESULT: Representation = {
  mediaType: `application/ld+json;profile="${PROFILE}"`,
  isResult: true,
  contentType: 'application/did+ld+json',
  isNewer: false,
}
const NEWER_RESULT: Representation = {
  mediaType: 'application/did-resolution',
  isResult: true,
  contentType: 'application/did',
  isNewer: true,
}
const PLAIN_RESULT: Representation = { ...CORE_RESULT, mediaType: 'application/json; charset=utf-8' }
const documentAs = (mediaType: string, isNewer: boolean): Representation => ({
  ...{ mediaType, isResult: false, contentType: mediaType, isNewer },
})

/** By what a caller may ask for, in the order of our preference. What names no representation of its own gets the first. */
const OFFERED: readonly (readonly [range: string, representation: Representation])[] = [
  ['application/ld+json', CORE_RESULT],
  ['application/did-resolution', NEWER_RESULT],
  ['application/did+ld+json', documentAs('application/did+ld+json', false)],
  ['application/did+json', documentAs('application/did+json', false)],
  ['application/did', documentAs('application/did', true)],
  ['application/json', PLAIN_RESULT],
]

const mediaTypesOf = (isResult: boolean): string[] =>
  OFFERED.filter(([, offered]) => offered.isResult === isResult).map(([, { mediaType }]) =>
    mediaType.replace('; charset=utf-8', ''),
  )
/** What answers come in: those that are a whole result, and those that are the document alone. */
export const RESULT_MEDIA_TYPES = mediaTypesOf(true)
export const DOCUMENT_MEDIA_TYPES = mediaTypesOf(false)

/** The representation that an Accept header (RFC 9110, section 12.5.1) prefers; undefined where it takes none of ours. */
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
  if (profile !== undefined && profile !== PROFILE) return [{ type: 'none', weight: 0 }]
  const weight = Number(named('q') ?? '1')
  return [{ type, weight: weight >= 0 && weight <= 1 ? weight : 0 }]
}

/** The most specific range that takes the type says how much. */
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
export function resolved(state: DidState, document: ApiDocument, as: Representation): ResolutionAnswer {
  const didDocumentMetadata_ = didDocumentMetadata(state)
  if (state.deactivated) return result(as, { status: GONE, document: null, metadata: didDocumentMetadata_ })
  if (!as.isResult) return { status: 200, mediaType: as.mediaType, body: document }
  return result(as, { status: 200, document, metadata: didDocumentMetadata_ })
}

export function refused({ problem, message }: ResolutionError, as: Representation | undefined): ResolutionAnswer {
  const [name, status, title] = PROBLEMS[problem]
  const form = as ?? CORE_RESULT
  const error = form.isNewer ? { type: `https://www.w3.org/ns/did#${name}`, title, detail: message } : problem
  return result(form, { status, document: null, metadata: {}, error, message })
}

interface Result {
  status: number
  document: ApiDocument | null
  metadata: DidDocumentMetadata
  error?: string | object
  message?: string
}

/** What is no document is told as a result, whatever was asked for. */
function result(as: Representation, { status, document, metadata, error, message }: Result): ResolutionAnswer {
  const asResult = as.isResult ? as : as.isNewer ? NEWER_RESULT : CORE_RESULT
  const outcome = error === undefined ? {} : { error, ...(as.isNewer ? {} : { errorMessage: message }) }
  return {
    status,
    mediaType: asResult.mediaType,
    body: {
      ...(as.isNewer ? {} : { '@context': `${PROFILE}/v1` }),
      didDocument: document,
      didResolutionMetadata: document === null ? outcome : { contentType: as.contentType },
      didDocumentMetadata: metadata,
    },
  }
}
