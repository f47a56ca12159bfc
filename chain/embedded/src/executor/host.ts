import { compactAddLength, compactToU8a } from '@polkadot/util'
import { blake2AsU8a, keccakAsU8a, xxhashAsU8a } from '@polkadot/util-crypto'
import { bytesOf, type Hex, hexOf } from '../store/store.js'
import { recoverSecp256k1, verifyEd25519Zip215, verifySr25519 } from './crypto.js'
import { lengthOf } from './encoded-list.js'
import type { Heap } from './heap.js'
import type { Overlay } from './overlay.js'
import { trieRoot } from './trie-root.js'

/** The host that the functions below work on. It changes from run to run; the runtime's imports do not. */
export interface Host {
  readonly heap: Heap
  overlay: Overlay
  /** The runtime's last log line before it gave up. */
  lastWords: string
  /** Returns the SCALE bytes of the version that a runtime code tells of itself. */
  versionOf(code: Uint8Array): Uint8Array | undefined
}

const ERROR_LEVEL = 1
const SIGNATURE_BYTES = 64
const RECOVERABLE_BYTES = 65
const KEY_BYTES = 32
const NONE = Uint8Array.of(0)
/** The error of a `Result<(), ()>`. */
const FAILED = Uint8Array.of(1)

/**
 * A pointer in the low half, a length in the high one: the form in which bytes travel between a runtime and its host.
 */
export type Span = bigint

function packed(pointer: number, length: number): Span {
  return (BigInt(length) << 32n) | BigInt(pointer)
}

export function unpacked(span: Span): [pointer: number, length: number] {
  const unsigned = BigInt.asUintN(64, span)
  return [Number(unsigned & 0xffff_ffffn), Number(unsigned >> 32n)]
}

/** Reads bytes from a runtime's memory and writes bytes into it. */
export function passing(heap: Heap) {
  const view = (pointer: number, length: number) => heap.bytes.subarray(pointer, pointer + length)
  const read = (span: Span) => view(...unpacked(span))
  const place = (bytes: Uint8Array) => {
    const pointer = heap.allocate(bytes.length)
    heap.bytes.set(bytes, pointer)
    return pointer
  }
  const give = (bytes: Uint8Array): Span => packed(place(bytes), bytes.length)
  return { view, read, place, give }
}

