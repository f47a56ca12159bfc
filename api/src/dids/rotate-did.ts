import { calls, didToHex, type Hex32, hexOf, isHex, parseDid, parseHex32, possessionBytes } from '@accredit/chain'
import type { MadeKey } from '../ledger/signer-door.js'
import { startJob } from '../ledger/start-job.js'
import { jobStarted, NO_JOB } from '../ledger/wait-for-job.js'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import { invalid, notFound } from '../platform/errors.js'
import { operation } from '../platform/operation.js'
import { DidChanged, DidParams, DidUpdate } from './did.shape.js'
import { actingKey, insertKeys, lockDid, nextKeyId, type OwnDid, openChange, ownDid, retireKey } from './did.store.js'
import { relationshipsOf } from './did-creation.js'
import { readController } from './did-lookup.js'
import { checkKeyType } from './did-type.js'

export const rotateDid = operation({
  method: 'PATCH',
  url: '/dids/:did',
  operationId: 'rotateDid',
  tags: ['dids'],
  summary: 'Rotate the signing key of a DID, change its controller, or both',
  description:
    'With keyType a new Ed25519 key signs and acts from now on, and the one before is retired: what it signed stays good. With controller that DID controls this one beside itself, instead of those before.',
  auth: 'key',
  tenancy: 'owned',
  params: DidParams,
  body: DidUpdate,
  response: { 200: DidChanged },
  codes: [400, 401, 404],
  handler: async (ctx, { params, body }) => {
    const [keyType, controller] = [body.keyType?.trim() ?? '', body.controller?.trim() ?? '']
    if (keyType === '' && controller === '') throw invalid('Give keyType, controller, or both')
    checkKeyType(keyType)
    const id = await checkDid(ctx, params.did)
    const rotation = keyType === '' ? undefined : await prepareRotation(ctx, id)
    return ctx.db.transaction(ctx.scope, async (tx) => {
      const own = await lockDid(tx, params.did)
      if (own === undefined) throw notFound('DID')
      const change = {
        own,
        id,
        rotation,
        controller: controller === '' ? undefined : await readController(tx, controller),
      }
      const job = await startChange(tx, ctx, change)
      if (job !== undefined) await tx.audit({ action: 'rotateDid', subject: own.did })
      if (job !== undefined && rotation !== undefined) await ctx.signer.bindKeys(rotation.handle)
      const data = { did: own.did, controller: change.controller ?? own.controllers[0] ?? own.did }
      return tx.answer(jobStarted(ctx, job ?? NO_JOB, data))
    })
  },
})

async function checkDid(ctx: Context, text: string): Promise<Hex32> {
  const own = await ctx.db.read(ctx.scope, (reader) => ownDid(reader, text))
  if (own === undefined) throw notFound('DID')
  const did = parseDid(text)
  const id = did && didToHex(did)
  if (id === undefined) throw invalid('A did:key is its key: it cannot be rotated, and controls itself')
  return id
}

interface Rotation {
  handle: string
  made: MadeKey
  /** The new key's own signature: that whoever brings it has it. */
  possession: Uint8Array
}

async function prepareRotation(ctx: Context, did: Hex32): Promise<Rotation> {
  const handle = `rotation/${ctx.requestId}`
  const [made] = await ctx.signer.makeKeys(handle, ['Ed25519'])
  const genesisHash = parseHex32((await ctx.signer.chainStatus()).genesisHash)
  if (made === undefined || genesisHash === undefined) throw new TypeError('the signer gave no key, or no genesis hash')
  const bytes = possessionBytes({ genesisHash, did, key: { kind: made.kind, publicKey: publicKeyOf(made) } })
  const [possession] = await ctx.signer.sign([{ keyRef: made.keyRef, bytes }])
  if (possession === undefined) throw new TypeError('the signer gave no signature')
  return { handle, made, possession }
}

function publicKeyOf({ publicKey }: MadeKey) {
  if (!isHex(publicKey)) throw new TypeError('the signer gave a key that is not hexadecimal')
  return publicKey
}

interface Change {
  own: OwnDid
  id: Hex32
  rotation: Rotation | undefined
  controller: string | undefined
}

/** Stores what changes and the one action that brings it to the ledger; nothing when all is as it was asked for. */
async function startChange(tx: Tx, ctx: Context, { own, id, rotation, controller }: Change) {
  const { added, removed } = controllerChange(own, controller)
  // Signed with the key that is to be retired: the new one is nothing to the ledger before this action.
  const key = await actingKey(tx, own.did)
  const newKey = rotation && {
    ...{ ...rotation.made, relationships: relationshipsOf.Ed25519 },
    keyId: await nextKeyId(tx, own.did),
  }
  const encoded = [
    ...(rotation ? [calls.did.rotateKey({ did: id, old: key.keyId, new: keyInput(rotation) })] : []),
    ...(added.length > 0 ? [calls.did.addControllers({ did: id, controllers: added.map(parsed) })] : []),
    ...(removed.length > 0 ? [calls.did.removeControllers({ did: id, controllers: removed.map(parsed) })] : []),
  ]
  if (encoded.length === 0) return undefined
  const job = await startJob(tx, ctx, {
    kind: 'did.change',
    subject: own.did,
    data: { added, removed, ...(newKey ? { newKey: newKey.keyRef, oldKey: key.keyRef } : {}) },
    parts: [{ did: own.did, action: { kind: 'dispatch', ...key, calls: encoded } }],
  })
  if (newKey) {
    await retireKey(tx, own.did, key.keyRef)
    await insertKeys(tx, { did: own.did, team: ctx.team, keys: [newKey], state: 'pending' })
  }
  const controllers = [...own.controllers.filter((did) => !removed.includes(did)), ...added]
  await openChange(tx, own.did, { jobId: job.id, controllers, now: ctx.clock.now() })
  return job
}

function controllerChange({ did, controllers }: OwnDid, wanted: string | undefined) {
  if (wanted === undefined) return { added: [], removed: [] }
  const added = wanted === did || controllers.includes(wanted) ? [] : [wanted]
  return { added, removed: controllers.filter((controller) => controller !== wanted) }
}

function keyInput({ made, possession }: Rotation) {
  const key = { kind: made.kind, publicKey: publicKeyOf(made) }
  return { key, relationships: relationshipsOf[made.kind], possession: hexOf(possession) }
}

function parsed(text: string) {
  const did = parseDid(text)
  if (did === undefined) throw new TypeError(`not a DID: ${text}`)
  return did
}
