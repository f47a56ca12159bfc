import { createHash, createPrivateKey, createPublicKey, type KeyObject, pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { encodeBase58 } from '@accredit/chain'

/** The key agreement key that a password stands for. */
export interface WalletKey {
  /** did:key:z6LS… */
  did: string
  /** The DID URL of its one key; recipients are named by it. */
  id: string
  privateKey: KeyObject
  publicKey: KeyObject
}

const X25519_MULTICODEC = [0xec, 0x01]
// Wallets in the field use these. The salt is the same for all: only the password's own strength protects a wallet.
const SALT = 'salt'
const ITERATIONS = 100_000

const derive = promisify(pbkdf2)

/**
 * Derives the X25519 key pair of a password: PBKDF2 gives an Ed25519 seed, whose key is turned into one of Curve25519.
 */
export async function passwordToKey(password: string): Promise<WalletKey> {
  const seed = await derive(password, SALT, ITERATIONS, 32, 'sha256')
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32)
  const privateKey = createPrivateKey({
    key: { kty: 'OKP', crv: 'X25519', d: scalar.toString('base64url'), x: '' },
    format: 'jwk',
  })
  const publicKey = createPublicKey(privateKey)
  const multibase = `z${encodeBase58(Uint8Array.from([...X25519_MULTICODEC, ...rawPublicKey(publicKey)]))}`
  const did = `did:key:${multibase}`
  return { did, id: `${did}#${multibase}`, privateKey, publicKey }
}

/** The 32 bytes of an X25519 public key. */
export function rawPublicKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
}
