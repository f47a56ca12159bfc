import { parseHex32 } from '@accredit/chain'
import { Type } from 'typebox'
import { waitForJob } from '../ledger/write/wait-for-job.js'
import { ApiError, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { CredentialId, hexId, parseCredentialId } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { findEntries } from '../status/entries.store.js'
import { bareHex, revocationIdOf } from '../status/revocation-id.js'
import { changePlace } from './change-place.js'
import { Changed, listAddress } from './delegatable.shape.js'
import { type Delegatable, delegatableOf, issuedPlaces } from './delegatable.store.js'

const Body = Type.Object({
  action: Type.Enum(['revoke', 'unrevoke'], { description: 'The change to make' }),
  credentialId: CredentialId,
  registryId: Type.Optional(hexId('revocationRegistry')),
})

export const changeDelegatableStatus = operation({
  method: 'POST',
  url: '/delegatableRevocation',
  operationId: 'changeDelegatableStatus',
  tags: ['delegatableRevocation'],
  summary: 'Revoke or unrevoke a delegated credential',
  description:
    'For a team that holds the DID to which a delegatable list belongs (POST /delegatable-revocations/{registryId}): it revokes by the id of a credential that has its place there. Without registryId the place is looked for in all lists of the DIDs of the team; 409 where several have one. Doing either twice changes nothing.',
  auth: 'key',
  role: 'member',
  tenancy: 'shared',
  input: 'deciding',
  ledgerWrite: true,
  body: Body,
  examples: {
    'Revoke one': { action: 'revoke', credentialId: 'urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e' },
  },
  response: { 200: Changed },
  errors: ['conflict', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { body }) => {
    const { action } = body
    const credentialId = parseCredentialId(body.credentialId)
    if (credentialId === undefined) throw notFound('Credential')
    const { known, index } = await placeOf(ctx, credentialId, body.registryId)
    const scope = { ...ctx.scope, teams: [ctx.team, known.team_id] } as const
    const answer = {
      registryId: bareHex(known.registry_id),
      action,
      credentialId,
      statusListCredential: listAddress(ctx, known.registry_id),
    }
    const place = { credentialId, index }
    const job = await ctx.db.transaction(scope, async (tx) => {
      const started = await changePlace(tx, ctx, { action, known, place, by: known.owner })
      await tx.answer(answer)
      return started
    })
    await waitForJob(ctx, job)
    return answer
  },
})

interface Place {
  known: Delegatable
  index: number
}

/** The place of a credential in the lists of the team's DIDs: as it was used before, or as the team issued it. */
async function placeOf(ctx: Context, credentialId: string, named: string | undefined): Promise<Place> {
  const id = named === undefined ? undefined : parseHex32(named)
  const own = await ctx.db.read('system', (reader) => delegatableOf(reader, ctx.team))
  const lists = named === undefined ? own : own.filter(({ registry_id }) => registry_id === id)
  if (lists.length === 0) throw notFound('Registry')
  const places = await placesIn(ctx, credentialId, lists)
  const [first, ...others] = places
  if (first === undefined) throw notFound('Credential')
  if (others.length > 0)
    throw new ApiError('conflict', 'Several lists have a place of this credential: name one as registryId')
  return first
}

async function placesIn(ctx: Context, credentialId: string, lists: readonly Delegatable[]): Promise<Place[]> {
  const ids = lists.map(({ registry_id }) => registry_id)
  const [bound, issued] = await Promise.all([
    ctx.db.read('system', async (reader) => {
      const found = await Promise.all(ids.map((id) => findEntries(reader, id, [revocationIdOf(credentialId)])))
      return found.flat()
    }),
    ctx.db.read(ctx.scope, (reader) => issuedPlaces(reader, ctx.team, credentialId, ids)),
  ])
  const indexes = new Map([
    ...issued.map(({ registry_id, status_index }) => [registry_id ?? '', status_index] as const),
    ...bound.map(({ registry_id, index }) => [registry_id, index] as const),
  ])
  return lists.flatMap((known) => {
    const index = indexes.get(known.registry_id)
    return index === undefined || index === null ? [] : [{ known, index }]
  })
}
