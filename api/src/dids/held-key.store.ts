import { hexOf } from '@accredit/chain/bytes'
import type { Reader } from '../platform/database/database.js'

/** Returns the private half of a key of a DID, also of one that no longer signs; undefined where it is not here. */
export async function keyRefOf(reader: Reader, did: string, publicKey: Uint8Array): Promise<string | undefined> {
  const key = await reader
    .selectFrom('did_keys')
    .select('key_ref')
    .where('did', '=', did)
    .where('public_key', '=', hexOf(publicKey))
    .executeTakeFirst()
  return key?.key_ref
}
