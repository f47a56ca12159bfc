/** Signatures over field elements, away from the main thread. */
import crypto from '@docknetwork/crypto-wasm-ts'
import { type Keyed, type MessageKind, type Messages, messageSchemes } from './message-schemes.js'

export type MessageTask = { kind: MessageKind; secret: Uint8Array } & ({ messages: Messages } | { keyed: Keyed })

/** The library throws for bytes that are no points or no field elements: no fault of this process. */
export type MessageResult = { signature: Uint8Array } | { isValid: boolean } | { malformed: true }

const ready = crypto.initializeWasm()

export default async function run(task: MessageTask): Promise<MessageResult> {
  await ready
  const scheme = messageSchemes[task.kind]
  try {
    if ('messages' in task) return { signature: scheme.sign(task.secret, task.messages) }
    return { isValid: scheme.verify?.(task.secret, task.keyed) ?? false }
  } catch {
    // The library's message may quote its input.
    return { malformed: true }
  }
}
