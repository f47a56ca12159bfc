import type { Logger } from 'pino'
import type { Config } from '../../config.js'
import type { Database, TeamScope } from '../database/database.js'
import type { TeamId } from '../database/ids.js'
import type { EventServices } from '../database/outgoing-events.js'
import type { Clock } from '../process/clock.js'
import type { Random } from '../process/random.js'
import type { GuardedFetch } from '../security/guarded-fetch.js'
import type { GuardedPost } from '../security/guarded-post.js'
import type { PublicPrincipal, SponsorPrincipal, TeamPrincipal } from '../security/principal.js'

/**
 * The services that the layers above the platform add to a context (the signer door, the index), by augmentation:
 * `declare module './context.js' { interface ContextServices { index: IndexDb } }`
 */
// biome-ignore lint/suspicious/noEmptyInterface: it exists to be augmented
export interface ContextServices {}

/** The outside world that every process gives to the rules. */
export interface Environment extends ContextServices {
  readonly config: Config
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly db: Database
  /**
   * Derives a secret of 32 bytes of this deployment for one purpose: `deriveKey('ecosystem-invitation')`. It is the
   * same on every replica.
   */
  readonly deriveKey: (label: string) => Buffer
  readonly guardedFetch: GuardedFetch
  readonly guardedPost: GuardedPost
  readonly events: EventServices
}

/** The services of operations alone, extended likewise: the process of the jobs has none of them in memory. */
// biome-ignore lint/suspicious/noEmptyInterface: it exists to be augmented
export interface OperationServices {}

interface RequestContext extends Environment, OperationServices {
  /** Waits for something that is not work of this process, without a place among the requests in work. */
  readonly rest: <T>(wait: () => Promise<T>) => Promise<T>
  readonly requestId: string
  /** The caller's address, as the trusted proxies tell it. */
  readonly address: string
  /** The request's Accept header. */
  readonly accept: string | undefined
  /** Its Accept-Language header. */
  readonly acceptLanguage: string | undefined
  /** Its Authorization header: where a sponsor's key is needed, it is no key. */
  readonly authorization: string | undefined
  /** Its Content-Type header. */
  readonly contentType: string | undefined
  /** Its If-Match header. */
  readonly ifMatch: string | undefined
  /** Its Last-Event-ID header, of a reader of server-sent events that comes again. */
  readonly lastEventId: string | undefined
  readonly reply: {
    header(name: string, value: string): void
    /** Sets another media type than JSON; the answer must then be text, bytes or a readable stream. */
    type(mediaType: string): void
    /** Lets the answer be given again, for as long as the operation's `presentState` names this state. */
    keepWhile(state: string): void
  }
}

/** The context of an operation whose caller acts for a team. */
export interface Context<P extends TeamPrincipal = TeamPrincipal> extends RequestContext {
  /** True where everything is undone afterwards: effects that would last in another way have to be left out. */
  readonly isDryRun?: true
  readonly team: TeamId
  readonly principal: P
  readonly scope: TeamScope
  /** True if the request prefers strict handling: it is refused if a part of it would be ignored. */
  readonly isStrict: boolean
  /**
   * Names in the answer ignored parts of the body that the platform did not find: JSON pointers, percent-encoded.
   * @throws `ApiError` where the request prefers strict handling
   */
  readonly ignore: (pointers: readonly string[]) => void
}

/** The context of a sponsor: its team pays, and no row of it is opened. */
export interface SponsorContext extends RequestContext {
  readonly team: TeamId
  readonly principal: SponsorPrincipal
  readonly scope: 'public'
}

/** The context of a caller without a key. */
export interface PublicContext extends RequestContext {
  readonly team: undefined
  readonly principal: PublicPrincipal
  readonly scope: 'public'
}

export type AnyContext = Context | SponsorContext | PublicContext
