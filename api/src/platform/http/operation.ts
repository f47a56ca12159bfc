import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { Role } from '../database/tables.js'
import type { ApiError, ErrorType } from '../errors.js'
import type { Auth } from '../security/access.js'
import type { KeyPrincipal, SessionPrincipal } from '../security/principal.js'
import type { AnyContext, Context, Environment, PublicContext, SponsorContext } from './context.js'
import type { InputClass } from './input/input-class.js'
import type { MemberRules } from './input/member-rules.js'
import type { LINES, TokenType } from './input/request-body.js'

/** The owners of the rows that an operation touches; `x-tenancy` in the OpenAPI document. */
type Tenancy = 'owned' | 'shared' | 'public' | 'system'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type ContextOf<A extends Auth> = A extends 'key'
  ? Context<KeyPrincipal>
  : A extends 'session'
    ? Context<SessionPrincipal>
    : A extends 'account'
      ? Context
      : A extends 'sponsor'
        ? SponsorContext
        : A extends 'public'
          ? PublicContext
          : PublicContext | Context<A extends 'signIn' ? SessionPrincipal : KeyPrincipal>

/** The smallest role that may call: every operation that knows its caller says it. */
type RoleOf<A extends Auth> = A extends 'public' | 'sponsor' ? { role?: undefined } : { role: Role }

interface Description {
  method: Method
  /**
   * Fastify path, relative to the base URL: `/trust-registries/:registryId`. A parameter may hold a URI, encoded or
   * raw.
   */
  url: string
  /** verbNoun, the name of the file in camel case. */
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  tenancy: Tenancy
  /** The refusals of its own, beside those that follow from its declaration (`errorTypesOf`). */
  errors?: readonly ErrorType[]
  /** The way it takes unknown input; default deciding for GET, writing for other methods. */
  input?: InputClass
  /** The record that clients read and send back whole, if it is not the answer. */
  record?: TSchema
  /** Examples of good bodies, each by its purpose. Every operation that takes a body has one. */
  examples?: Readonly<Record<string, unknown>>
  /** The rules about single members that the schema of its body cannot state. */
  rules?: MemberRules
  /** The media types that its body may have beside JSON. */
  bodyTypes?: readonly (typeof LINES | TokenType)[]
  /** The member of its body whose items stand one a line in NDJSON, where the body is read. */
  linesAre?: string
  /** True if its body may be so large that a thread has to read it: the handler gets an `UnreadBody`, unchecked. */
  bodyUnread?: boolean
  limits?: {
    /** Default 1 MiB. */
    bodyBytes?: number
    /** The most requests of one address that run at once; more: 429. */
    concurrencyPerAddress?: number
    /** The same limit for requests that stream a whole list. */
    streamsPerAddress?: number
  }
  /** True if Idempotency-Key is honoured; default true for every method but GET, with a key. */
  idempotent?: boolean
  /** True if it writes to the ledger: `dryRun=true` is offered, and tells the outcome that it would have. */
  ledgerWrite?: boolean
  /** True if the answer holds a secret shown once: it is never stored, and a retry is 409. */
  secretAnswer?: boolean
  /** True if it answers 201: it made what stands in the answer. */
  creates?: boolean
  deprecated?: boolean
  /** True if its answers name the block that they are true for, though no `at` asks for a point. */
  namesBlock?: boolean
  /** True if it answers about the present also where that may be an old one, and says so: `Accredit-Stale`. */
  mayBeStale?: boolean
  /** True if its answer carries an ETag, and If-Match is honoured; with GET also If-None-Match. */
  tagged?: boolean
  /** The media types of its answers; default application/json alone. */
  mediaTypes?: readonly string[]
  /** Its answers by status and media type, where `response` and the one error body do not describe them all. */
  answers?: Readonly<Record<number, Readonly<Record<string, TSchema>>>>
  refusals?: Refusals
}

/** The form of refusals for callers that read another than the one error body, also from before the handler. */
export interface Refusals {
  /** The media types of its answers; the first one unless Accept asks for another. */
  mediaTypes: readonly [string, ...string[]]
  headers?(request: Pick<FastifyRequest, 'headers'>): Record<string, string>
  /** The schema of the body; default text. */
  schema?: TSchema
  body(error: ApiError, request: Pick<FastifyRequest, 'params' | 'query' | 'headers'>): string
}

interface Schemas {
  body?: TSchema
  querystring?: TSchema
  params?: TSchema
  response: { 200: TSchema }
}

/** A route as the reference describes it. */
export interface Described extends Description, Schemas {
  auth: Auth
  /** The smallest role that may call. */
  role?: Role | undefined
  /** Statuses of a route that is no operation, and refuses in the way of a standard. */
  codes?: readonly number[]
}

interface Kept {
  /**
   * Names the state that answers about the present stand on. An answer that was given with `reply.keepWhile` is given
   * again for as long as this names the same one. Throws what the operation throws where no present can be told.
   */
  presentState?: (environment: Environment) => Promise<string>
}

/** A registered operation, its types erased. */
export interface Operation extends Described, Kept {
  // The handler is a method, so that an operation may declare its arguments more exactly: the platform validates input
  // against its schemas, and gives the context of its `auth`, before it calls.
  handler(ctx: AnyContext, input: { body: unknown; query: unknown; params: unknown }): Promise<unknown>
}

interface OperationSpec<A extends Auth, B extends TSchema, Q extends TSchema, P extends TSchema, R extends TSchema>
  extends Description,
    Kept {
  auth: A
  body?: B
  querystring?: Q
  params?: P
  response: { 200: R }
  handler: (ctx: ContextOf<A>, input: { body: Static<B>; query: Static<Q>; params: Static<P> }) => Promise<Static<R>>
}

/** The answer that only confirms. Many clients cannot read an empty one. */
export const NothingToSay = Type.Object({}, { description: 'It is done' })

/** One operation: its input and answers, its callers, and its work. */
export function operation<
  const A extends Auth,
  B extends TSchema,
  Q extends TSchema,
  P extends TSchema,
  R extends TSchema,
>(spec: OperationSpec<A, B, Q, P, R> & RoleOf<A>): Operation {
  return spec
}

/** A message that this service sends to software of others, as the reference describes it under `webhooks`. */
export interface SentMessage {
  name: string
  summary: string
  description?: string
  tags: readonly string[]
  headers: TSchema
  body: TSchema
  /** False for one that is described, and not sent yet. */
  isSent: boolean
}

/** The operations and routes that a capability serves over HTTP. */
export interface Served {
  operations: Operation[]
  /** The routes that `register` makes and callers should know, as the reference describes them. */
  described?: Described[]
  /** The messages that it sends. */
  sent?: SentMessage[]
  /** Routes that are no operations (hosted documents, GraphQL). They register themselves. */
  register?: (app: FastifyInstance, environment: Environment) => Promise<void>
}
