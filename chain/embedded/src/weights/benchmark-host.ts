import { ed25519 } from '@noble/curves/ed25519'
import { type Host, passing, type Span } from '../executor/host.js'
import type { HostFunctions } from '../executor/instance.js'
import { Overlay } from '../executor/overlay.js'
import { type Hex, hexOf } from '../store/store.js'
import { CountedState } from './counted-state.js'
import { ScaleReader, scaleList, scaleU32 } from './scale.js'

const NONE = Uint8Array.of(0)
const KEY_BYTES = 32

/** What the benchmarks of FRAME import besides what every runtime does: a clock, a state that counts, and keys that sign. */
export function benchmarkFunctions(host: Host): HostFunctions {
  const { view, read, place, give } = passing(host.heap)
  let state = new CountedState()
  let whitelist: Uint8Array = scaleList([])
  const secrets = new Map<Hex, Uint8Array>()
  const begin = () => {
    if (host.overlay.depth > 0) throw new Error('the benchmark left a transaction open')
    host.overlay = new Overlay(state)
  }

  return {
    ext_benchmarking_current_time_version_1: () => {
      // Of the processor, in nanoseconds: what else the machine does meanwhile is not the call's.
      const { user, system } = process.cpuUsage()
      const time = Buffer.alloc(16)
      time.writeBigUInt64LE(BigInt(user + system) * 1_000n)
      return place(time)
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
    ext_benchmarking_read_write_count_version_1: () =>
      give(Buffer.concat([state.reads, 0, state.writes, 0].map(scaleU32))),
    ext_benchmarking_reset_read_write_count_version_1: () => state.beginToCount(),
    ext_benchmarking_get_whitelist_version_1: () => give(whitelist),
    ext_benchmarking_set_whitelist_version_1: (span: Span) => {
      whitelist = Uint8Array.from(read(span))
      state.doNotCount(keysOf(whitelist))
    },
    // A ledger that gives no proofs has no size of them.
    ext_benchmarking_proof_size_version_1: () => give(NONE),
    ext_benchmarking_get_read_and_written_keys_version_1: () => give(scaleList([])),
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
      return give(secret ? Buffer.concat([Uint8Array.of(1), ed25519.sign(read(message), secret)]) : NONE)
    },
  }
}

/** The keys of a list of FRAME's `TrackedStorageKey`. */
function keysOf(encoded: Uint8Array): Hex[] {
  const reader = new ScaleReader(encoded)
  return reader.list(() => {
    const key = hexOf(reader.bytes())
    reader.u32()
    reader.u32()
    reader.u8()
    if (reader.u8() === 1) reader.bytes()
    return key
  })
}

/** The benchmarks give seeds as text of hexadecimal. */
function secretOf(seed: Uint8Array): Uint8Array {
  const text = seed[0] === 1 ? new ScaleReader(seed.subarray(1)).text() : ''
  const secret = Buffer.from(text.slice(2), 'hex')
  if (secret.length !== KEY_BYTES) throw new Error('the benchmark asked for a key without a seed of 32 bytes')
  return secret
}
