import { createHash } from 'node:crypto'

// As in `@accredit/chain`, an ES module: CommonJS, which this is, cannot load one before Node 20.19.
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const SS58_PREFIX = 42
/** 58 ** 9: as many digits as a number holds exactly. They are divided several times faster than a bigint. */
const NINE_DIGITS = 58n ** 9n
const REMEMBERED = 100

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function base58(bytes: Uint8Array): string {
  let rest = bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  // A byte takes less than two characters. They are written from the last one on.
  const text = Buffer.alloc(2 * bytes.length)
  let begin = text.length
  while (rest > 0n) {
    let digits = Number(rest % NINE_DIGITS)
    rest /= NINE_DIGITS
    for (let written = 0; written < 9 && (rest > 0n || digits > 0); written += 1) {
      begin -= 1
      text[begin] = ALPHABET.charCodeAt(digits % 58)
      digits = Math.floor(digits / 58)
    }
  }
  for (const byte of bytes) {
    if (byte !== 0) break
    begin -= 1
    text[begin] = ALPHABET.charCodeAt(0)
  }
  return text.toString('latin1', begin)
}

/** Remembers up to a hundred texts, then none: the events of a block name the same DIDs and the same account. */
function remembering(textOf: (hex: string) => string): (hex: string) => string {
  const known = new Map<string, string>()
  return (hex) => {
    const old = known.get(hex)
    if (old !== undefined) return old
    const text = textOf(hex)
    if (known.size >= REMEMBERED) known.clear()
    known.set(hex, text)
    return text
  }
}

export type ChainDid =
  | { __kind: 'Svc'; value: string }
  | { __kind: 'Key'; value: { __kind: 'Ed25519' | 'Secp256k1'; value: string } }
  | { __kind: 'Other'; value: string }

/** Multicodec prefixes of did:key (https://w3c-ccg.github.io/did-key-spec/). */
const MULTICODEC = { Ed25519: [0xed, 0x01], Secp256k1: [0xe7, 0x01] }

export const svcDid = remembering((id) => `did:svc:${base58(bytesOf(id))}`)

export function didText(did: ChainDid): string {
  if (did.__kind === 'Svc') return svcDid(did.value)
  if (did.__kind === 'Other') return bytesOf(did.value).toString()
  return `did:key:z${base58(Buffer.concat([Buffer.from(MULTICODEC[did.value.__kind]), bytesOf(did.value.value)]))}`
}

/** A DID's encoding on chain, by which the chain orders DIDs: variants by number, then bytes. */
export function didOrder(did: ChainDid): string {
  if (did.__kind === 'Svc') return `0x00${did.value.slice(2)}`
  if (did.__kind === 'Other') return `0x02${did.value.slice(2)}`
  return `0x01${did.value.__kind === 'Ed25519' ? '00' : '01'}${did.value.value.slice(2)}`
}

/** SS58 of an account (https://docs.polkadot.com/polkadot-protocol/parachain-basics/accounts/). */
export const accountText = remembering((publicKey) => {
  const body = Buffer.concat([Buffer.from([SS58_PREFIX]), bytesOf(publicKey)])
  const checksum = createHash('blake2b512').update('SS58PRE').update(body).digest().subarray(0, 2)
  return base58(Buffer.concat([body, checksum]))
})

/** Bytes that somebody wrote on chain as text; what Postgres could not hold as text stays 0x. */
export function utf8(hex: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(hex))
    return text.includes('\0') ? hex : text
  } catch {
    return hex
  }
}

export interface ChainService {
  serviceType: string
  endpoints: string[]
}

export function serviceOf(service: ChainService): { type: string; endpoints: string[] } {
  return { type: utf8(service.serviceType), endpoints: service.endpoints.map(utf8) }
}
