import { notYours } from '../dids/wallet/did-proof.store.js'
import { ApiError } from '../platform/errors.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'
import { acceptLogo, profileRules, storeLogo } from './logo.store.js'
import { bodyBytes, Profile, ProfileRequest } from './profile.shape.js'
import { endOtherProfiles, lockNamed, ownProfile, putProfile } from './profile.store.js'

export const createProfile = operation({
  method: 'POST',
  url: '/profiles',
  operationId: 'createProfile',
  tags: ['profiles'],
  summary: 'Give one of your DIDs a name and a logo',
  description:
    'They are copied into the credentials that the DID issues, and shown in the ecosystems that it takes part in, where they are public. A DID that keeps its own key is yours once you brought what it signed (POST /ledger/actions), until another team does: then that team gives it its name.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  body: ProfileRequest,
  examples: {
    'A university': { did: EXAMPLE.newcomer, name: 'Bilkent Üniversitesi', description: 'A university in Ankara' },
  },
  rules: profileRules,
  response: { 200: Profile },
  errors: ['not_found'],
  limits: { bodyBytes },
  handler: async (ctx, { body }) => {
    const logo = acceptLogo(body.logo ?? '')
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const { did, name } = body
      if (!(await lockNamed(tx, ctx.team, did))) throw notYours()
      if (await ownProfile(tx, ctx.team, did)) throw new ApiError('conflict', 'The DID has a profile: update that one')
      const now = ctx.clock.now()
      await endOtherProfiles(tx, did, now)
      const logoUrl = await storeLogo(tx, logo, { base: ctx.config.apiUrl, now })
      const version = { did, name: name.trim(), description: body.description ?? '', logo: logoUrl }
      const profile = await putProfile(tx, { ...version, team: ctx.team, now })
      await tx.audit({ action: 'createProfile', subject: did, after: { ...profile } })
      return tx.answer(profile)
    })
  },
})
