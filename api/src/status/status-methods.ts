import { type JsonObject, quoted } from '../formats/json.js'
import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import { accumulator } from './accumulator/index.js'
import { bitstringList } from './bitstring-list/index.js'
import { legacyList } from './legacy-list/index.js'
import { statusList } from './status-list/index.js'
import type { StatusMethod } from './status-method.js'
import { tokenList } from './token-list/index.js'

/**
 * Every way to revoke. Of registries made elsewhere only the kind on the ledger is known: the first method of that kind
 * takes them.
 */
export const STATUS_METHODS: readonly StatusMethod[] = [statusList, bitstringList, tokenList, legacyList, accumulator]

type Kind = RevocationRegistryState['kind']

/** The types that registries may be asked for. */
export const REGISTRY_TYPES: readonly string[] = STATUS_METHODS.map(({ registryType }) => registryType)

declare module '../platform/http/context.js' {
  interface OperationServices {
    readonly statusMethods: StatusMethods
  }
  interface ContextServices {
    /** The same for the worker, which loads them when a job needs them first. */
    readonly loadStatusMethods: () => Promise<StatusMethods>
  }
}

/** The methods that a process knows. */
export interface StatusMethods {
  /** The method of a type of registries. */
  ofRegistry(type: string): StatusMethod | undefined
  /** The method of a registry that is stored. */
  of(registry: { type: string }): StatusMethod
  /** The methods whose registries are of that kind on the ledger. */
  ofKind(kind: Kind): readonly StatusMethod[]
  /** The type shown for a registry made elsewhere. */
  typeOfKind(kind: Kind): string
  /** The method that reads an entry. */
  ofEntry(entry: JsonObject): StatusMethod | undefined
  /** Returns why nobody here could ever look at an entry, by its own members; undefined: somebody may. */
  wrongIn(entry: JsonObject): string | undefined
}

export function statusMethodsOf(table: readonly StatusMethod[]): StatusMethods {
  const ofRegistry = (type: string) => table.find((method) => method.registryType === type)
  const ofEntry = (entry: JsonObject) => table.find((method) => method.reads(entry))
  return {
    ofRegistry,
    of({ type }) {
      const method = ofRegistry(type)
      if (method === undefined) throw new Error(`no method of revocation makes registries of type ${type}`)
      return method
    },
    typeOfKind: (kind) => table.find(({ ledgerKind }) => ledgerKind === kind)?.registryType ?? kind,
    ofKind: (kind) => table.filter(({ ledgerKind }) => ledgerKind === kind),
    ofEntry,
    wrongIn(entry) {
      const method = ofEntry(entry)
      return method === undefined
        ? `status entries of type ${quoted(entry.type)} cannot be checked here`
        : method.wrongIn(entry)
    },
  }
}
