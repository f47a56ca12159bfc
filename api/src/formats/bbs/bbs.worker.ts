/** Credentials of the BBS family, away from the thread that serves requests. */
import type { JsonObject } from '../json.js'
import { isSignature, keyedProofsOf, messagesOf, type PublicScheme, ready } from './library.js'
import { isSignature2020 } from './library-2020.js'

/** Documents travel as JSON: text is sent to a thread fastest. */
export type BbsTask =
  | { what: 'messages'; signed: string }
  | { what: 'signature'; scheme: PublicScheme; signed: string; signature: Uint8Array; publicKey: Uint8Array }
  | { what: 'signature2020'; messages: readonly string[]; signature: Uint8Array; publicKey: Uint8Array }
  | {
      what: 'presentation'
      presentation: string
      publicKeys: readonly (Uint8Array | null)[]
      accumulatorKeys: readonly (Uint8Array | null)[]
    }

export type BbsResult =
  | { messages: Uint8Array[] }
  | { isRight: boolean }
  | { keyedProofs: (Uint8Array | null)[] | undefined }
  /** The library throws for input that it cannot read, in words that may quote it. */
  | { unreadable: true }

export default async function run(task: BbsTask): Promise<BbsResult> {
  await ready
  try {
    return await answer(task)
  } catch {
    return { unreadable: true }
  }
}

async function answer(task: BbsTask): Promise<BbsResult> {
  if (task.what === 'signature2020')
    return { isRight: await isSignature2020(task.messages, task.signature, task.publicKey) }
  if (task.what === 'presentation')
    return { keyedProofs: keyedProofsOf(parsed(task.presentation), task.publicKeys, task.accumulatorKeys) }
  const messages = messagesOf(parsed(task.signed))
  return task.what === 'messages'
    ? { messages }
    : { isRight: isSignature(task.scheme, messages, task.signature, task.publicKey) }
}

function parsed(text: string): JsonObject {
  const value: JsonObject = JSON.parse(text)
  return value
}
