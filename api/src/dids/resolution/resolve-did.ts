import { type Did, type DidState, didKeyState } from '@accredit/chain'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { type At, AtQuery, resolveAt, sendAt } from '../../ledger/read/at.js'
import { didStateAt } from '../../ledger/read/did-state.js'
import type { Environment } from '../../platform/http/context.js'
import { ApiError } from '../../platform/http/errors.js'
import type { Described } from '../../platform/http/operation.js'
import { DidParams } from '../did.shape.js'
import { apiDocument } from './api-document.js'
import { isDidKey } from './did-lookup.js'
import {
  dereferenced,
  ResolutionError,
  refused,
  representationFor,
  resolved,
  resolvedFragment,
} from './did-resolution.js'
import { resolutionAnswers, resolutionResult } from './did-resolution.shape.js'
import { type DidUrl, readDidUrl } from './did-url.js'
import { versionInstant } from './did-version.js'

const when = (description: string) => Type.Optional(Type.String({ description }))

export const resolveDidDescription: Described = {
  method: 'GET',
  url: '/1.0/identifiers/:did',
  operationId: 'resolveDid',
  tags: ['dids'],
  summary: 'Resolve a DID by the HTTP binding of W3C DID Resolution',
  description:
    'Any did:svc and did:key, for everybody. Accept chooses the answer: `application/ld+json;profile="https://w3id.org/did-resolution"` (default) or `application/did-resolution` for the whole result, `application/did+ld+json`, `application/did+json` or `application/did` for the document alone. A DID URL with a fragment (`%23keys-1`) is dereferenced: the key or service of that id, alone or in `application/ld+json;profile="https://w3id.org/did-url-dereferencing"` or `application/did-url-dereferencing`. A deactivated DID answers 410; errors stand in didResolutionMetadata.error (dereferencingMetadata.error of a DID URL): invalidDid, invalidDidUrl, invalidOptions (400), notFound (404), representationNotSupported (406), methodNotSupported, unsupportedPublicKeyType and featureNotSupported (501).',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: DidParams,
  querystring: Type.Object({
    versionId: when('A version as didDocumentMetadata names it: the block that made it'),
    ...AtQuery.properties,
    versionTime: when(
      'An instant: the version that was current then. Without a fraction the whole second is meant, as in didDocumentMetadata.',
    ),
  }),
  response: { 200: resolutionResult },
  answers: resolutionAnswers,
  codes: [400, 404, 406, 410, 501, 503],
}

/**
 * This route is no operation, since it answers in the standard's own forms, errors too, and with statuses of its own.
 */
export function registerResolver(app: FastifyInstance, environment: Environment): void {
  app.get('/1.0/identifiers/*', { config: { name: 'resolveDid' } }, async (request, reply) => {
    const text = textMember(request.params, '*') ?? ''
    const offered = representationFor(request.headers.accept)
    // A fragment or a path asks for something else than the document.
    const as = offered && /^did:[^#/]*[#/]/.test(text) ? dereferenced(offered) : offered
    try {
      if (as === undefined) {
        throw new ResolutionError('representationNotSupported', 'None of the media types in Accept is offered')
      }
      const url = readDidUrl(text)
      const state = await stateFor(environment, url, request.query, reply)
      const document = documentOf(state)
      const { fragment } = url
      return send(
        reply,
        fragment === undefined ? resolved(state, document, as) : resolvedFragment(state, document, fragment, as),
      )
    } catch (error) {
      if (error instanceof ResolutionError) return send(reply, refused(error, as))
      throw error
    }
  })
}

function send(reply: FastifyReply, { status, mediaType, body }: ReturnType<typeof resolved>): FastifyReply {
  // The answer is sent as bytes: the framework adds a charset to the media type of a text, and these types have none.
  return reply
    .code(status)
    .headers({ Vary: 'Accept', 'Content-Type': mediaType })
    .send(Buffer.from(JSON.stringify(body)))
}

function documentOf(state: DidState) {
  try {
    return apiDocument(state)
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) throw new ResolutionError('invalidDid', error.message)
    throw error
  }
}

