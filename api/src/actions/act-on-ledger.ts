import { type DidCall, didCallNamed, didCalls, didToHex, ParamError, parseDid } from '@accredit/chain'
import { Type } from 'typebox'
import { actingKey, lockDid, ownDid } from '../dids/did.store.js'
import { JobStarted } from '../jobs/job.shape.js'
import { startJob } from '../ledger/start-job.js'
import { jobStarted } from '../ledger/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import { ApiError, invalid, notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'

const paramsByAction = Object.fromEntries(didCalls().map(({ name, paramsSchema }) => [name, paramsSchema]))

const Params = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'By the names of the ledger’s metadata; `x-params-by-action` holds the JSON Schema for each action',
    'x-params-by-action': paramsByAction,
  },
)

export const actOnLedger = operation({
  method: 'POST',
  url: '/ledger/actions',
  operationId: 'actOnLedger',
  tags: ['ledger'],
  summary: 'Let a DID of yours act on the ledger',
  description: `Any call that a DID may make, by its name in the ledger's metadata: ${Object.keys(paramsByAction).join(', ')}. The name may stand without its pallet. The ledger alone decides whether it is allowed: a refusal is the end of the job, with the ledger's error and its documentation. The signing keys of a DID that this service keeps are added and rotated with PATCH /dids/{did}.`,
  auth: 'key',
  ledgerWrite: true,
  tenancy: 'owned',
  body: Type.Object({
    action: Type.String({ minLength: 1, maxLength: 100, examples: ['TrustRegistry.suspend_issuers'] }),
    params: Params,
    did: Type.String({ minLength: 1, maxLength: 256, description: 'The DID that acts; one of yours' }),
  }),
  response: {
    200: Type.Object({
      id: JobStarted.properties.id,
      data: Type.Object({ did: Type.String(), action: Type.String() }),
    }),
  },
  codes: [400, 404],
  handler: (ctx, { body }) => {
    const call = didCallNamed(body.action)
    if (call === undefined) throw invalid(`action is not one of ${Object.keys(paramsByAction).join(', ')}`)
    const encoded = encode(call, body.params)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const own = await lockDid(tx, body.did.trim())
      if (own === undefined) throw notFound('DID')
      await refuseNewKeys(tx, call, body.params)
      const key = await actingKey(tx, own.did)
      const action = { kind: 'dispatch' as const, ...key, calls: [encoded] }
      const job = await startJob(tx, ctx, {
        kind: 'ledger.action',
        subject: own.did,
        parts: [{ did: own.did, action }],
      })
      await tx.audit({ action: 'actOnLedger', subject: own.did, detail: { call: call.name } })
      return tx.answer(jobStarted(ctx, job, { did: own.did, action: call.name }))
    })
  },
})

/** One action travels with others in an extrinsic, and has to leave room for them. */
const MOST_BYTES = 256 * 1024

function encode(call: DidCall, params: object): Uint8Array {
  const encoded = encodeOrSay(call, params)
  if (encoded.length > MOST_BYTES)
    throw new ApiError('payload_too_large', `params make a call of more than ${MOST_BYTES} bytes`)
  return encoded
}

function encodeOrSay(call: DidCall, params: object): Uint8Array {
  try {
    return call.encode(params)
  } catch (error) {
    if (error instanceof ParamError) throw invalid(error.message)
    throw error
  }
}

const ADD_KEYS = ['Did.add_keys', 'Did.rotate_key']

/** The service numbers the keys of the DIDs that it keeps, and must not be overtaken. */
async function refuseNewKeys(tx: Tx, { name }: DidCall, params: object): Promise<void> {
  const target: unknown = Reflect.get(params, 'did')
  const did = ADD_KEYS.includes(name) && typeof target === 'string' ? parseDid(target) : undefined
  if (did !== undefined && didToHex(did) !== undefined && (await ownDid(tx, did)) !== undefined)
    throw invalid('params.did is a DID whose keys this service keeps: rotate them with PATCH /dids/{did}')
}
