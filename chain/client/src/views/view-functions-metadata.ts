import type { PalletViewFunctionMetadataV16 } from '@polkadot/types/interfaces/metadata'
import type { Codec } from '@polkadot/types/types'
import { Result } from '@polkadot/types-codec'
import { u8aConcat } from '@polkadot/util'
import { type Hex, hexOf } from '../bytes.js'
import { plain } from '../plain.js'
import type { ChainTypes } from '../types.js'

const API = 'RuntimeViewFunction'
const METHOD = 'execute_view_function'

/** The ledger has no answer: the question is too large for it, or its runtime does not know the question. */
export class ViewFunctionError extends Error {
  override name = 'ViewFunctionError'
  /** The runtime's name for it: `TooManyReads`, `Codec`, `NotFound`, `NotImplemented`. */
  readonly reason: string

  constructor(viewFunction: string, refusal: unknown) {
    const told = plain(refusal)
    const reason = typeof told === 'string' ? told : (Object.keys(told ?? {})[0] ?? 'Unknown')
    super(`the ledger does not answer ${viewFunction}: ${reason}`)
    this.reason = reason
  }
}

/** Returns how one view function of a pallet is called: its id and types stand in the metadata, from version 16. */
export function viewFunctionOf(types: ChainTypes, pallet: string, name: string) {
  const { id, inputs, output } = viewFunctionMetadata(types, pallet, name)
  const { registry } = types
  return {
    params(parameters: readonly unknown[]): readonly [method: string, bytes: Hex] {
      const encoded = inputs.map(({ type }, position) =>
        registry.createType(registry.createLookupType(type), parameters[position] ?? null).toU8a(),
      )
      const input = registry.createType('Bytes', hexOf(u8aConcat(...encoded)))
      return [`${API}_${METHOD}`, hexOf(u8aConcat(id.toU8a(), input.toU8a()))]
    },
    /** Decodes what the function returns. */
    result(bytes: Hex): Codec {
      const executed = registry.createType(registry.createLookupType(executionOutput(types)), bytes)
      const inner = unwrapped(executed, name).toU8a(true)
      return registry.createType(registry.createLookupType(output), inner)
    },
  }
}

/** Returns the content of a result; throws where it is an error. */
export function unwrapped(result: Codec, name: string): Codec {
  if (!(result instanceof Result)) throw new TypeError(`${name} answers no result`)
  if (result.isErr) throw new ViewFunctionError(name, result.asErr)
  return result.asOk
}

function viewFunctionMetadata(types: ChainTypes, pallet: string, name: string): PalletViewFunctionMetadataV16 {
  const found = types.metadata.asLatest.pallets
    .find((candidate) => candidate.name.toString() === pallet)
    ?.viewFunctions.find((candidate) => candidate.name.toString() === name)
  if (!found) throw new Error(`the runtime has no view function ${pallet}.${name}`)
  return found
}

function executionOutput(types: ChainTypes) {
  const found = types.metadata.asLatest.apis
    .find((api) => api.name.toString() === API)
    ?.methods.find((method) => method.name.toString() === METHOD)
  if (!found) throw new Error('the runtime has no view functions')
  return found.output
}
