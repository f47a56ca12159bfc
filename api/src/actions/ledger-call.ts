import { callHash, type DidCall, didCallNamed, didCalls, ParamError, type ReadCall } from '@accredit/chain'
import { Type } from 'typebox'
import type { Context } from '../platform/context.js'
import { ApiError, invalid } from '../platform/errors.js'
import { refuseBehindOurBack } from './own-did-guard.js'

const paramsByAction = Object.fromEntries(didCalls().map(({ name, paramsSchema }) => [name, paramsSchema]))

export const ACTIONS = Object.keys(paramsByAction).join(', ')

export const ActionName = Type.String({ minLength: 1, maxLength: 100, examples: ['TrustRegistry.suspend_issuers'] })

export const ActionParams = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'By the names of the ledger’s metadata; `x-params-by-action` holds the JSON Schema for each action',
    'x-params-by-action': paramsByAction,
  },
)

export const KeyId = Type.Integer({
  minimum: 0,
  maximum: 4_294_967_295,
  description: 'The number of the Ed25519 key that signs: n of `#keys-n`; 0 for a did:key',
})

/** One action travels with others in an extrinsic, and has to leave room for them. */
const MOST_BYTES = 256 * 1024

export interface LedgerCall {
  /** As the metadata name it. */
  name: string
  fields: ReadCall['fields']
  encoded: Uint8Array
  callHash: string
}

/** What a DID is to do, checked by the ledger's metadata. */
export async function readLedgerCall(ctx: Context, body: { action: string; params: object }): Promise<LedgerCall> {
  const call = didCallNamed(body.action)
  if (call === undefined) throw invalid(`action is not one of ${ACTIONS}`)
  const { encoded, fields } = read(call, body.params)
  if (encoded.length > MOST_BYTES)
    throw new ApiError('payload_too_large', `params make a call of more than ${MOST_BYTES} bytes`)
  await refuseBehindOurBack(ctx, { name: call.name, fields })
  return { name: call.name, fields, encoded, callHash: callHash([encoded]) }
}

function read(call: DidCall, params: object): ReadCall {
  try {
    return call.read(params)
  } catch (error) {
    if (error instanceof ParamError) throw invalid(error.message)
    throw error
  }
}
