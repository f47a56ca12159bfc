import { hexPattern, parseHex } from '@accredit/chain'
import { Type } from 'typebox'
import { actingKey, lockDid } from '../dids/did.store.js'
import { didParam } from '../dids/did-param.js'
import { JobStarted } from '../jobs/job.shape.js'
import { nextNonce } from '../ledger/write/next-nonce.js'
import { startJob } from '../ledger/write/start-job.js'
import { jobStarted } from '../ledger/write/wait-for-job.js'
import { invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE, EXAMPLE_ACTION } from '../platform/http/reference/examples.js'
import { ACTION_JOB } from './action-job.js'
import { ACTIONS, ActionsBody, KeyId, readDispatch } from './ledger-call.js'
import { acceptGuarded } from './own-did-guard.js'
import { refuseOtherNonce } from './refuse-other-nonce.js'
import { bringSigned } from './signed-action.js'
import { ExpectedVersions } from './spec-params.js'

export const actOnLedger = operation({
  method: 'POST',
  url: '/ledger/actions',
  operationId: 'actOnLedger',
  tags: ['ledger'],
  summary: 'Let a DID act on the ledger',
  description: `Any call that a DID may make, by its name in the ledger's metadata: ${ACTIONS}. The name may stand without its pallet. Several \`actions\` are one: all of them happen, in their order, or none. A DID whose keys this service keeps for you acts with its newest key; the ledger alone decides whether it may, and a refusal is the end of the job, with the ledger's error and its documentation. A DID that keeps its own key (self-custody) acts with \`keyId\` and \`signature\`: the same request as to POST /ledger/actions/prepare before, with the Ed25519 signature (RFC 8032) over its \`payload\`. It is tried before it is accepted: 409 when another action of the DID was faster (prepare again), 400 when it is no good signature, too late, or when the ledger refuses what it is for; \`refusal\` names the ledger's error. The same signature again is the same job. 429: too many refused ones in a minute. It proves control of the DID: while no team has its keys here, registries that it convenes are those of the team that brought its last action. The signing keys of a DID that this service keeps for you are added and rotated with PATCH /dids/{did}, its last one is not revoked, and it ends with DELETE /dids/{did}.`,
  auth: 'key',
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  input: 'deciding',
  body: Type.Object({
    ...ActionsBody,
    did: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The DID that acts; without a signature one of yours',
    }),
    keyId: Type.Optional(KeyId),
    signature: Type.Optional(
      Type.String({
        pattern: hexPattern(64),
        description:
          '64 bytes as hexadecimal: over the payload that POST /ledger/actions/prepare gave for this request',
      }),
    ),
  }),
  examples: {
    'One thing': { did: EXAMPLE.convener, ...EXAMPLE_ACTION },
    'Several, of which all happen or none': { did: EXAMPLE.convener, actions: [EXAMPLE_ACTION] },
  },
  response: {
    200: Type.Object({
      id: JobStarted.properties.id,
      data: Type.Object(
        {
          did: Type.String({ description: 'The DID that acts' }),
          action: Type.String({ description: 'The action; several are separated by commas' }),
          expectedVersions: Type.Optional(ExpectedVersions),
        },
        { description: 'The action that was accepted' },
      ),
    }),
  },
  errors: ['did_method_not_supported', 'not_found'],
  handler: async (ctx, { body: { keyId, signature, ...body } }) => {
    if (signature === undefined && keyId === undefined) return actWithOurKey(ctx, body.did.trim(), body)
    if (signature === undefined) throw invalid('signature is missing: a keyId is for those who sign themselves')
    if (keyId === undefined) throw invalid('keyId is missing: name the key that signed')
    const hex = parseHex(signature, 64)
    if (hex === undefined) throw invalid('signature must be 64 bytes as hexadecimal')
    return bringSigned(ctx, body, { did: didParam(body.did, 'did'), keyId, signature: hex })
  },
})

async function actWithOurKey(ctx: Context, did: string, body: Parameters<typeof readDispatch>[1]) {
  const dispatch = await readDispatch(ctx, body)
  return ctx.db.transaction(ctx.scope, async (tx) => {
    const data = await acceptGuarded(tx, did, dispatch.calls)
    const own = await lockDid(tx, did)
    if (own === undefined) throw notFound('DID')
    if (dispatch.nonce !== undefined) refuseOtherNonce(dispatch.nonce, await nextNonce(tx, own.did))
    const key = await actingKey(tx, own.did)
    const action = { kind: 'dispatch' as const, ...key, calls: dispatch.encoded }
    const job = await startJob(tx, ctx, {
      kind: ACTION_JOB,
      subject: own.did,
      data,
      parts: [{ did: own.did, action }],
    })
    await tx.audit({ action: 'actOnLedger', subject: own.did, after: { call: dispatch.name } })
    return tx.answer(jobStarted(ctx, job, { did: own.did, action: dispatch.name, ...dispatch.filledIn }))
  })
}
