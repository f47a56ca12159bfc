/** Documents of strangers are brought into their canonical form here, in a thread of their own. */

import { FormatError, type FormatErrorCode } from '../../format-error.js'
import type { JsonObject } from '../../json.js'
import type { ExtraContext } from '../contexts/document-loader.js'
import { canonize, hashHere } from './canonize.js'

export interface HashTask {
  /** The document as JSON. */
  document: string
  /** Their documents as JSON, since text is sent to a thread fastest. */
  contexts: [url: string, document: string, isKept: boolean][]
  /** Whether the canonical form itself is wanted. */
  isText: boolean
}

export type HashResult = { hash: Uint8Array } | { text: string } | { code: FormatErrorCode; message: string }

export default async function run({ document, contexts, isText }: HashTask): Promise<HashResult> {
  try {
    const value: JsonObject = JSON.parse(document)
    const known = new Map(contexts.map(([url, text, isKept]) => [url, context(text, isKept)]))
    return isText ? { text: await canonize(value, known) } : { hash: await hashHere(known)(value) }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return { code: error.code, message: error.message }
  }
}

function context(text: string, isKept: boolean): ExtraContext {
  const document: JsonObject = JSON.parse(text)
  return { document, isKept }
}
