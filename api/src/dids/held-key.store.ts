import { encodeBase58 } from '@accredit/chain/base58'
import { bytesOf, hexIn, hexOf } from '@accredit/chain/bytes'
import { type RawBuilder, sql } from 'kysely'
import type { MadeKey } from '../ledger/write/signer-door.js'
import type { Reader, Tx } from '../platform/database/database.js'
import type { TeamId } from '../platform/database/ids.js'
import type { SigningKey } from './did.store.js'

/** Returns the private half of a key of a DID, also of one that no longer signs; undefined where it is not here. */
export async function keyRefOf(reader: Reader, did: string, publicKey: Uint8Array): Promise<string | undefined> {
  const named = { did, public_key: hexOf(publicKey) }
  const listed = sql<{ key_ref: string }>`
    select key_ref from did_keys where did = ${did} and public_key = ${named.public_key}
    union all select key_ref from mac_keys where did = ${did} and public_key = ${named.public_key}`
  return (await listed.execute(reader)).rows[0]?.key_ref
}

/** The key with which a DID makes MACs (BBDT16); undefined: it has none yet, or cannot be used. */
export async function macKey(reader: Reader, did: string): Promise<Omit<SigningKey, 'keyId'> | undefined> {
  const row = await usableMacKey(reader, did).executeTakeFirst()
  return (
    row && {
      keyRef: row.key_ref,
      publicKeyHex: row.public_key,
      verificationMethod: `${did}#${encodeBase58(bytesOf(hexIn(row.public_key)))}`,
    }
  )
}

const usableMacKey = (reader: Reader, did: string) =>
  reader
    .selectFrom('mac_keys as k')
    .innerJoin('dids as d', 'd.did', 'k.did')
    .select(['k.key_ref', 'k.public_key'])
    .where('k.did', '=', did)
    .where('k.retired', 'is', null)
    .where('d.status', 'in', ['pending', 'active'])

/** Tells in SQL whether a key is the one that `macKey` returns. */
export const isMacKey = (reader: Reader, did: string, keyRef: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from ${usableMacKey(reader, did)} k where k.key_ref = ${keyRef})`

/**
 * Returns keys for MACs that still make some, of DIDs that were forgotten or refused and whose jobs have ended: of one, or
 * of any; asked as the system.
 */
export function leftMacKeys(
  reader: Reader,
  { did, most }: { did?: string; most: number },
): Promise<{ key_ref: string; status: string }[]> {
  const left = reader
    .selectFrom('mac_keys as k')
    .innerJoin('dids as d', 'd.did', 'k.did')
    .select(['k.key_ref', 'd.status'])
    .where('k.retired', 'is', null)
    .where('d.status', 'in', ['deleted', 'failed'])
    .where(sql<boolean>`d.open_jobs = '{}'`)
    .limit(most)
  return (did === undefined ? left : left.where('k.did', '=', did)).execute()
}

interface NewMacKey {
  did: string
  team: TeamId
  key: MadeKey<'BBDT16'>
  now: Date
}

/** Stores a DID's key for MACs; the one that it has stays. */
export async function insertMacKey(tx: Tx, { did, team, key, now }: NewMacKey): Promise<void> {
  await tx
    .insertInto('mac_keys')
    .values({ did, team_id: team, public_key: key.publicKey, key_ref: key.keyRef, created: now, retired: null })
    .onConflict((conflict) => conflict.column('did').where('retired', 'is', null).doNothing())
    .execute()
}
