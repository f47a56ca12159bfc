import { createHash } from 'node:crypto'
import { versionSectionOf, wasmOf } from '@accredit/embedded-ledger/wasm'
import { messageOf, Refusal } from './refusal.js'

/** A runtime by its version, and by the SHA-256 of its WebAssembly and of the bytes in which that is stored. */
export interface Runtime {
  readonly specVersion: number
  readonly codeSha256: string
  readonly storedSha256: string
}

/**
 * Describes a runtime by its code as a ledger stores it, compressed or not. The version is read in the code itself,
 * whoever tells what about it. Throws a sentence where the bytes are no runtime.
 */
export function runtimeOf(stored: Uint8Array, name: string): Runtime {
  try {
    const code = wasmOf(stored)
    const section = versionSectionOf(code)
    if (section === undefined) throw new Error('it tells no version')
    return { specVersion: specVersionOf(Buffer.from(section)), codeSha256: sha256(code), storedSha256: sha256(stored) }
  } catch (error) {
    throw new Refusal(`${name} is no runtime of a ledger: ${messageOf(error)}.`)
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Reads SCALE: two names of less than 64 bytes, the version of who makes blocks, and that of the rules. */
function specVersionOf(section: Buffer): number {
  const afterName = (at: number) => at + 1 + (section.readUInt8(at) >> 2)
  return section.readUInt32LE(afterName(afterName(0)) + 4)
}
