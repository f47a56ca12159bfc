import { FormatError } from '../../format-error.js'
import { asArray, isObject, type Json, type JsonObject } from '../../json.js'
import type { ExtraContexts } from './document-loader.js'
import { KNOWN_CONTEXTS } from './known-contexts.js'
import { contextsNamedIn } from './named-contexts.js'

/** The bytes of contexts, counted as often as they are processed. */
const MEBIBYTE = 1_048_576
export const MOST_PROCESSED = {
  document: 2 * MEBIBYTE,
  /** Each credential of a presentation is read with it, and by itself. */
  request: 4 * MEBIBYTE,
} as const

/**
 * Bounds the work that contexts make for one request. How large they are, and how many, tells little: each credential
 * of a presentation may name the same ones in another order, and one credential may name two of them in turn.
 *
 * Contexts of which the processed form is kept, as of all that ship with the service, count once for each of what stands
 * before them (`documentLoader`), and everything else as often as it is named.
 */
export class ContextBudget {
  #left: number
  /** Numbers of the sequences of contexts that are kept. */
  readonly #sequences = new Map<string, number>()

  constructor(private readonly most: Record<'document' | 'request', number> = MOST_PROCESSED) {
    this.#left = most.request
  }

  /** Returns the same function within the budget. */
  bounded<Result>(
    canonical: (document: JsonObject) => Promise<Result>,
    contexts: ExtraContexts,
  ): (document: JsonObject) => Promise<Result> {
    return async (document) => {
      this.take(document, contexts)
      return canonical(document)
    }
  }

  /** @throws FormatError when too much is asked for, which then costs nothing */
  take(document: JsonObject, contexts: ExtraContexts): void {
    const bytes = this.#bytesOf(document, contexts, NOTHING)
    const most = Math.min(this.most.document, this.#left)
    if (bytes > most)
      throw new FormatError(
        'too_large',
        `the contexts that it names have ${bytes} bytes, each counted as often as it is processed; at most ${most} are possible${most < this.most.document ? ' after all else that was sent' : ''}`,
      )
    this.#left -= bytes
  }

  /** @param before the sequence of what was processed before; undefined: something whose form is not kept */
  #bytesOf(document: JsonObject, contexts: ExtraContexts, before: number | undefined): number {
    const { '@context': context, verifiableCredential } = document
    let sequence = before
    let bytes = 0
    for (const part of asArray(context)) {
      const { context: found, isKept } = contextAt(part, contexts)
      const next = isKept && sequence !== undefined ? this.#next(sequence, part) : undefined
      if (found !== undefined && next?.isNew !== false) bytes += weightOf(found)
      sequence = next?.number
    }
    for (const one of asArray(verifiableCredential)) if (isObject(one)) bytes += this.#bytesOf(one, contexts, sequence)
    return bytes
  }

  #next(sequence: number, part: Json): { number: number; isNew: boolean } {
    const key = `${sequence} ${String(part)}`
    const known = this.#sequences.get(key)
    const number = known ?? this.#sequences.size + 1
    this.#sequences.set(key, number)
    return { number, isNew: known === undefined }
  }
}

/** The sequence before the first context. */
const NOTHING = 0

interface Found {
  /** undefined: it stands in the document itself, or cannot be had. */
  context: JsonObject | undefined
  isKept: boolean
}

function contextAt(part: Json, contexts: ExtraContexts): Found {
  if (typeof part !== 'string') return { context: undefined, isKept: false }
  const known = KNOWN_CONTEXTS.get(part)
  if (known !== undefined) return { context: known, isKept: true }
  const extra = contexts.get(part)
  return { context: extra?.document, isKept: extra?.isKept === true }
}

/** Contexts do not change while they are there. */
const weights = new WeakMap<JsonObject, number>()

/** Its bytes, and those of what it names: contexts that ship with the service, and no others. */
function weightOf(document: JsonObject): number {
  const found = weights.get(document)
  if (found !== undefined) return found
  let bytes = Buffer.byteLength(JSON.stringify(document))
  for (const url of contextsNamedIn(document)) {
    const named = KNOWN_CONTEXTS.get(url)
    if (named !== undefined) bytes += weightOf(named)
  }
  weights.set(document, bytes)
  return bytes
}
