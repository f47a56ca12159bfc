import { didKeyOf, parseDid } from '@accredit/chain'
import { NO_EXTRA_CONTEXTS } from '../../formats/json-ld/contexts/document-loader.js'
import { CREDENTIALS_V1, ED25519_2020, STATUS_LIST_2021 } from '../../formats/json-ld/contexts/known-contexts.js'
import { addProof } from '../../formats/json-ld/linked-data-proof.js'
import { ed25519Of2020 } from '../../formats/json-ld/suites/ed25519-2020.js'
import type { At } from '../../ledger/read/at.js'
import { blockTime } from '../../ledger/read/blocks.js'
import { keyHistory } from '../../ledger/read/did-state.js'
import { type StatusListRegistry, statusBitsAt } from '../../ledger/read/status-list.js'
import { ApiError } from '../../platform/errors.js'
import { toSeconds } from '../../platform/process/clock.js'
import { FairQueue } from '../../platform/process/fair-queue.js'
import { networkOf } from '../../platform/security/client-address.js'
import type { Publisher, PublishingDoor } from '../status-method.js'
import { encodeStatusList } from './encoded-list.js'
import { statusListUrl } from './status-entry.js'
import { findSignedList, keepSignedList, type SignedList } from './status-list.store.js'

/** Anyone may ask for any point of the past, and each such list is packed and signed anew. */
const pastLists = new FairQueue({ running: 2, waiting: 32, waitingPerCaller: 8 })

/**
 * Returns the StatusList2021 credential of a registry as of a point. The present one is signed on a request after the
 * bits or the key have changed; it is kept until then, and stays if nobody is left to sign, unless its key was revoked.
 * One of the past is signed for each request: keeping it would let strangers fill the disk.
 * @returns the list, of `registry.changedBlock` or, when nobody can sign that, an earlier one; undefined when there is
 *   none that is good
 * @throws 429 when the caller asks for too many lists of the past at once, 503 when too many others do
 */
export async function statusListCredential(
  door: PublishingDoor,
  registry: StatusListRegistry,
  at: At,
): Promise<SignedList | undefined> {
  // The signer may be deleted while it signs: the next round finds another one, or the kept list.
  for (let round = 0; round < 3; round++) {
    const { signer, kept } = await door.db.read('system', async (reader) => ({
      signer: await door.publisherOf(reader, registry),
      kept: await findSignedList(reader, registry.registryId, registry.changedBlock),
    }))
    if (!signer) return kept && (await isTrusted(door, kept.signedBy)) ? kept : undefined
    if (kept && kept.changedAt === registry.changedBlock && (await isGood(door, kept, signer))) return kept
    if (!at.isHead) return pastLists.run(networkOf(door), () => signedList(door, registry, signer, at))
    const made = await signedList(door, registry, signer, at)
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

/** Tells whether a key is trusted: signatures of a revoked one count at no point of time. */
async function isTrusted({ index }: Pick<PublishingDoor, 'index'>, verificationMethod: string): Promise<boolean> {
  const [text = '', fragment = ''] = verificationMethod.split('#')
  const did = parseDid(text)
  if (did === undefined) return false
  if (didKeyOf(did)) return true
  const key = await keyHistory(index, did, Number(fragment.replace('keys-', '')))
  return key !== undefined && key.endReason !== 'revoked'
}

async function signedList(
  door: PublishingDoor,
  registry: StatusListRegistry,
  { did, keyRef, verificationMethod }: Publisher,
  at: At,
): Promise<SignedList> {
  const { registryId, changedBlock: changedAt, endedBlock } = registry
  const bits = await statusBitsAt(door.index, registry, at)
  const issuanceDate = await blockTime(door.index, changedAt)
  const expirationDate = endedBlock === null ? undefined : await blockTime(door.index, endedBlock)
  const url = statusListUrl(door.config.apiUrl, registryId)
  const signed = await addProof({
    document: await unsignedList(url, { bits, issuer: did, issuanceDate, expirationDate }),
    suite: ed25519Of2020,
    options: { created: door.clock.now().toISOString(), verificationMethod, proofPurpose: 'assertionMethod' },
    hash: door.canonicalHashes.of(networkOf(door), NO_EXTRA_CONTEXTS),
    sign: async (bytes) => {
      const [signature] = await door.signer.sign([{ keyRef, bytes }])
      if (!signature) throw new Error('the signer answered no signature')
      return signature
    },
  })
  return {
    registryId,
    changedAt,
    signedBy: verificationMethod,
    document: JSON.stringify(signed),
  }
}

interface ListContent {
  bits: Buffer
  issuer: string
  /** The time at which the bits became what they are. */
  issuanceDate: Date
  /** The time at which they became others: a past list must not pass for the present one, whenever it is signed. */
  expirationDate: Date | undefined
}

async function unsignedList(url: string, { bits, issuer, issuanceDate, expirationDate }: ListContent) {
  return {
    '@context': [CREDENTIALS_V1, STATUS_LIST_2021, ED25519_2020],
    id: url,
    type: ['VerifiableCredential', 'StatusList2021Credential'],
    issuer,
    issuanceDate: toSeconds(issuanceDate),
    ...(expirationDate && { expirationDate: expirationDate.toISOString() }),
    credentialSubject: {
      id: `${url}#list`,
      type: 'StatusList2021',
      statusPurpose: 'revocation',
      encodedList: await encodeStatusList(bits),
    },
  }
}
