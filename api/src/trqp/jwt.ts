import type { Hex32 } from '@accredit/chain'
import { signingKey } from '../dids/did.store.js'
import { presentConvener } from '../ledger/read/registries/registry-ids.js'
import { networkOf } from '../platform/http/admission/client-address.js'
import { FairQueue } from '../platform/http/admission/fair-queue.js'
import type { PublicContext } from '../platform/http/context.js'

const JWT = 'application/jwt'

/** The number of signatures at once is small: strangers ask, and the signer has other work. */
const signatures = new FairQueue({ running: 4, waiting: 64, waitingPerCaller: 16 })

/**
 * Returns the answer as a compact JWS of the registry's present convener: its statement about the past is one of today.
 *
 * @returns undefined when the registry has no convener now, or one whose key for assertions is not held here
 */
export async function signedAnswer(
  ctx: PublicContext,
  registryId: Hex32,
  answer: { entity_id: string; time_evaluated: string } & ({ authorized: boolean } | { recognized: boolean }),
): Promise<string | undefined> {
  const signer = await conveningKey(ctx, registryId)
  if (signer === undefined) return undefined
  // The type names the answer, so that no other thing that the convener signs can be taken for it, or it for that (RFC
  // 8725, 3.11).
  const typ = 'authorized' in answer ? 'trqp-authorization+jwt' : 'trqp-recognition+jwt'
  const header = { alg: 'EdDSA', typ, kid: signer.verificationMethod }
  const iat = Math.floor(new Date(answer.time_evaluated).getTime() / 1000)
  const claims = { iss: signer.did, sub: answer.entity_id, iat, ...answer }
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  const [signature] = await signatures.run(networkOf(ctx), () =>
    ctx.signer.sign([{ keyRef: signer.keyRef, bytes: Buffer.from(signed) }]),
  )
  if (!signature) throw new Error('the signer answered no signature')
  ctx.reply.type(JWT)
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

async function conveningKey({ db, index }: PublicContext, registryId: Hex32) {
  const did = await presentConvener(index, registryId)
  if (did === undefined) return undefined
  const key = await db.read('system', (reader) => signingKey(reader, did))
  return key && { ...key, did }
}
