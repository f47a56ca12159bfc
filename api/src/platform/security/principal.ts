import type { TeamId } from '../database/ids.js'
import type { Role } from '../database/tables.js'

/** An API key of a team; `plan` is that of the team that pays, and null for the default one. */
export interface KeyPrincipal {
  readonly kind: 'key'
  readonly keyId: number
  readonly team: TeamId
  readonly role: Role
  /** The person whose temporary key it is; absent for a lasting one, which is the team's. */
  readonly userId?: number
  readonly plan?: string | null
}

/** A person who signed in, at work in one team. */
export interface SessionPrincipal {
  readonly kind: 'session'
  readonly sessionId: number
  readonly userId: number
  readonly team: TeamId
  /** The role that the person has in the team. */
  readonly role: Role
  readonly plan?: string | null
}

/** A key that pays for what a wallet's DID signed; it opens nothing of its team. */
export interface SponsorPrincipal {
  readonly kind: 'sponsor'
  readonly keyId: number
  readonly team: TeamId
  readonly plan?: string | null
}

export interface PublicPrincipal {
  readonly kind: 'public'
}

/** A caller that acts for a team, with a role in it. */
export type TeamPrincipal = KeyPrincipal | SessionPrincipal

/** The caller of a request. */
export type Principal = TeamPrincipal | SponsorPrincipal | PublicPrincipal

export const PUBLIC: PublicPrincipal = { kind: 'public' }

/** The one name of a caller that sent a key or a session: limits and Idempotency-Key count by it. */
export function callerName(principal: TeamPrincipal | SponsorPrincipal): string {
  return principal.kind === 'session' ? `session:${principal.sessionId}` : `${principal.kind}:${principal.keyId}`
}

/** The name of a caller in the audit: a key, or a person. */
export const actorName = (principal: TeamPrincipal | SponsorPrincipal): string =>
  principal.kind === 'session' ? `user:${principal.userId}` : callerName(principal)
