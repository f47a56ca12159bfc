import { actingKeyHere, insertDid } from '../dids/did.store.js'
import { keyDid } from '../dids/did-creation.js'
import { shareOf } from '../ledger/write/share.js'
import type { Tx } from '../platform/database/database.js'
import type { SponsorContext } from '../platform/http/context.js'
import { keepersOf, lockKeepers } from './delegatable.store.js'

/**
 * Returns the DID with which the service makes and signs the lists of wallets that a team pays for: the one that it has, or
 * a new did:key, which needs nothing on the ledger.
 */
export async function keeperOf(tx: Tx, ctx: SponsorContext): Promise<string> {
  await lockKeepers(tx, ctx.team)
  for (const did of await keepersOf(tx, ctx.team)) if (await actingKeyHere(tx, did)) return did
  const handle = `keeper/${ctx.requestId}`
  const [made] = await ctx.signer.makeKeys(handle, ['Ed25519'], shareOf(ctx, ctx.team))
  const { did, keys } = keyDid(made)
  await insertDid(tx, { did, team: ctx.team, type: 'key', controllers: [], services: [], keys, now: ctx.clock.now() })
  await tx.audit({ action: 'createDid', subject: did, after: { type: 'key', for: 'delegatableRevocation' } })
  await ctx.signer.bindKeys(handle)
  return did
}
