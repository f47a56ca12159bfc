import { didToHex, type Hex32, hexIn, parseDid, parseHex32, possessionBytes } from '@accredit/chain'
import type { Static } from 'typebox'
import { shareOf } from '../ledger/write/share.js'
import type { KeyKind } from '../ledger/write/signer-door.js'
import { startJob } from '../ledger/write/start-job.js'
import { jobStarted, NO_JOB } from '../ledger/write/wait-for-job.js'
import type { Tx } from '../platform/database/database.js'
import { invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { textRules } from '../platform/http/input/member-rules.js'

import { operation } from '../platform/http/operation.js'
import { DidChanged, DidParams, DidUpdate } from './did.shape.js'
import { actingKey, insertKeys, lockDid, newestOfKind, nextKeyId, openChange, ownDid, retireKey } from './did.store.js'
import { callsFor, type DidChange, type NewKeyOfDid } from './did-change.js'
import { relationshipsOf } from './did-creation.js'
import { didParam } from './did-param.js'
import { isDeprecated, parseKeyType } from './did-type.js'
import { changedServices, didcommServices } from './didcomm-service.js'
import { readController } from './resolution/did-lookup.js'

export const rotateDid = operation({
  method: 'PATCH',
  url: '/dids/:did',
  operationId: 'rotateDid',
  tags: ['dids'],
  summary: 'Rotate a key of a DID, change its controller, or where it receives messages',
  description:
    'With keyType a new key takes the place of the present one of its kind, which is retired: what it signed stays good; the first of another kind is added. The new Ed25519 key signs and acts from now on. With controller that DID controls this one beside itself, instead of those before. didcommServiceUrl and includeDidcommService change the service for messages. All of it is one action: it happens together or not at all.',
  auth: 'key',
  ledgerWrite: true,
  tenancy: 'owned',
  params: DidParams,
  body: DidUpdate,
  examples: { 'A new signing key': { keyType: 'ed25519' } },
  rules: (body, config) =>
    textRules(body, {
      keyType: parseKeyType,
      controller: (text) => didParam(text, 'controller'),
      didcommServiceUrl: (text) => didcommServices({ didcommServiceUrl: text }, config.apiUrl),
    }),
  response: { 200: DidChanged },
  errors: ['did_method_not_supported', 'not_found'],
  handler: async (ctx, { params, body }) => {
    const wish = readWish(body)
    const id = await checkDid(ctx, params.did)
    const newKey = wish.kind === undefined ? undefined : await makeKey(ctx, id, wish.kind)
    if (wish.kind !== undefined && isDeprecated(wish.kind)) ctx.reply.header('Deprecation', 'true')
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const own = await lockDid(tx, params.did)
      if (own === undefined) throw notFound('DID')
      const controller = wish.controller === '' ? undefined : await readController(tx, wish.controller)
      const old = newKey && (await newestOfKind(tx, own.did, newKey.made.kind))
      const services = changedServices(own.services, wish, ctx.config.apiUrl)
      const job = await startChange(tx, ctx, { own, id, newKey, oldKey: old, controller, services })
      if (job !== undefined) await tx.audit({ action: 'rotateDid', subject: own.did })
      if (job !== undefined && newKey !== undefined) await ctx.signer.bindKeys(newKey.handle)
      const data = { did: own.did, controller: controller ?? own.controllers[0] ?? own.did }
      return tx.answer(jobStarted(ctx, job ?? NO_JOB, data))
    })
  },
})

function readWish(body: Static<typeof DidUpdate>) {
  const [keyType = '', controller = '', didcommServiceUrl = ''] = [
    body.keyType,
    body.controller,
    body.didcommServiceUrl,
  ].map((text) => text?.trim())
  const includeDidcommService = body.includeDidcommService ?? undefined
  if (keyType + controller + didcommServiceUrl === '' && includeDidcommService === undefined) {
    throw invalid('Give keyType, controller, didcommServiceUrl or includeDidcommService')
  }
  const kind = keyType === '' ? undefined : parseKeyType(keyType)
  return { kind, controller, didcommServiceUrl, includeDidcommService }
}

async function checkDid(ctx: Context, text: string): Promise<Hex32> {
  const own = await ctx.db.read(ctx.scope, (reader) => ownDid(reader, text))
  if (own === undefined) throw notFound('DID')
  const did = parseDid(text)
  const id = did && didToHex(did)
  if (id === undefined) throw invalid('A did:key is its key: it cannot be rotated, and controls itself')
  return id
}

/** Returns a key that the DID can take up: an Ed25519 key signs a proof that the caller has it. */
async function makeKey(ctx: Context, did: Hex32, kind: KeyKind): Promise<NewKeyOfDid & { handle: string }> {
  const handle = `rotation/${ctx.requestId}`
  const [made] = await ctx.signer.makeKeys(handle, [kind], shareOf(ctx, ctx.team))
  const genesisHash = parseHex32((await ctx.signer.chainStatus()).genesisHash)
  if (made === undefined || genesisHash === undefined) throw new TypeError('the signer gave no key, or no genesis hash')
  if (kind !== 'Ed25519') return { handle, made }
  const bytes = possessionBytes({ genesisHash, did, key: { kind, publicKey: hexIn(made.publicKey) } })
  const [possession] = await ctx.signer.sign([{ keyRef: made.keyRef, bytes }])
  if (possession === undefined) throw new TypeError('the signer gave no signature')
  return { handle, made, possession }
}

/**
 * Stores the changes and the one action that brings them to the ledger; nothing when the DID is already as requested.
 */
async function startChange(tx: Tx, ctx: Context, change: DidChange) {
  const { own, newKey, oldKey, services } = change
  const { calls, added, removed } = callsFor(change)
  if (calls.length === 0) return undefined
  // The key that may be about to be retired signs this action: the ledger does not know the new one before.
  const key = await actingKey(tx, own.did)
  const keys = newKey && { newKey: newKey.made.keyRef, ...(oldKey && { oldKey: oldKey.keyRef }) }
  const job = await startJob(tx, ctx, {
    kind: 'did.change',
    subject: own.did,
    data: { added, removed, services: services !== own.services, ...keys },
    parts: [{ did: own.did, action: { kind: 'dispatch', ...key, calls } }],
  })
  if (newKey) {
    const keyId = await nextKeyId(tx, own.did)
    if (oldKey) await retireKey(tx, own.did, oldKey.keyRef)
    const stored = { ...newKey.made, relationships: relationshipsOf[newKey.made.kind], keyId }
    insertKeys(tx, { did: own.did, team: ctx.team, keys: [stored], state: 'pending' })
  }
  const controllers = [...own.controllers.filter((did) => !removed.includes(did)), ...added]
  await openChange(tx, own.did, { jobId: job.id, controllers, services, now: ctx.clock.now() })
  return job
}
