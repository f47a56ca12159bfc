import { parseHex } from '@accredit/chain/bytes'
import { ed25519 } from '@noble/curves/ed25519'
import { Bytes, bool, type Codec, Option, Struct, str, Tuple, u32, u128, Vector } from 'scale-ts'
import { type Host, passing, type Span } from '../executor/host.js'
import type { HostFunctions } from '../executor/instance.js'
import { Overlay } from '../executor/overlay.js'
import { bytesOf, type Hex, hexOf } from '../store/store.js'
import { CountedState } from './counted-state.js'

const KEY_BYTES = 32
const Signature = Option(Bytes(64))
const ProofSize = Option(u32)
/** The counts of reads, repeated reads, writes and repeated writes. */
const Counts = Tuple(u32, u32, u32, u32)
const TrackedStorageKeys = Vector(
  Struct({ key: Bytes(), reads: u32, writes: u32, isWhitelisted: bool, childTrie: Option(Bytes()) }),
)

/** The library decodes from the beginning of the memory that its bytes are a view of: it gets a copy. */
const decoded = <T>(codec: Codec<T>, bytes: Uint8Array): T => codec.dec(Uint8Array.from(bytes))

/**
 * The functions that FRAME's benchmarks import besides those of every runtime: a clock, a counting state, and keys that
 * sign.
 */
export function benchmarkFunctions(host: Host): HostFunctions {
  const { view, read, place, give } = passing(host.heap)
  let state = new CountedState()
  let whitelist: Uint8Array = TrackedStorageKeys.enc([])
  const secrets = new Map<Hex, Uint8Array>()
  const begin = () => {
    if (host.overlay.depth > 0) throw new Error('the benchmark left a transaction open')
    host.overlay = new Overlay(state)
  }

  return {
    ext_benchmarking_current_time_version_1: () => {
      // The processor's time, in nanoseconds, which other work of the machine does not change.
      const { user, system } = process.cpuUsage()
      return place(u128.enc(BigInt(user + system) * 1_000n))
    },
    ext_benchmarking_wipe_db_version_1: () => {
      state = new CountedState()
      state.doNotCount(keysOf(whitelist))
      begin()
    },
    ext_benchmarking_commit_db_version_1: () => {
      state.take(host.overlay)
      begin()
    },
    ext_benchmarking_read_write_count_version_1: () => give(Counts.enc([state.reads, 0, state.writes, 0])),
    ext_benchmarking_reset_read_write_count_version_1: () => state.beginToCount(),
    ext_benchmarking_get_whitelist_version_1: () => give(whitelist),
    ext_benchmarking_set_whitelist_version_1: (span: Span) => {
      whitelist = Uint8Array.from(read(span))
      state.doNotCount(keysOf(whitelist))
    },
    // A ledger that gives no proofs has no size of them.
    ext_benchmarking_proof_size_version_1: () => give(ProofSize.enc(undefined)),
    ext_benchmarking_get_read_and_written_keys_version_1: () => give(TrackedStorageKeys.enc([])),
    ext_default_child_storage_get_version_1: () => {
      throw new Error('the benchmark reads a child trie, which this ledger does not have')
    },

    ext_crypto_ed25519_generate_version_1: (_kind: number, seed: Span) => {
      const secret = secretOf(read(seed))
      const publicKey = ed25519.getPublicKey(secret)
      secrets.set(hexOf(publicKey), secret)
      return place(publicKey)
    },
    ext_crypto_ed25519_sign_version_1: (_kind: number, publicKey: number, message: Span) => {
      const secret = secrets.get(hexOf(view(publicKey, KEY_BYTES)))
      return give(Signature.enc(secret && ed25519.sign(read(message), secret)))
    },
  }
}

const keysOf = (encoded: Uint8Array): Hex[] => decoded(TrackedStorageKeys, encoded).map(({ key }) => hexOf(key))

/** Reads the seed of a benchmark's key, which is hexadecimal text. */
function secretOf(seed: Uint8Array): Uint8Array {
  const text = decoded(Option(str), seed) ?? ''
  const secret = parseHex(text, KEY_BYTES)
  if (secret === undefined) throw new Error('the benchmark asked for a key without a seed of 32 bytes')
  return bytesOf(secret)
}
