import { readFile } from 'node:fs/promises'
import { type Hex, hexOf } from '../store/store.js'

/** The built runtime stands beside this package, also when it runs from `dist`. */
const CODE_FILE = new URL('../../../artifact/accredit_runtime.compact.compressed.wasm', import.meta.url)

/** The runtime that this version of the software brings: SCALE-free bytes, compressed as the chain stores them. */
export async function artifactCode(): Promise<Hex> {
  return hexOf(await readFile(CODE_FILE))
}
