import { blake2AsU8a } from '@polkadot/util-crypto'
import { type Hex32, hex32Of } from './bytes.js'

/** Returns the ledger's id of a schema: blake2-256 of the UTF-8 bytes of its URI. */
export function schemaId(uri: string): Hex32 {
  return hex32Of(blake2AsU8a(new TextEncoder().encode(uri), 256))
}
