import { decompress } from 'fzstd'
import { bytesOf, type Hex, hexOf } from '../store.js'

/** How a Substrate chain marks code that is compressed with zstd. */
const COMPRESSED_PREFIX_BYTES = 8
/** Name of the section of a runtime's module that holds its version. */
const SECTION = 'runtime_version'

/**
 * The same runtime, which says that it is one version further: the number stands in a section of the module, after two
 * names and the version of authoring. What the module's functions answer stays, so that no signed extrinsic fits it.
 */
export function newerRuntime(compressed: Hex): Hex {
  const module = Buffer.from(decompress(bytesOf(compressed).subarray(COMPRESSED_PREFIX_BYTES)))
  const names = module.lastIndexOf(SECTION) + SECTION.length
  const specVersion = afterText(module, afterText(module, names)) + 4
  module.writeUInt32LE(module.readUInt32LE(specVersion) + 1, specVersion)
  return hexOf(module)
}

/** Position after a short SCALE text. */
function afterText(module: Buffer, position: number): number {
  return position + 1 + module.readUInt8(position) / 4
}
