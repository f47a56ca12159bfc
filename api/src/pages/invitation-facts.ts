import { type Invitation, readInvitation } from '../ecosystems/invitations/invitation-token.js'
import { hostOf, keyOfInvitations } from '../ecosystems/invitations/invitations.js'
import { hashesOf, parseSchemaRefs, type SchemaRef } from '../ecosystems/names/schema-ref.js'
import { type InvitationUse, useOfInvitation } from '../ecosystems/participants/participant.store.js'
import { presentPoint } from '../ecosystems/read-point.js'
import type { RegistryRow } from '../ecosystems/registries/registry.queries.js'
import type { Reader } from '../platform/database/database.js'
import { ApiError } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { ownLogos } from '../profiles/logo-copies.js'
import { schemaNames } from './ecosystem.queries.js'
import { pageOf } from './page-links.js'
import { pageRefusal } from './page-refusal.js'
import type { Words } from './words.js'

/** Everything that the page of an invitation tells. */
export interface InvitationFacts {
  registry: RegistryRow
  expires: Date
  /** The schemas, by name, that a DID which accepts may issue. */
  issues: string[]
  verifies: string[]
  logos: Map<string, string>
  ecosystemPage: string
  apiUrl: string
}

/** Throws 404 for a token that is no invitation of this service, and 410 for one that is over, each with the reason. */
export async function invitationFacts(ctx: PublicContext, token: string, words: Words): Promise<InvitationFacts> {
  const invitation = await readToken(ctx, token, words)
  const point = await presentPoint(ctx)
  // Anyone with the link may know the use of the invitation, whichever team that concerns.
  return ctx.db.read('system', async (reader) => {
    const use = await useOfInvitation(reader, invitation.nonce)
    if (use !== undefined) throw over(words, USES[use])
    const host = await hostOf(reader, invitation, point)
    if (host === 'unknown') throw noInvitation(words, 'noInvitationText')
    if (typeof host === 'string') throw over(words, host === 'removed' ? 'invitationRemoved' : 'invitationHandedOver')
    const { apiUrl, webUrl } = ctx.config
    return {
      registry: host,
      expires: invitation.expires,
      ...(await schemasOf(reader, invitation)),
      logos: await ownLogos(reader, [host.logo_url ?? '', host.convener_logo_url ?? ''], apiUrl),
      ecosystemPage: pageOf(webUrl, host.slug ?? host.id, { page: 1 }),
      apiUrl,
    }
  })
}

async function readToken(ctx: PublicContext, token: string, words: Words): Promise<Invitation> {
  try {
    const invitation = await readInvitation(keyOfInvitations(ctx), token, ctx.clock.now())
    if (invitation.isTestmode === (ctx.config.environment === 'sandbox')) return invitation
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { expired } = error.members
    if (typeof expired === 'string')
      throw over(words, 'invitationExpired', { moment: words.momentOf(new Date(expired)) })
    throw noInvitation(words, 'noInvitationText')
  }
  throw noInvitation(words, 'otherEnvironment')
}

async function schemasOf(reader: Reader, invitation: Invitation): Promise<{ issues: string[]; verifies: string[] }> {
  const issuer = parseSchemaRefs(invitation.issuerSchemas, 'issuerSchemas')
  const verifier = parseSchemaRefs(invitation.verifierSchemas, 'verifierSchemas')
  const nameOf = await schemaNames(reader, hashesOf([...issuer, ...verifier]))
  const called = ({ hash, uri }: SchemaRef): string => {
    const name = nameOf(hash)
    return name === hash ? (uri ?? hash) : name
  }
  return { issues: issuer.map(called), verifies: verifier.map(called) }
}

type Reason = Parameters<Words['plain']>[0]

const USES: Record<InvitationUse, Reason> = {
  accepted: 'invitationAccepted',
  declined: 'invitationDeclined',
  waiting: 'invitationWaiting',
}

const over = (words: Words, reason: Reason, values: Record<string, string> = {}): ApiError =>
  pageRefusal('gone', { title: words.plain('invitationOver'), text: words.plain(reason, values) })

const noInvitation = (words: Words, reason: Reason): ApiError =>
  pageRefusal('not_found', { title: words.plain('noInvitation'), text: words.plain(reason) })
