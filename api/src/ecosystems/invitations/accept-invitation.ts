import { Type } from 'typebox'
import { ownDid } from '../../dids/did.store.js'
import { didParam } from '../../dids/did-param.js'
import { suspendedSince } from '../../ledger/read/participants/suspensions.js'
import { invalid, notFound } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { profileOf } from '../../profiles/profile.store.js'
import { participantByDid } from '../participants/participant.queries.js'
import { InfoUrl, Participant } from '../participants/participant.shape.js'
import { rememberedSuspension } from '../participants/participant.store.js'
import { presentParticipant } from '../participants/participant.view.js'
import { presentPoint, type ReadPoint } from '../read-point.js'
import { infoUrlRules, webUrlOrEmpty } from '../registries/text.js'
import { NO_RIGHTS } from '../rights.js'
import { waitUntilIndexed } from '../wait-until-indexed.js'
import { alreadyIn, type Guest, storeAcceptance } from './acceptance.js'
import { InvitationToken } from './invitation.shape.js'
import type { Invitation } from './invitation-token.js'
import { invitingRegistry, parseInvitation, refuseTaken } from './invitations.js'

export const acceptInvitation = operation({
  method: 'POST',
  url: '/trust-registries/invitations/accept',
  operationId: 'acceptInvitation',
  tags: ['trustRegistries'],
  summary: 'Accept an invitation into a trust registry with a DID of yours',
  description:
    'The DID needs a profile with a name; a logo is welcome and not needed. Its rights are written by the convener; the job is yours. There is no participant until the ledger has them, and a refusal frees the token. A convener that keeps its own key signs them when it does (GET /trust-registries/{registryId}/waiting-actions is for its team): until then the job is in_progress with `waitingFor`, and when it takes too long the job fails and frees the token.',
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'shared',
  body: Type.Object({
    token: InvitationToken,
    did: Type.String({ minLength: 1, maxLength: 256, description: 'The DID of yours that takes part' }),
    infoUrl: Type.Optional(InfoUrl),
  }),
  examples: { 'With a DID of yours': { token: EXAMPLE.token, did: EXAMPLE.convener } },
  rules: infoUrlRules,
  response: { 200: Participant },
  errors: [
    'invite_token_used',
    'invite_token_expired',
    'invite_already_accepted',
    'did_method_not_supported',
    'not_found',
    'ledger_unavailable',
  ],
  handler: async (ctx, { body }) => {
    const did = didParam(body.did, 'did')
    const infoUrl = webUrlOrEmpty(body.infoUrl ?? '', 'infoUrl')
    const invitation = await parseInvitation(ctx, body.token)
    await refuseTaken(ctx, invitation)
    const point = await presentPoint(ctx)
    const registry = await invitingRegistry(ctx, invitation, point)
    const guest = { ...(await guestOf(ctx, invitation, did, point)), infoUrl }
    const { job, answer } = await storeAcceptance(ctx, { invitation, registry, guest })
    return (await waitUntilIndexed(ctx, job)) ? presentParticipant(ctx, registry.id, did, answer) : answer
  },
})

/** Throws when the DID is not the caller's, cannot be presented, or takes part already. */
function guestOf(
  ctx: Context,
  invitation: Invitation,
  did: Guest['did'],
  point: ReadPoint,
): Promise<Omit<Guest, 'infoUrl'>> {
  return ctx.db.read(ctx.scope, async (reader) => {
    if (!(await ownDid(reader, did))) throw notFound('DID')
    const profile = await profileOf(reader, did)
    if (!profile || profile.name === '')
      throw invalid('The DID needs a profile with a name to take part: see POST /profiles')
    const known = await participantByDid(reader, point, invitation.id, did)
    if (known && known.team_id !== null) throw alreadyIn()
    const onLedger = await suspendedSince(reader, point, invitation.id, did)
    const here = await rememberedSuspension(reader, invitation.id, did)
    const rights = known ? { issuer: known.issuer_ids, verifier: known.verifier_ids } : NO_RIGHTS
    return { did, profile, rights, suspension: { onLedger, here } }
  })
}
