import { failed } from './check.js'
import type { Algorithm, CredentialFormat, Recognised } from './credential-format.js'
import { isObject, type JsonObject } from './json.js'
import { jsonLd } from './json-ld/index.js'

/** Every format of credentials; what is pasted in is offered to them in this order. */
export const FORMATS: readonly CredentialFormat[] = [jsonLd]

declare module '../platform/http/context.js' {
  interface OperationServices {
    readonly formats: Formats
  }
}

/** The formats that a process knows. */
export interface Formats {
  /** The format of that name, and its algorithm of that name or its first one. */
  find(format: string, algorithm: string | undefined): Choice | undefined
  /** Says what anything that was pasted in is. */
  recognise(given: unknown): Recognised
}

/** @member algorithm undefined: the format has none of that name */
interface Choice {
  format: CredentialFormat
  algorithm: Algorithm | undefined
}

export function formatsOf(table: readonly CredentialFormat[]): Formats {
  return {
    find(name, algorithm) {
      const format = table.find((one) => one.name === name)
      return (
        format && {
          format,
          algorithm: algorithm ? format.algorithms.find((one) => one.name === algorithm) : format.algorithms[0],
        }
      )
    },
    recognise(given) {
      if (typeof given !== 'string' && !isObject(given))
        return { kind: 'credential', wrong: failed('malformed', 'it is not an object') }
      for (const format of table) {
        const recognised = format.recognise(given)
        if (recognised !== undefined) return recognised
      }
      return { kind: 'credential', wrong: unknownText(given) }
    },
  }
}

const unknownText = (given: string | JsonObject) =>
  typeof given === 'string' && /^[\w-]+\.[\w-]+\.[\w-]*(~|$)/.test(given)
    ? failed('unsupported_format', 'compact JWT and SD-JWT credentials cannot be verified yet')
    : failed('malformed', 'it is neither JSON nor a compact token')
