/** Documents of strangers are brought into their canonical form here, in a thread of their own. */
import { hashHere } from './canonize.js'
import type { ExtraContext } from './document-loader.js'
import type { JsonObject } from './json.js'
import { SuiteError, type SuiteErrorCode } from './suite-error.js'

export interface HashTask {
  /** As JSON. */
  document: string
  contexts: [url: string, context: ExtraContext][]
}

export type HashResult = { hash: Uint8Array } | { code: SuiteErrorCode; message: string }

export default async function run({ document, contexts }: HashTask): Promise<HashResult> {
  try {
    const value: JsonObject = JSON.parse(document)
    return { hash: await hashHere(new Map(contexts))(value) }
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return { code: error.code, message: error.message }
  }
}
