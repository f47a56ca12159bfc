import { concatBytes, utf8ToBytes } from '@noble/hashes/utils'
import { areEqual, compact, compareBytes } from './bytes.js'
import { readAll, type ScaleReader } from './scale-reader.js'

/** A DID as the runtime encodes it, and as people write it. */
export interface LedgerDid {
  readonly text: string
  readonly encoded: Uint8Array
  /** The 32 bytes of a DID of this ledger. */
  readonly id?: Uint8Array
}

const SVC = 'did:svc:'
const KEY = 'did:key:z'
/** The multicodec prefixes of the keys of a did:key, in the order of the runtime's variants, with the length of a key. */
const KEYS = [
  { prefix: Uint8Array.of(0xed, 0x01), length: 32 },
  { prefix: Uint8Array.of(0xe7, 0x01), length: 33 },
] as const
/** The form of a DID of another method, as the runtime reads it. */
const OTHER = /^did:(?!svc:|key:)[a-z0-9]+:(?:[A-Za-z0-9._:-]|%[0-9A-Fa-f]{2})*(?:[A-Za-z0-9._-]|%[0-9A-Fa-f]{2})$/
const MOST_CHARACTERS = 512

/** Reads a DID as people write it; undefined for every text that is none, or not in its one form. */
export function parseDid(text: string): LedgerDid | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  const encoded = encodingOf(text)
  return encoded && readAll(encoded, 'A DID', readDid)
}

function encodingOf(text: string): Uint8Array | undefined {
  if (text.startsWith(SVC)) {
    const id = decodeBase58(text.slice(SVC.length))
    return id?.length === 32 ? concatBytes(Uint8Array.of(0), id) : undefined
  }
  if (text.startsWith(KEY)) {
    const bytes = decodeBase58(text.slice(KEY.length)) ?? new Uint8Array()
    const variant = KEYS.findIndex(
      ({ prefix, length }) => bytes.length === length + 2 && areEqual(bytes.subarray(0, 2), prefix),
    )
    return variant === -1 ? undefined : concatBytes(Uint8Array.of(1, variant), bytes.subarray(2))
  }
  return OTHER.test(text) ? concatBytes(Uint8Array.of(2), compact(text.length), utf8ToBytes(text)) : undefined
}

/** Reads a DID as the runtime encodes it. */
export function readDid(reader: ScaleReader): LedgerDid {
  const { value, bytes } = reader.span((inner) => {
    switch (inner.variant(['Svc', 'Key', 'Other'])) {
      case 'Svc': {
        const id = inner.take(32)
        // Of a thousand DIDs that a question reads, one is told.
        return {
          get text() {
            return SVC + encodeBase58(id)
          },
          id,
        }
      }
      case 'Key': {
        const { prefix, length } = KEYS[inner.variant(['0', '1'])]
        return { text: KEY + encodeBase58(concatBytes(prefix, inner.take(length))) }
      }
      case 'Other': {
        const text = new TextDecoder().decode(inner.counted())
        if (text.length > MOST_CHARACTERS || !OTHER.test(text)) throw inner.refusal('holds a text that is not a DID')
        return { text }
      }
    }
  })
  return Object.assign(value, { encoded: bytes })
}

/** Compares as the runtime orders DIDs: by kind, then by bytes; of texts, the length in front of them does not count. */
export function compareDids(a: LedgerDid, b: LedgerDid): number {
  const areTexts = a.encoded[0] === 2 && b.encoded[0] === 2
  return areTexts ? compareBytes(utf8ToBytes(a.text), utf8ToBytes(b.text)) : compareBytes(a.encoded, b.encoded)
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
/** Decoding takes the square of the length. */
const MOST_BASE58 = 128

/** Base58 with Bitcoin's alphabet: zeros in front are kept, each as a 1. Large integers would take longer than places. */
function encodeBase58(bytes: Uint8Array): string {
  // A byte has 1.37 digits. The lowest place stands first.
  const places = new Uint8Array(Math.ceil(bytes.length * 1.4))
  let used = 0
  for (let carry of bytes) {
    for (let at = 0; at < used || carry > 0; at += 1) {
      carry += (places[at] ?? 0) * 256
      places[at] = carry % 58
      carry = Math.floor(carry / 58)
      used = Math.max(used, at + 1)
    }
  }
  const digits = Array.from(places.subarray(0, used).reverse(), (place) => ALPHABET[place])
  return '1'.repeat(countWhile(bytes, 0)) + digits.join('')
}

function decodeBase58(text: string): Uint8Array | undefined {
  const digits = [...text].map((digit) => ALPHABET.indexOf(digit))
  if (text.length > MOST_BASE58 || digits.includes(-1)) return undefined
  const bytes: number[] = []
  let rest = digits.reduce((value, digit) => value * 58n + BigInt(digit), 0n)
  for (; rest > 0n; rest /= 256n) bytes.unshift(Number(rest % 256n))
  return Uint8Array.from([...new Array<number>(countWhile(digits, 0)).fill(0), ...bytes])
}

function countWhile(items: readonly number[] | Uint8Array, value: number): number {
  const end = items.findIndex((item) => item !== value)
  return end === -1 ? items.length : end
}
