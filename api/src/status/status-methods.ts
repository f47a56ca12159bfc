import type { JsonObject } from '../formats/json.js'
import { legacyList } from './legacy-list/index.js'
import { statusList } from './status-list/index.js'
import type { StatusMethod } from './status-method.js'

/** Every way to revoke. */
export const STATUS_METHODS: readonly StatusMethod[] = [statusList, legacyList]

declare module '../platform/http/context.js' {
  interface OperationServices {
    readonly statusMethods: StatusMethods
  }
}

/** The methods that a process knows. */
export interface StatusMethods {
  /** The method of a type of registries. */
  ofRegistry(type: string): StatusMethod | undefined
  /** The method of a registry that is stored. */
  of(registry: { type: string }): StatusMethod
  /** The method that reads an entry. */
  ofEntry(entry: JsonObject): StatusMethod | undefined
}

export function statusMethodsOf(table: readonly StatusMethod[]): StatusMethods {
  const ofRegistry = (type: string) => table.find((method) => method.registryType === type)
  return {
    ofRegistry,
    of({ type }) {
      const method = ofRegistry(type)
      if (method === undefined) throw new Error(`no method of revocation makes registries of type ${type}`)
      return method
    },
    ofEntry: ({ type }) => table.find(({ entryTypes }) => entryTypes.some((one) => one === type)),
  }
}
