import { customSection } from './custom-section.js'
import { unpackedFrame } from './unpack.js'

/** The key of the runtime's code, which every Substrate ledger keeps under `:code`. */
export const CODE_KEY = '0x3a636f6465'

/** The first bytes of a compressed runtime code. */
const COMPRESSED = Buffer.from('52bc537646db8e05', 'hex')
const MOST_BYTES = 50 * 1024 * 1024

/**
 * Returns the WebAssembly of a runtime code in the ledger, compressed or not. A node may have told the code without any
 * proof, so that no more is unpacked than a runtime may have.
 */
export function wasmOf(code: Uint8Array): Uint8Array<ArrayBuffer> {
  const isCompressed = COMPRESSED.equals(code.subarray(0, COMPRESSED.length))
  if (isCompressed) return unpackedFrame(code.subarray(COMPRESSED.length), MOST_BYTES)
  if (code.length > MOST_BYTES) throw new RangeError(`a runtime has at most ${MOST_BYTES} bytes`)
  return Uint8Array.from(code)
}

/**
 * Returns what a runtime's WebAssembly tells of its version, a `RuntimeVersion` in SCALE; undefined where it has none.
 * Nothing is compiled: a module that a node makes up could keep a compiler busy without end.
 *
 * @throws Error where it is no module of sections
 */
export function versionSectionOf(wasm: Uint8Array): Uint8Array | undefined {
  return customSection(wasm, 'runtime_version')
}
