import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import type { Context } from '../platform/http/context.js'
import type { StatusMethod } from '../status/status-method.js'

/** The types that registries made by others are taken for, by their kind on the ledger. */
export const TYPE_OF_KIND = { StatusList: 'StatusList2021Entry', Accumulator: 'DockVBAccumulator2022' } as const

/** The method of a registry by its kind on the ledger: what is published and shown of it hangs on that alone. */
export const methodOf = (
  { statusMethods }: Pick<Context, 'statusMethods'>,
  { kind }: Pick<RevocationRegistryState, 'kind'>,
): StatusMethod | undefined => statusMethods.ofRegistry(TYPE_OF_KIND[kind])
