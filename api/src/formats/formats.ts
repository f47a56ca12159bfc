import { bbs } from './bbs/index.js'
import { bbs2020 } from './bbs-2020/index.js'
import { failed } from './check.js'
import type { Algorithm, CredentialFormat, Recognised } from './credential-format.js'
import { isObject, type JsonObject } from './json.js'
import { jsonLd } from './json-ld/index.js'

/** Every format of credentials, in the order in which they are asked about a pasted document. */
export const FORMATS: readonly CredentialFormat[] = [bbs, bbs2020, jsonLd]

/** The formats that requests may name: those of the table, and those that are answered with a refusal until then. */
export const FORMAT_NAMES: readonly string[] = [...new Set([...FORMATS.map(({ name }) => name), 'jwt', 'sdjwt'])]

declare module '../platform/http/context.js' {
  interface OperationServices {
    readonly formats: Formats
  }
}

/** The formats that a process knows. */
export interface Formats {
  /**
   * Returns the format of that name which has an algorithm of that name; without one the last format, which is the
   * general one, and its first algorithm. undefined: there is no such format.
   */
  find(format: string, algorithm: string | undefined): Choice | Refused | undefined
  /** Reads any pasted text or object. */
  recognise(given: unknown): Recognised
}

interface Choice {
  format: CredentialFormat
  algorithm: Algorithm
}

/** The formats of that name have other algorithms. */
interface Refused {
  algorithms: readonly string[]
}

/** The choices that a request with that name of a format has, the default first. */
export const choicesOf = (table: readonly CredentialFormat[], name: string): Choice[] =>
  table
    .filter((format) => format.name === name)
    .toReversed()
    .flatMap((format) => format.algorithms.map((algorithm) => ({ format, algorithm })))

export function formatsOf(table: readonly CredentialFormat[]): Formats {
  return {
    find(name, algorithm) {
      const choices = choicesOf(table, name)
      const [first] = choices
      if (first === undefined || algorithm === undefined) return first
      const chosen = choices.find(({ algorithm: one }) => one.name === algorithm || one.aliases?.includes(algorithm))
      return chosen ?? { algorithms: choices.map((choice) => choice.algorithm.name) }
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
