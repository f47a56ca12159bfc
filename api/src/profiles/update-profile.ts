import { holdsDid } from '../dids/wallet/did-proof.store.js'

import { invalid, notFound } from '../platform/errors.js'

import { operation } from '../platform/http/operation.js'
import { acceptLogo, profileRules, storeLogo } from './logo.store.js'
import { bodyBytes, Profile, ProfileParams, ProfileUpdate } from './profile.shape.js'
import { lockNamed, ownProfile, putProfile } from './profile.store.js'

export const updateProfile = operation({
  method: 'PATCH',
  url: '/profiles/:did',
  operationId: 'updateProfile',
  tags: ['profiles'],
  summary: 'Change the name, description or logo of a profile',
  description:
    'null, or an empty text, takes the description or the logo away; who has no logo is shown by its initials.',
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  params: ProfileParams,
  body: ProfileUpdate,
  examples: { 'Another name': { name: 'Bilkent University' } },
  rules: profileRules,
  response: { 200: Profile },
  errors: ['not_found'],
  limits: { bodyBytes },
  handler: async (ctx, { params: { did }, body }) => {
    const { name, description } = body
    if (body.did !== undefined && body.did !== did)
      throw invalid('did is not the DID in the path: a profile stays with its DID')
    const logo = body.logo === undefined ? undefined : acceptLogo(body.logo ?? '')
    if (name === undefined && description === undefined && logo === undefined) {
      throw invalid('At least one of name, description and logo must be given')
    }
    return ctx.db.transaction(ctx.scope, async (tx) => {
      await lockNamed(tx, ctx.team, did)
      const before = await ownProfile(tx, ctx.team, did)
      if (before === undefined || !(await holdsDid(tx, ctx.team, did))) throw notFound('Profile')
      const now = ctx.clock.now()
      const version = {
        did,
        name: name?.trim() ?? before.name,
        description: description === undefined ? before.description : (description ?? ''),
        logo: logo === undefined ? before.logo : await storeLogo(tx, logo, { base: ctx.config.apiUrl, now }),
      }
      const profile = await putProfile(tx, { ...version, team: ctx.team, now })
      await tx.audit({ action: 'updateProfile', subject: did, before: { ...before }, after: { ...profile } })
      return tx.answer(profile)
    })
  },
})
