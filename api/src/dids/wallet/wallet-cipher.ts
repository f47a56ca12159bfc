import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
} from 'node:crypto'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { parseJson } from '../../platform/http/input/json.js'
import { rawPublicKey, type WalletKey } from './wallet-key.js'

const base64Url = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]*$', description })

/** A JWE in its general JSON form (RFC 7516, section 7.2.1), as encrypted wallets hold it. */
export const WalletJwe = Type.Object({
  protected: base64Url('The encryption of the content: a JSON object'),
  recipients: Type.Array(
    Type.Object({
      encrypted_key: base64Url('The key of the content, wrapped'),
      header: Type.Object(
        {
          kid: Type.String({ description: 'The key that opens it' }),
          alg: Type.String({ description: 'The algorithm that wraps the key' }),
          epk: Type.Object(
            {
              kty: Type.String({ description: 'OKP' }),
              crv: Type.String({ description: 'X25519' }),
              x: base64Url('Its bytes'),
            },
            { description: 'The sender’s key, for this message only' },
          ),
          apu: base64Url('The id of the sender’s key'),
          apv: base64Url('The id of the recipient’s key'),
        },
        { description: 'The way in which this recipient opens it' },
      ),
    }),
    { description: 'The recipients who can open it' },
  ),
  iv: base64Url('The nonce'),
  ciphertext: base64Url('The content, encrypted'),
  tag: base64Url('Proves that nobody changed it'),
})
export type WalletJwe = Static<typeof WalletJwe>

type Bytes = (length: number) => Uint8Array

const ALG = 'ECDH-ES+A256KW'
const ENC = 'XC20P'
const NONCE_BYTES = 24
const TAG_BYTES = 16
// RFC 3394's initial value.
const WRAP_IV = Buffer.alloc(8, 0xa6)

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
const decode = (text: string): Buffer => Buffer.from(text, 'base64url')

/** Encrypts for one key: ECDH-ES with A256KW (RFC 7518, sections 4.6 and 4.4) around XChaCha20-Poly1305. */
export function encryptFor(recipient: WalletKey, plain: Uint8Array, random: Bytes): WalletJwe {
  const ephemeral = generateKeyPairSync('x25519')
  const x = rawPublicKey(ephemeral.publicKey)
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient.publicKey })
  const [contentKey, nonce] = [random(32), random(NONCE_BYTES)]
  const header = encode(Buffer.from(JSON.stringify({ enc: ENC })))
  const sealed = xchacha20poly1305(contentKey, nonce, Buffer.from(header)).encrypt(plain)
  const epk = { kty: 'OKP', crv: 'X25519', x: encode(x) }
  const wrapped = wrap(wrappingKey(secret, x, recipient.id), contentKey)
  return {
    protected: header,
    recipients: [
      {
        header: { kid: recipient.id, alg: ALG, epk, apu: encode(x), apv: encode(Buffer.from(recipient.id)) },
        encrypted_key: encode(wrapped),
      },
    ],
    iv: encode(nonce),
    ciphertext: encode(sealed.subarray(0, -TAG_BYTES)),
    tag: encode(sealed.subarray(-TAG_BYTES)),
  }
}

/** Opens a wallet with a key; undefined: it is no recipient's key, or anything was altered. */
export function decryptWith(key: WalletKey, jwe: WalletJwe): Buffer | undefined {
  const recipient = jwe.recipients.find(({ header }) => header.kid === key.id && header.alg === ALG)
  if (recipient === undefined || encryptionOf(jwe) !== ENC) return undefined
  const { epk } = recipient.header
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: epk.x }, format: 'jwk' })
    const secret = diffieHellman({ privateKey: key.privateKey, publicKey })
    const contentKey = unwrap(wrappingKey(secret, decode(epk.x), key.id), decode(recipient.encrypted_key))
    const cipher = xchacha20poly1305(contentKey, decode(jwe.iv), Buffer.from(jwe.protected))
    return Buffer.from(cipher.decrypt(Buffer.concat([decode(jwe.ciphertext), decode(jwe.tag)])))
  } catch {
    return undefined
  }
}

const ProtectedHeader = Type.Object({ enc: Type.String() })

function encryptionOf(jwe: WalletJwe): string | undefined {
  try {
    const header = parseJson(decode(jwe.protected).toString())
    return Check(ProtectedHeader, header) ? header.enc : undefined
  } catch {
    return undefined
  }
}

/** Concat KDF (NIST SP 800-56A, section 5.8.1) for 256 bits: one round of SHA-256. */
function wrappingKey(secret: Uint8Array, producer: Uint8Array, consumer: string): Buffer {
  const parts = [u32(1), secret, sized(Buffer.from(ALG)), sized(producer), sized(Buffer.from(consumer)), u32(256)]
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const sized = (bytes: Uint8Array): Buffer => Buffer.concat([u32(bytes.length), bytes])

function wrap(key: Uint8Array, plain: Uint8Array): Buffer {
  const cipher = createCipheriv('id-aes256-wrap', key, WRAP_IV)
  return Buffer.concat([cipher.update(plain), cipher.final()])
}

function unwrap(key: Uint8Array, wrapped: Uint8Array): Buffer {
  const cipher = createDecipheriv('id-aes256-wrap', key, WRAP_IV)
  return Buffer.concat([cipher.update(wrapped), cipher.final()])
}
