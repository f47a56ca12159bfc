import { callHash, type DidCall, didCallNamed, didCalls, didToHex, ParamError, parseDid } from '@accredit/chain'
import { Type } from 'typebox'
import { ownDid } from '../dids/did.store.js'
import type { Context } from '../platform/context.js'
import { ApiError, invalid } from '../platform/errors.js'

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
  encoded: Uint8Array
  callHash: string
}

/** What a DID is to do, checked by the ledger's metadata. */
export async function readLedgerCall(ctx: Context, body: { action: string; params: object }): Promise<LedgerCall> {
  const call = didCallNamed(body.action)
  if (call === undefined) throw invalid(`action is not one of ${ACTIONS}`)
  const encoded = encode(call, body.params)
  if (encoded.length > MOST_BYTES)
    throw new ApiError('payload_too_large', `params make a call of more than ${MOST_BYTES} bytes`)
  await refuseNewKeys(ctx, call, body.params)
  await refuseOwnEnd(ctx, call, body.params)
  return { name: call.name, encoded, callHash: callHash([encoded]) }
}

function encode(call: DidCall, params: object): Uint8Array {
  try {
    return call.encode(params)
  } catch (error) {
    if (error instanceof ParamError) throw invalid(error.message)
    throw error
  }
}

/** Before a DID of the caller ends, its last status lists are signed, which only the operation for that does. */
async function refuseOwnEnd({ db, scope }: Context, { name }: DidCall, params: object): Promise<void> {
  const target: unknown = Reflect.get(params, 'did')
  const did = name === 'Did.deactivate' && typeof target === 'string' ? parseDid(target) : undefined
  if (did !== undefined && (await db.read(scope, (reader) => ownDid(reader, did))) !== undefined)
    throw invalid('params.did is a DID whose keys this service keeps: end it with DELETE /dids/{did}')
}

const ADD_KEYS = ['Did.add_keys', 'Did.rotate_key']

/** The service numbers the keys of the DIDs that it keeps, whoever controls them beside it, and must not be overtaken. */
async function refuseNewKeys({ db }: Context, { name }: DidCall, params: object): Promise<void> {
  const target: unknown = Reflect.get(params, 'did')
  const did = ADD_KEYS.includes(name) && typeof target === 'string' ? parseDid(target) : undefined
  if (did === undefined || didToHex(did) === undefined) return
  if ((await db.read('system', (reader) => ownDid(reader, did))) !== undefined)
    throw invalid('params.did is a DID whose keys this service keeps: add and rotate them with PATCH /dids/{did}')
}
