import { type Static, Type } from 'typebox'
import { decryptWith, encryptFor, WalletJwe } from './wallet-cipher.js'
import type { WalletKey } from './wallet-key.js'

/** A Universal Wallet 2020 in its encrypted form: shaped like a credential, without a proof. */
export const EncryptedWallet = Type.Object({
  '@context': Type.Array(Type.String(), { description: 'The meaning of its terms (JSON-LD)' }),
  id: Type.String({ description: 'The did:key that the password stands for' }),
  type: Type.Array(Type.String(), { description: 'VerifiableCredential and EncryptedWallet' }),
  issuer: Type.String({ description: 'The did:key that the password stands for' }),
  issuanceDate: Type.String({ format: 'date-time', description: 'The time of its export' }),
  credentialSubject: Type.Object(
    {
      id: Type.String({ description: 'The did:key that the password stands for' }),
      encryptedWalletContents: Type.Object(WalletJwe.properties, { description: 'A JWE (RFC 7516)' }),
    },
    { description: 'The content, encrypted' },
  ),
})
export type EncryptedWallet = Static<typeof EncryptedWallet>

interface Sources {
  now: Date
  random: (length: number) => Uint8Array
}

/** Puts documents into a wallet that only the key opens. */
export function encryptWallet(
  contents: readonly object[],
  { did, ...key }: WalletKey,
  { now, random }: Sources,
): EncryptedWallet {
  const plain = Buffer.from(JSON.stringify({ contents }))
  return {
    '@context': ['https://www.w3.org/2018/credentials/v1', 'https://w3id.org/wallet/v1'],
    id: `${did}#encrypted-wallet`,
    type: ['VerifiableCredential', 'EncryptedWallet'],
    issuer: did,
    issuanceDate: now.toISOString(),
    credentialSubject: { id: did, encryptedWalletContents: encryptFor({ did, ...key }, plain, random) },
  }
}

/** Returns the JSON text `{ contents: [...] }` inside; undefined where the key does not open the wallet. */
export function decryptWallet(wallet: EncryptedWallet, key: WalletKey): Buffer | undefined {
  return decryptWith(key, wallet.credentialSubject.encryptedWalletContents)
}
