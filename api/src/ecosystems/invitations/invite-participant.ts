import { Type } from 'typebox'
import { operation } from '../../platform/http/operation.js'
import { EXAMPLE } from '../../platform/http/reference/examples.js'
import { namedSchemas } from '../names/schema.store.js'
import { SchemaList } from '../participants/participant.shape.js'
import { ownRegistry } from '../registries/access.js'
import { RegistryParams } from '../registries/trust-registry.shape.js'
import { invitationLink, signInvitation } from './invitation-token.js'
import { keyOfInvitations } from './invitations.js'

const WEEK_SECONDS = 604_800
const TEN_YEARS_SECONDS = 315_360_000

export const inviteParticipant = operation({
  method: 'POST',
  url: '/trust-registries/:registryId/participants',
  operationId: 'inviteParticipant',
  tags: ['trustRegistries'],
  summary: 'Invite a participant',
  description:
    'The link is good for one DID of whoever accepts it, while the registry has the convener that it has now and is this team’s. Schemas are what the DID will be allowed to issue and verify; without any it may verify what is public. An empty list of verifier schemas opens nothing.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: RegistryParams,
  body: Type.Object({
    maxAge: Type.Integer({ minimum: 1, maximum: TEN_YEARS_SECONDS, default: WEEK_SECONDS, description: 'Seconds' }),
    issuerSchemas: Type.Optional(SchemaList),
    verifierSchemas: Type.Optional(SchemaList),
  }),
  examples: { 'An issuer of degrees': { maxAge: 604_800, issuerSchemas: [EXAMPLE.schema] } },
  response: {
    200: Type.Object({ link: Type.String({ description: 'The token is its first and only query parameter' }) }),
  },
  errors: ['forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    const { registry } = await ownRegistry(ctx, params.registryId)
    const { issuerSchemas = [], verifierSchemas = [] } = body
    await namedSchemas(ctx, issuerSchemas, 'issuerSchemas')
    await namedSchemas(ctx, verifierSchemas, 'verifierSchemas')
    const isTestmode = ctx.config.environment === 'sandbox'
    const { id, convener } = registry
    const by = { id, convener, team: ctx.team }
    const invitation = { ...by, isTestmode, nonce: ctx.random.hex(16), issuerSchemas, verifierSchemas }
    const created = ctx.clock.now()
    const token = await signInvitation(keyOfInvitations(ctx), invitation, created, body.maxAge)
    const expires = new Date(created.getTime() + body.maxAge * 1000)
    await ctx.db.transaction(ctx.scope, async (tx) => {
      const row = { id: invitation.nonce, team_id: ctx.team, registry_id: id, created, expires }
      tx.defer(tx.insertInto('participant_invitations').values(row))
      await tx.audit({
        action: 'inviteParticipant',
        subject: id,
        after: { nonce: invitation.nonce, issuerSchemas, verifierSchemas },
      })
    })
    return { link: invitationLink(ctx.config.webUrl, token) }
  },
})
