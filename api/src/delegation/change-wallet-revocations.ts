import { parseHex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { waitForJob } from '../ledger/write/wait-for-job.js'
import type { TeamScope, Tx } from '../platform/database/database.js'
import { ApiError, invalid, notFound } from '../platform/errors.js'
import type { SponsorContext } from '../platform/http/context.js'
import { CredentialId, parseCredentialId } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { actorName } from '../platform/security/principal.js'
import { createOnLedger } from '../revocation/registry-actions.js'
import { USUAL_TERMS } from '../status/list-terms.js'
import { bareHex } from '../status/revocation-id.js'
import { changePlace } from './change-place.js'
import { Changed, LENGTH, listAddress, RegistryParams } from './delegatable.shape.js'
import { type Delegatable, findDelegatable, insertDelegatable, useToken } from './delegatable.store.js'
import { keeperOf } from './keeper.js'
import { type WalletToken, walletToken } from './wallet-token.js'

const Body = Type.Object({
  action: Type.Enum(['create', 'revoke', 'unrevoke'], {
    description: 'create makes the list, before anything is issued with a place in it',
  }),
  credentialId: Type.Optional(CredentialId),
  statusListIndex: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: LENGTH - 1 }), Type.String({ pattern: '^(0|[1-9][0-9]{0,5})$' })], {
      description: 'The place of the credential in the list, as the wallet wrote it into the credential',
    }),
  ),
})
type Asked = Static<typeof Body>

export const changeWalletRevocations = operation({
  method: 'POST',
  url: '/delegatable-revocations/:registryId',
  operationId: 'changeWalletRevocations',
  tags: ['delegatableRevocation'],
  summary: "Make a wallet's revocation list, or revoke in it",
  description:
    "For wallets that issue: the key of a sponsor pays (X-MOBILE-SPONSOR-KEY), and a JWT in Authorization, signed with EdDSA by a key of the wallet's DID, says what is asked for. It names the DID (iss) and its key (kid), the base URL of this service (aud), registryId and each member of the body, and is valid for two minutes at most (iat, exp); it is good for one request, so that a jti has to tell equal requests of one second apart. The wallet chooses the id of the list, which belongs to its DID from then on, and the place of each credential in it. Doing anything twice changes nothing. 409 for a place that another credential has, and for an id that is taken.",
  auth: 'sponsor',
  tenancy: 'owned',
  input: 'deciding',
  idempotent: false,
  params: RegistryParams,
  body: Body,
  examples: {
    'Make the list': { action: 'create' },
    'Revoke a credential': {
      action: 'revoke',
      credentialId: 'urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e',
      statusListIndex: 4711,
    },
  },
  response: { 200: Changed },
  errors: ['conflict', 'forbidden', 'not_found', 'ledger_unavailable'],
  handler: async (ctx, { params, body }) => {
    const registryId = parseHex32(params.registryId)
    if (!registryId) throw notFound('Registry')
    const token = await walletToken(ctx, { registryId, body: { ...body } })
    const known = await ctx.db.read('system', (reader) => findDelegatable(reader, registryId))
    const job =
      body.action === 'create'
        ? await create(ctx, { registryId, token, known })
        : await change(ctx, { action: body.action, token, known, place: placeOf(body) })
    if (job !== undefined) await waitForJob(ctx, job)
    return {
      registryId: bareHex(registryId),
      action: body.action,
      ...(body.credentialId !== undefined && { credentialId: body.credentialId }),
      statusListCredential: listAddress(ctx, registryId),
    }
  },
})

interface Creation {
  registryId: string
  token: WalletToken
  known: Delegatable | undefined
}

/** @returns the job that makes the list; undefined: the wallet has it */
async function create(ctx: SponsorContext, { registryId, token, known }: Creation): Promise<string | undefined> {
  if (known !== undefined && known.owner !== token.did) throw taken()
  return ctx.db.transaction(scopeOf(ctx, known), async (tx) => {
    await useOnce(tx, token, ctx)
    if (known !== undefined) return undefined
    const keeper = await keeperOf(tx, ctx)
    const registry = {
      id: registryId,
      creator: keeper,
      policy: [keeper],
      add_only: false,
      type: 'StatusList2021Entry',
      length: LENGTH,
      automatic: false,
      issuing: false,
      ...USUAL_TERMS,
    }
    const job = await createOnLedger(tx, ctx, registry, { StatusList: { length: LENGTH } })
    if (job === undefined) throw taken()
    const row = { registry_id: registryId, team_id: ctx.team, owner: token.did }
    await insertDelegatable(tx, row, ctx.clock.now())
    await tx.audit({ action: 'createDelegatableRegistry', subject: registryId, after: { owner: token.did } })
    return job.id
  })
}

interface Change {
  action: 'revoke' | 'unrevoke'
  token: WalletToken
  known: Delegatable | undefined
  place: { credentialId: string; index: number }
}

async function change(ctx: SponsorContext, { action, token, known, place }: Change): Promise<string> {
  if (known === undefined) throw notFound('Registry')
  if (known.owner !== token.did) throw new ApiError('forbidden', 'The list belongs to another DID')
  return ctx.db.transaction(scopeOf(ctx, known), async (tx) => {
    await useOnce(tx, token, ctx)
    return changePlace(tx, ctx, { action, known, place, by: token.did })
  })
}

/** The list may be paid for by another sponsor. */
const scopeOf = (ctx: SponsorContext, known: Delegatable | undefined): TeamScope => ({
  teams: [known?.team_id ?? ctx.team],
  actor: actorName(ctx.principal),
})

async function useOnce(tx: Tx, { digest, expires }: WalletToken, { clock }: SponsorContext): Promise<void> {
  if (!(await useToken(tx, digest, expires, clock.now())))
    throw new ApiError('unauthorized', 'The JWT of the wallet was used before: sign another one')
}

function placeOf({ credentialId: text, statusListIndex }: Asked): { credentialId: string; index: number } {
  const index = Number(statusListIndex ?? Number.NaN)
  if (text === undefined || Number.isNaN(index))
    throw invalid('To revoke or unrevoke, credentialId and statusListIndex are needed')
  const credentialId = parseCredentialId(text)
  if (credentialId === undefined) throw invalid('credentialId must be a URI or a UUID', { field: 'credentialId' })
  if (index >= LENGTH) throw invalid(`statusListIndex must be below ${LENGTH}`, { field: 'statusListIndex' })
  return { credentialId, index }
}

const taken = (): ApiError => new ApiError('conflict', 'There is another registry with this id: choose another one')
