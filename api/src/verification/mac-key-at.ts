import { type Did, decodeBase58, didKeyOf } from '@accredit/chain'
import { keyRefOf } from '../dids/held-key.store.js'
import { type Finding, failed, passed, pending, unavailable } from '../formats/check.js'
import type { At } from '../ledger/read/at.js'
import { didStateAt } from '../ledger/read/did-state.js'
import type { Environment } from '../platform/http/context.js'

type Door = Pick<Environment, 'index' | 'db'>

const BYTES = 48

interface Question {
  /** When it signed, by the document's own word; undefined when that cannot be read. */
  created: Date | undefined
  at: At
}

/**
 * A key for MACs, whose own id names it: no DID document lists it, so that only the service that made it knows whose it
 * is. It is good for as long as its DID.
 */
export async function macKeyAt(
  door: Door,
  did: Did,
  fragment: string,
  question: Question,
): Promise<{ finding: Finding; publicKey?: Uint8Array }> {
  const publicKey = fragment.length <= 2 * BYTES ? decodeBase58(fragment) : undefined
  if (publicKey?.length !== BYTES)
    return { finding: failed('key_not_found', `${did} has no key ${fragment.slice(0, 96)}`) }
  const keyRef = await door.db.read('system', (reader) => keyRefOf(reader, did, publicKey))
  if (keyRef === undefined)
    return {
      publicKey,
      finding: unavailable(
        'only the service of its issuer knows its keys of kind BBDT16, and this one has no such key',
      ),
    }
  return { publicKey, finding: await trust(door, did, question) }
}

async function trust({ index }: Door, did: Did, { created, at }: Question): Promise<Finding> {
  if (didKeyOf(did) !== undefined) return passed()
  const state = await didStateAt(index, did, at)
  if (state === undefined)
    return at.requested === undefined
      ? pending(`${did} is not on the ledger yet`)
      : failed('key_not_yet', `${did} was not on the ledger at that point`)
  if (!state.deactivated) return passed({ block: at.block })
  if (created !== undefined && created < new Date(state.updated ?? ''))
    return passed({ reason: 'key_deactivated', block: at.block })
  return failed('key_retired', 'the DID of the key is deactivated, and the proof is not older', { block: at.block })
}
