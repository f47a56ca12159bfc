import { hexOf } from '@accredit/chain'
import { Type } from 'typebox'
import { didParam } from '../dids/did-param.js'
import { pendingActions } from '../ledger/write/dry-run.js'
import { operation } from '../platform/http/operation.js'
import { EXAMPLE, EXAMPLE_ACTION } from '../platform/http/reference/examples.js'
import { ACTIONS, ActionsBody, KeyId, readDispatch } from './ledger-call.js'
import { ledgerRefusal } from './ledger-refusal.js'
import { keepPrepared, takePlace } from './prepared-action.store.js'
import { refuseOtherNonce } from './refuse-other-nonce.js'
import { ExpectedVersions } from './spec-params.js'

export const prepareLedgerAction = operation({
  method: 'POST',
  url: '/ledger/actions/prepare',
  operationId: 'prepareLedgerAction',
  tags: ['ledger'],
  summary: 'Ask what a DID signs that keeps its own key',
  description: `Self-custody: the caller signs, the service only brings the action to the ledger and pays for it. Any DID of the ledger may act, and any Ed25519 did:key. Sign the bytes of \`payload\` with Ed25519 (RFC 8032), as they are and without a prefix or a hash, and send the same request with \`signature\` to POST /ledger/actions. \`payload\` is SCALE: the tag \`accredit/did/dispatch/v1\`, the hash of block 0, the transaction version, the DID, \`keyId\`, \`nonce\`, \`validUntil\`, the account that pays, and the list of calls, which holds \`calls\` and nothing else; check it with the ledger's metadata (constant \`Did.action_payload\`). It is tried as if it were signed, after what the DID has brought before: what the ledger would refuse (an unknown or deactivated DID, a key that is not there or may not act, a call that the DID may not make or that has nothing to act on) is told now, with \`refusal\` naming the error, and there is nothing to sign; what other DIDs still have to do before is to be on the ledger first. It is tried again when it is brought. Actions of one DID are taken in the order of their nonces: prepare the next one when the one before was brought. A new key proves that whoever brings it has it: \`possession\` in Did.add_keys and Did.rotate_key is its signature over the tag \`accredit/did/possess/v1\`, the hash of block 0, the 32 bytes of the DID and the key (constant \`Did.possession_payload\`). 429: too many in a minute, those that were refused among them; 409: too many wait for their signatures. Actions: ${ACTIONS}.`,
  auth: 'key',
  role: 'member',
  tenancy: 'owned',
  input: 'deciding',
  idempotent: false,
  body: Type.Object({
    ...ActionsBody,
    did: Type.String({ minLength: 1, maxLength: 256, description: 'The DID that acts' }),
    keyId: KeyId,
  }),
  examples: {
    'One thing': { did: EXAMPLE.convener, keyId: 1, ...EXAMPLE_ACTION },
    'Several, of which all happen or none': { did: EXAMPLE.convener, keyId: 1, actions: [EXAMPLE_ACTION] },
  },
  response: {
    200: Type.Object({
      payload: Type.String({ description: 'The bytes to sign, as 0x and hexadecimal' }),
      call: Type.Optional(Type.String({ description: 'The call in them, SCALE-encoded, likewise; where it is one' })),
      calls: Type.Array(Type.String(), { description: 'Each call in them, in their order' }),
      nonce: Type.Integer({ description: 'The last nonce of the DID plus one' }),
      expectedVersions: Type.Optional(ExpectedVersions),
      validUntil: Type.Integer({
        description: 'Milliseconds since 1970 by the ledger’s clock, until when the action has to be on the ledger',
      }),
    }),
  },
  errors: ['did_method_not_supported', 'too_many', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { body }) => {
    const { keyId } = body
    const dispatch = await readDispatch(ctx, body)
    const { encoded, nonce: given, filledIn } = dispatch
    const did = didParam(body.did, 'did')
    const id = await ctx.db.transaction(ctx.scope, (tx) => takePlace(tx, ctx, { did, keyId, dispatch }))
    const calls = encoded.map((call) => hexOf(call))
    const validForMs = ctx.config.preparedActions.validSeconds * 1000
    const before = await ctx.db.read(ctx.scope, (reader) => pendingActions(reader, did))
    const prepared = await ctx.signer.prepare({ did, keyId, calls, validForMs, before })
    // The place stays taken for the minute, since a refused action was tried as well.
    if (prepared.refusal) throw ledgerRefusal(prepared.refusal)
    const { payload, nonce, validUntil } = prepared
    refuseOtherNonce(given, nonce)
    await ctx.db.transaction(ctx.scope, (tx) => keepPrepared(tx, id, nonce, validUntil))
    const [call] = calls
    return { payload, ...(calls.length === 1 && { call }), calls, nonce, validUntil, ...filledIn }
  },
})