async function stateFor(environment: Environment, { did, parameters }: DidUrl, query: unknown, reply: FastifyReply) {
  const version = readVersion([...parameters, ...membersOf(query)])
  if (isDidKey(did)) return keyState(did, version)
  const at = await pointOf(environment, version)
  sendAt({ reply: { header: (name, value) => void reply.header(name, value) } }, at)
  const state = await didStateAt(environment.index, did, at)
  if (state === undefined) throw new ResolutionError('notFound', 'The ledger had no such DID')
  // A block between two versions is no version.
  if (version?.kind === 'id' && state.versionId !== String(version.block)) throw noVersion()
  return state
}

const noVersion = (): ResolutionError => new ResolutionError('notFound', 'The DID has no such version')

/** A did:key follows from itself at every time, and has no versions. */
function keyState(did: Did, version: Version | undefined): DidState {
  const state = didKeyState(did)
  if (state === undefined || version?.kind === 'id') throw noVersion()
  return state
}

type Version = { kind: 'id'; block: number } | { kind: 'time'; instant: Date } | { kind: 'at'; at: string }

/** Our documents have no relative URLs and no cache stands before them: these two options change nothing. */
const WITHOUT_EFFECT = ['expandRelativeUrls', 'noCache']
/** These ask for something else than the document; an unknown parameter is ignored, as everywhere. */
const FOR_DEREFERENCING = ['service', 'serviceType', 'relativeRef', 'hl']
const VERSIONS = ['versionId', 'versionTime', 'at']

type Parameter = readonly [name: string, value: unknown]

const membersOf = (query: unknown): Parameter[] =>
  Object.entries(typeof query === 'object' && query !== null ? query : {})

function readVersion(named: readonly Parameter[]): Version | undefined {
  const other = named.find(([name]) => FOR_DEREFERENCING.includes(name))
  if (other !== undefined)
    throw new ResolutionError('featureNotSupported', `DID URLs with ${other[0]} are not followed`)
  const options = new Map<string, string>()
  for (const [name, value] of named.filter(([name]) => [...VERSIONS, ...WITHOUT_EFFECT].includes(name))) {
    if (typeof value !== 'string' || options.has(name))
      throw new ResolutionError('invalidOptions', `${name} may be given once`)
    if (value === '') throw new ResolutionError('invalidOptions', `${name} is empty: give it a value, or leave it out`)
    if (WITHOUT_EFFECT.includes(name) && !['true', 'false'].includes(value)) {
      throw new ResolutionError('invalidOptions', `${name} must be true or false`)
    }
    options.set(name, value)
  }
  const [id, time, at] = VERSIONS.map((name) => options.get(name))
  if ([id, time, at].filter((one) => one !== undefined).length > 1) {
    throw new ResolutionError('invalidOptions', 'Give one of versionId, versionTime and at')
  }
  if (id !== undefined) return { kind: 'id', block: readBlock(id) }
  if (time !== undefined) return { kind: 'time', instant: readTime(time) }
  return at === undefined ? undefined : { kind: 'at', at }
}

function textMember(value: unknown, name: string): string | undefined {
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof member === 'string' ? member : undefined
}

function readBlock(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text)
  // The id is some other method's: no version of ours has such a name.
  throw noVersion()
}

function readTime(text: string): Date {
  const instant = versionInstant(text)
  if (instant !== undefined) return instant
  throw new ResolutionError('invalidOptions', 'versionTime must be an instant with its offset, as 2026-01-31T12:00:00Z')
}

async function pointOf({ index, clock }: Environment, version: Version | undefined): Promise<At> {
  if (version === undefined) return resolveAt(index, undefined, clock)
  const { block, genesisTime } = await index.head()
  if (version.kind === 'id' && version.block > block) throw noVersion()
  if (version.kind === 'time' && version.instant < genesisTime) {
    throw new ResolutionError('notFound', 'The ledger is younger than that')
  }
  try {
    return await resolveAt(index, requested(version), clock)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    throw version.kind === 'id' ? noVersion() : new ResolutionError('invalidOptions', error.message)
  }
}

function requested(version: Version): string {
  if (version.kind === 'at') return version.at
  return version.kind === 'id' ? String(version.block) : version.instant.toISOString()
}
