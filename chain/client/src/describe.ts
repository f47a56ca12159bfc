import type { Call } from '@polkadot/types/interfaces'
import type { EncodedCall } from './calls.js'
import { type CallDescription, plainCall } from './plain.js'
import { type ChainTypes, chainTypes } from './types.js'

/** What calls do, for people and for logs. Throws where bytes are no call of the runtime. */
export function describeCalls(
  calls: readonly EncodedCall[],
  types: ChainTypes = chainTypes(),
): readonly CallDescription[] {
  return calls.map((bytes) => {
    const call: Call = types.registry.createType('Call', bytes)
    if (call.encodedLength !== bytes.length) throw new RangeError('bytes are left over after the call')
    return plainCall(call)
  })
}
