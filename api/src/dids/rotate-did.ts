import { didToHex, type Hex32, parseDid } from '@accredit/chain'
import type { Static } from 'typebox'
import { jobStarted, NO_JOB } from '../ledger/write/wait-for-job.js'
import { invalid, notFound } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { textRules } from '../platform/http/input/member-rules.js'

import { operation } from '../platform/http/operation.js'
import { makeKey, startChange } from './changes/start-did-change.js'
import { DidChanged, DidParams, DidUpdate } from './did.shape.js'
import { lockDid, newestOfKind, ownDid } from './did.store.js'
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
  role: 'member',
  ledgerWrite: true,
  tenancy: 'owned',
  params: DidParams,
  body: DidUpdate,
  examples: { 'A new signing key': { keyType: 'ed25519' } },
  rules: (body, { config }) =>
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
      if (job !== undefined)
        await tx.audit({
          action: 'rotateDid',
          subject: own.did,
          before: { controllers: own.controllers, services: own.services.map(({ id: one }) => one) },
          after: {
            ...(controller !== undefined && { controller }),
            ...(newKey !== undefined && { key: newKey.made.publicKey }),
            ...(services && { services: services.map(({ id: one }) => one) }),
          },
        })
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
