import { type Hex32, hexIn, parseHex32, possessionBytes } from '@accredit/chain'
import { shareOf } from '../../ledger/write/share.js'
import type { KeyKind } from '../../ledger/write/signer-door.js'
import { startJob } from '../../ledger/write/start-job.js'
import type { Tx } from '../../platform/database/database.js'
import type { Context } from '../../platform/http/context.js'
import { actingKey, insertKeys, nextKeyId, retireKey } from '../did.store.js'
import { relationshipsOf } from '../did-creation.js'
import { callsFor, type DidChange, type NewKeyOfDid } from './did-change.js'
import { openChange } from './open-jobs.store.js'

/** Returns a key that the DID can take up: an Ed25519 key signs a proof that the caller has it. */
export async function makeKey(ctx: Context, did: Hex32, kind: KeyKind): Promise<NewKeyOfDid & { handle: string }> {
  // The rows of a batch are one request: each of its DIDs gets keys of its own, one of each kind.
  const handle = `rotation/${ctx.requestId}/${did}/${kind}`
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
export async function startChange(tx: Tx, ctx: Context, change: DidChange) {
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
