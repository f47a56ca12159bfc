import { bbs } from './bbs/index.js'
import { bbs2020 } from './bbs-2020/index.js'
import { failed } from './check.js'
import { envelopedToken } from './compact/enveloped.js'
import type { Algorithm, CredentialFormat, Recognised } from './credential-format.js'
import { isObject, type JsonObject } from './json.js'
import { jsonLd } from './json-ld/index.js'
import { jwt } from './jwt/index.js'
import { sdJwt, sdJwtOfOlderType } from './sd-jwt/index.js'

/**
 * Every format of credentials. Of those with one name the first is the default; about a pasted document the last is asked
 * first.
 */
export const FORMATS: readonly CredentialFormat[] = [jsonLd, bbs, bbs2020, jwt, sdJwt, sdJwtOfOlderType]

/** The formats that requests may name. */
export const FORMAT_NAMES: readonly string[] = [...new Set(FORMATS.map(({ name }) => name))]

declare module '../platform/http/context.js' {
  interface OperationServices {
    readonly formats: Formats
  }
}

/** The formats that a process knows. */
export interface Formats {
  /**
   * Returns the format of that name which has an algorithm of that name; without one the first format and its first
   * algorithm. undefined: there is no such format.
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
    .flatMap((format) => format.algorithms.map((algorithm) => ({ format, algorithm })))

function readBy(table: readonly CredentialFormat[], given: string | JsonObject): Recognised {
  for (const format of table.toReversed()) {
    const recognised = format.recognise(given)
    if (recognised !== undefined) return recognised
  }
  return { kind: 'credential', wrong: failed('malformed', 'it is neither JSON nor a compact token') }
}

/** Tells whether it is a credential with the binding to its holder's key, which has the type of credentials. */
const isBound = (read: Recognised): boolean =>
  read.kind === 'presentation' && !read.wrong && read.isBoundCredential === true

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
      const held = typeof given === 'string' ? undefined : envelopedToken(given)
      if (held?.wrong) return held
      const read = readBy(table, held?.token ?? given)
      return held === undefined || read.kind === held.kind || isBound(read)
        ? read
        : { kind: held.kind, wrong: failed('malformed', `it holds a ${read.kind}, and its type says a ${held.kind}`) }
    },
  }
}
