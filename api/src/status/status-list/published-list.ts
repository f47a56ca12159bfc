import { didKeyOf, parseDid } from '@accredit/chain'
import type { At } from '../../ledger/read/at.js'
import { blockTime } from '../../ledger/read/blocks.js'
import { keyHistory } from '../../ledger/read/did-state.js'
import { type StatusListRegistry, statusBitsAt } from '../../ledger/read/status-list.js'
import { ApiError, notFound } from '../../platform/errors.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { networkOf } from '../../platform/security/client-address.js'
import { termsOf } from '../list-terms.js'
import type { Publisher, PublishingDoor } from '../status-method.js'
import type { ListForm } from './list-form.js'
import { statusListUrl } from './status-entry.js'
import { findSignedList, keepSignedList, type SignedList } from './status-list.store.js'

/** Anyone may ask for any point of the past, and each such list is packed and signed anew. */
const pastLists = new FairQueue({ running: 2, waiting: 32, waitingPerCaller: 8 })

/**
 * Returns the list of a registry in a form, as of a point. The present one is signed on a request after the
 * bits or the key have changed; it is kept until then, and stays if nobody is left to sign, unless its key was revoked.
 * One of the past is signed for each request: keeping it would let strangers fill the disk.
 * @returns the list, of `registry.changedBlock` or, when nobody can sign that, an earlier one; undefined when there is
 *   none that is good
 * @throws 404 when the form has no place for the purpose of the registry, 429 when the caller asks for too many lists of the past at once, 503 when too many others do
 */
export async function publishedList(
  form: ListForm,
  door: PublishingDoor,
  registry: StatusListRegistry,
  at: At,
): Promise<SignedList | undefined> {
  if (!form.purposes.includes((await termsOf(door.db, registry.registryId)).purpose)) throw notFound('Status list')
  // The signer may be deleted while it signs: the next round finds another one, or the kept list.
  for (let round = 0; round < 3; round++) {
    const { signer, kept } = await door.db.read('system', async (reader) => ({
      signer: await door.publisherOf(reader, registry),
      kept: await findSignedList(reader, { registryId: registry.registryId, form: form.type }, registry.changedBlock),
    }))
    if (!signer) return kept && (await isTrusted(door, kept.signedBy)) ? kept : undefined
    if (kept && kept.changedAt === registry.changedBlock && (await isGood(door, kept, signer))) return kept
    if (!at.isHead) return pastLists.run(networkOf(door), () => signedList(form, door, { registry, signer, at }))
    const made = await signedList(form, door, { registry, signer, at })
    // No verifier trusts a list that was signed after its signer was deleted.
    const isKept = await door.db.transaction('system', async (tx) => {
      if (!(await door.isUsable(tx, signer.did))) return false
      await keepSignedList(tx, made, door.clock.now())
      return true
    })
    if (isKept) return made
  }
  throw new ApiError('unavailable', 'Who signs this list changes right now; try again')
}

/**
 * Tells whether a kept list can be served. After a rotation the new key has to sign; after the end of its DID the list
 * stays good, unless the key was revoked.
 */
async function isGood(door: PublishingDoor, { signedBy }: SignedList, signer: Publisher): Promise<boolean> {
  if (signedBy === signer.verificationMethod) return true
  return !signedBy.startsWith(`${signer.did}#`) && isTrusted(door, signedBy)
}

type Index = Pick<PublishingDoor, 'index'>

/** Tells whether a key is trusted: signatures of a revoked one count at no point of time. */
async function isTrusted(door: Index, verificationMethod: string): Promise<boolean> {
  const did = parseDid(verificationMethod.split('#')[0] ?? '')
  if (did && didKeyOf(did)) return true
  const key = await keyOf(door, verificationMethod)
  return key !== undefined && key.endReason !== 'revoked'
}

/** Returns the life of a key of this ledger. */
async function keyOf({ index }: Index, verificationMethod: string) {
  const [text = '', fragment = ''] = verificationMethod.split('#')
  const did = parseDid(text)
  return did && keyHistory(index, did, Number(fragment.replace('keys-', '')))
}

/**
 * Returns the time that the signature of a list claims. A list of the past has the same bytes whenever it is asked for: it
 * claims the first second at which its key could have signed it.
 */
async function signingTime(door: PublishingDoor, { signer }: Signing, since: Date, until: Date | undefined) {
  if (until === undefined) return door.clock.now()
  const { from = since } = (await keyOf(door, signer.verificationMethod)) ?? {}
  return new Date(Math.ceil(Math.max(since.getTime(), from.getTime()) / 1000) * 1000)
}

interface Signing {
  registry: StatusListRegistry
  signer: Publisher
  at: At
}

async function signedList(form: ListForm, door: PublishingDoor, signing: Signing): Promise<SignedList> {
  const { registry, signer, at } = signing
  const { registryId, changedBlock: changedAt, endedBlock } = registry
  const since = await blockTime(door.index, changedAt)
  const until = endedBlock === null ? undefined : await blockTime(door.index, endedBlock)
  const list = {
    since,
    until,
    signedAt: await signingTime(door, signing, since, until),
    url: statusListUrl(door.config.apiUrl, registryId, form.path),
    bits: await statusBitsAt(door.index, registry, at),
    terms: await termsOf(door.db, registryId),
  }
  const document = await form.sign(door, list, signer)
  return { registryId, form: form.type, changedAt, signedBy: signer.verificationMethod, document }
}
