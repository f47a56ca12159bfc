import type { Call } from '@polkadot/types/interfaces'
import type { EncodedCall } from './calls.js'
import type { DescribedCalls } from './generated/described-calls.js'
import { type CallDescription, type Plain, plainCall } from './plain.js'
import { type ChainTypes, chainTypes } from './types.js'

/** Describes calls, for people and for logs. Throws where bytes are no call of the runtime. */
export function describeCalls(
  calls: readonly EncodedCall[],
  types: ChainTypes = chainTypes(),
): readonly CallDescription[] {
  return calls.map((bytes) => plainCall(decodedCall(bytes, types)))
}

/** Names calls, for whom their parameters are of no interest. Throws where bytes are no call of the runtime. */
export function nameCalls(
  calls: readonly EncodedCall[],
  types: ChainTypes = chainTypes(),
): readonly Pick<CallDescription, 'pallet' | 'call'>[] {
  return calls.map((bytes) => {
    const { section, method } = decodedCall(bytes, types)
    return { pallet: section, call: method }
  })
}

function decodedCall(bytes: EncodedCall, types: ChainTypes): Call {
  const call: Call = types.registry.createType('Call', bytes)
  if (call.encodedLength !== bytes.length) throw new RangeError('bytes are left over after the call')
  return call
}

/** Tells whether a described call is the one of this name; then its parameters have the metadata's types. */
export function isCall<Name extends keyof DescribedCalls>(
  description: CallDescription,
  name: Name,
): description is CallDescription & { readonly parameters: DescribedCalls[Name] } {
  return `${description.pallet}.${description.call}` === name
}

/** Returns the parameters of a described call, as `DidCall.read` takes them: absent ones are left out. */
export const describedParams = ({ parameters }: CallDescription): { readonly [name: string]: Plain } =>
  withoutNulls(parameters)

const withoutNulls = (members: { readonly [name: string]: Plain }): { readonly [name: string]: Plain } =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [[name, within(value)]])),
  )

function within(value: Plain): Plain {
  if (typeof value !== 'object' || value === null) return value
  return isList(value) ? value.map(within) : withoutNulls(value)
}

const isList = (value: Plain): value is readonly Plain[] => Array.isArray(value)
