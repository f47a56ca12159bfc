import { stringCamelCase } from '@polkadot/util'
import type { EncodedCall } from './calls.js'
import type { ParamPlace } from './params/param-error.js'
import { type JsonSchema, objectSchema } from './params/param-schema.js'
import { type NamedParam, namedParams } from './params/param-type.js'
import { readFields } from './params/read-param.js'
import { type ChainTypes, chainTypes } from './types.js'

/** A call that a DID may make, with its parameters as JSON. */
export interface DidCall {
  /** The name in the metadata: `TrustRegistry.set_schemas_metadata`. */
  readonly name: string
  /** The first line of its documentation, which tells its effect. */
  readonly summary: string
  readonly paramsSchema: JsonSchema
  /**
   * Reads the parameters. Throws `ParamError` that names each wrong member of `params`; `place` is the path to them.
   */
  read(params: unknown, place?: ParamPlace): ReadCall
}

/** A call as it goes to the ledger. Code that asks for its purpose looks here: callers spell names in many ways. */
export interface ReadCall {
  readonly encoded: EncodedCall
  /** The values in the call, by the one name of each parameter (`registryId`), as the registry of types takes them. */
  readonly fields: ReadonlyMap<string, unknown>
}

const PALLETS = ['Did', 'TrustRegistry', 'Revocation']
/** These calls need an account, not a DID, as their origin. */
const OF_ACCOUNTS = new Set(['Did.create', 'Did.dispatch_as'])

const known = new WeakMap<ChainTypes, readonly DidCall[]>()

/** Every call of the three pallets that a DID may make, from the metadata. */
export function didCalls(types: ChainTypes = chainTypes()): readonly DidCall[] {
  const calls = known.get(types) ?? readCalls(types)
  known.set(types, calls)
  return calls
}

/**
 * Returns the call of a name, with or without its pallet, in whatever case: `SetSchemasMetadata`,
 * `set_schemas_metadata` and `trustRegistry.setSchemasMetadata` are the same. Undefined for other names, and for one
 * that two pallets have.
 */
export function didCallNamed(name: string, types: ChainTypes = chainTypes()): DidCall | undefined {
  const [pallet, call] = name.includes('.') ? name.split('.', 2) : [undefined, name]
  const found = didCalls(types).filter((candidate) => {
    const [ofPallet = '', itself = ''] = candidate.name.split('.')
    return plainName(itself) === plainName(call ?? '') && (!pallet || plainName(ofPallet) === plainName(pallet))
  })
  return found.length === 1 ? found[0] : undefined
}

const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase()

function readCalls(types: ChainTypes): DidCall[] {
  const { lookup, metadata } = types.registry
  return [...metadata.pallets].flatMap(({ name, calls }) => {
    const pallet = name.toString()
    if (!PALLETS.includes(pallet) || calls.isNone) return []
    const { variants } = lookup.getSiType(calls.unwrap().type).def.asVariant
    return [...variants]
      .filter((variant) => !OF_ACCOUNTS.has(`${pallet}.${variant.name}`))
      .map((variant) => {
        const summary = variant.docs[0]?.toString().trim() ?? ''
        return didCall(types, [pallet, variant.name.toString()], summary, namedParams(lookup, variant.fields))
      })
  })
}

function didCall(types: ChainTypes, [pallet, call]: [string, string], summary: string, params: NamedParam[]): DidCall {
  return {
    name: `${pallet}.${call}`,
    summary,
    paramsSchema: objectSchema(params),
    read: (given, place = ['params']) => {
      const fields = new Map(readFields(params, given, place))
      return { encoded: types.call(stringCamelCase(pallet), stringCamelCase(call), ...fields.values()), fields }
    },
  }
}
