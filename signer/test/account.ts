/** An account other than the signer's, with the money that a test gives it. */
import { generateKeyPairSync } from 'node:crypto'
import { chainTypes } from '@accredit/chain'
import { encodeAddress } from '@polkadot/util-crypto'
import pino from 'pino'
import { openCodec } from '../src/actions/codec.js'
import type { FeeAccount } from '../src/actions/fee-account.js'
import { openLedger } from '../src/actions/ledger.js'
import { ed25519Signer } from '../src/keys/ed25519.js'

export function newAccount(): FeeAccount {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return { address: encodeAddress(raw, 42), publicKey: raw, sign: ed25519Signer(seed) }
}

/** Submits calls to the ledger; resolves with the account's balance when a block holds them. */
export async function bring(url: string, account: FeeAccount, calls: Uint8Array[]): Promise<bigint> {
  const door = await openLedger([url], pino({ level: 'silent' }))
  const [metadata, version, genesisHash] = [
    await door.metadata(),
    await door.runtimeVersion(),
    await door.genesisHash(),
  ]
  const codec = openCodec({ metadata, version, genesisHash, feeAccount: account, lifetime: 64 })
  const own = async () => codec.account((await door.read([codec.keys.feeAccount]))[0])
  await door.submit(codec.batch(calls, (await own()).nonce, await door.finalHead()).bytes)
  const { free } = await own()
  await door.close()
  return free
}

export function transfer(to: string, amount: bigint): Uint8Array {
  return chainTypes().call('balances', 'transferAllowDeath', { Id: to }, amount)
}
