import type { Db } from '../database.js'
import { SetupError } from '../errors.js'
import type { Vault } from '../keys/data-keys.js'
import { ed25519Signer, publicKeyOf } from '../keys/ed25519.js'
import type { SignBytes } from '../keys/keys.js'
import type { Randomness } from '../randomness.js'

/** The account that signs extrinsics and pays for them; it has no authority beyond that. */
export interface FeeAccount {
  address: string
  publicKey: Buffer
  sign: SignBytes
}

const ss58Prefix = 42

export async function makeFeeAccountWhenMissing(db: Db, vault: Vault, random: Randomness): Promise<string> {
  const existing = await db.selectFrom('fee_accounts').select('address').executeTakeFirst()
  if (existing !== undefined) return existing.address
  // The library is loaded for the first start only.
  const { encodeAddress } = await import('@polkadot/util-crypto')
  const seed = random(32)
  const publicKey = publicKeyOf('Ed25519', seed)
  const address = encodeAddress(publicKey, ss58Prefix)
  const { sealed, dataKeyId } = vault.seal(seed, contextOf(address))
  const row = { address, public_key: publicKey, sealed, data_key_id: dataKeyId }
  await db.insertInto('fee_accounts').values(row).execute()
  return address
}

export async function openFeeAccount(db: Db, vault: Vault): Promise<FeeAccount> {
  const row = await db.selectFrom('fee_accounts').selectAll().executeTakeFirst()
  if (row === undefined) throw new SetupError('There is no fee account: run `init` first.')
  const seed = vault.open({ sealed: row.sealed, dataKeyId: row.data_key_id }, contextOf(row.address))
  return { address: row.address, publicKey: row.public_key, sign: ed25519Signer(seed) }
}

function contextOf(address: string): string {
  return `fee account ${address}`
}