/** The functions that a runtime may import, by the names of the Polkadot host's specification. */
export function hostFunctions(host: Host) {
  const { heap } = host
  const { view, read, place, give } = passing(heap)
  const copy = (span: Span) => Uint8Array.from(read(span))
  const key = (span: Span): Hex => hexOf(read(span))
  const giveOption = (bytes: Uint8Array | undefined) => give(bytes ? some(bytes) : NONE)
  const hash = (digest: (bytes: Uint8Array) => Uint8Array) => (span: Span) => place(digest(read(span)))
  const noKeystore = () => {
    throw new Error('the runtime asked for keys of the node, which an embedded ledger does not keep')
  }

  return {
    ext_allocator_malloc_version_1: (size: number) => heap.allocate(size >>> 0),
    ext_allocator_free_version_1: (pointer: number) => heap.free(pointer),

    ext_storage_get_version_1: (span: Span) => {
      const value = host.overlay.get(key(span))
      return giveOption(value && compactAddLength(value))
    },
    ext_storage_read_version_1: (span: Span, out: Span, offset: number) => {
      const value = host.overlay.get(key(span))
      if (value === undefined) return give(NONE)
      const rest = value.subarray(Math.min(offset >>> 0, value.length))
      const [pointer, length] = unpacked(out)
      heap.bytes.set(rest.subarray(0, length), pointer)
      return give(some(number32(rest.length)))
    },
    ext_storage_exists_version_1: (span: Span) => Number(host.overlay.get(key(span)) !== undefined),
    ext_storage_set_version_1: (span: Span, value: Span) => host.overlay.set(key(span), copy(value)),
    ext_storage_clear_version_1: (span: Span) => host.overlay.set(key(span), null),
    ext_storage_append_version_1: (span: Span, value: Span) => host.overlay.append(key(span), read(value)),
    ext_storage_next_key_version_1: (span: Span) => {
      const next = host.overlay.nextKey(key(span))
      return giveOption(next && compactAddLength(bytesOf(next)))
    },
    ext_storage_clear_prefix_version_2: (span: Span, limit: Span) => {
      const bytes = read(limit)
      const most = bytes[0] === 1 ? bytes.readUInt32LE(1) : Number.POSITIVE_INFINITY
      const { removed, isLeft } = host.overlay.clear(key(span), most)
      return give(Buffer.concat([Uint8Array.of(Number(isLeft)), number32(removed)]))
    },
    ext_storage_root_version_2: (_layout: number) => give(host.overlay.digest()),
    ext_storage_start_transaction_version_1: () => host.overlay.begin(),
    ext_storage_rollback_transaction_version_1: () => host.overlay.rollBack(),
    ext_storage_commit_transaction_version_1: () => host.overlay.commit(),
    ext_trie_blake2_256_ordered_root_version_2: (span: Span, layout: number) => {
      const entries = vectorOf(read(span)).map((value, index) => [compactToU8a(index), value] as const)
      return place(trieRoot(entries, layout === 0 ? 0 : 1))
    },

    ext_hashing_blake2_128_version_1: hash((bytes) => blake2AsU8a(bytes, 128)),
    ext_hashing_blake2_256_version_1: hash((bytes) => blake2AsU8a(bytes, 256)),
    ext_hashing_keccak_256_version_1: hash((bytes) => keccakAsU8a(bytes, 256)),
    ext_hashing_twox_64_version_1: hash((bytes) => xxhashAsU8a(bytes, 64)),
    ext_hashing_twox_128_version_1: hash((bytes) => xxhashAsU8a(bytes, 128)),

    ext_crypto_ed25519_verify_version_1: (signature: number, message: Span, publicKey: number) =>
      Number(verifyEd25519Zip215(view(signature, SIGNATURE_BYTES), read(message), view(publicKey, KEY_BYTES))),
    ext_crypto_sr25519_verify_version_2: (signature: number, message: Span, publicKey: number) =>
      Number(verifySr25519(view(signature, SIGNATURE_BYTES), read(message), view(publicKey, KEY_BYTES))),
    ext_crypto_secp256k1_ecdsa_recover_compressed_version_2: (signature: number, digest: number) => {
      const recovered = recoverSecp256k1(view(signature, RECOVERABLE_BYTES), view(digest, KEY_BYTES))
      return give(typeof recovered === 'number' ? Uint8Array.of(1, recovered) : Buffer.concat([NONE, recovered]))
    },
    ext_crypto_ed25519_generate_version_1: noKeystore,
    ext_crypto_ed25519_sign_version_1: noKeystore,
    ext_crypto_sr25519_generate_version_1: noKeystore,
    ext_crypto_sr25519_sign_version_1: noKeystore,

    // A node sends extrinsics of its own and keeps notes beside its blocks. An embedded ledger does neither.
    ext_offchain_submit_transaction_version_1: (_extrinsic: Span) => give(FAILED),
    ext_offchain_index_set_version_1: (_key: Span, _value: Span) => {},

    ext_misc_runtime_version_version_1: (span: Span) => {
      const version = host.versionOf(copy(span))
      return giveOption(version && compactAddLength(version))
    },
    ext_misc_print_utf8_version_1: (_text: Span) => {},
    ext_misc_print_hex_version_1: (_bytes: Span) => {},
    ext_logging_max_level_version_1: () => ERROR_LEVEL,
    ext_logging_log_version_1: (_level: number, _target: Span, message: Span) => {
      host.lastWords = read(message).toString('utf8')
    },
  }
}

function some(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(1), bytes])
}

function number32(number: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}

function vectorOf(encoded: Uint8Array): Uint8Array[] {
  let [at, count] = lengthOf(encoded)
  const elements: Uint8Array[] = []
  for (; count > 0; count -= 1) {
    const [offset, length] = lengthOf(encoded.subarray(at))
    elements.push(encoded.subarray(at + offset, at + offset + length))
    at += offset + length
  }
  return elements
}
