/** Signatures over field elements and work with accumulators, away from the main thread. */
import crypto from '@docknetwork/crypto-wasm-ts'
import { type AccumulatorWork, type AccumulatorWorked, workOn } from './accumulators.js'
import { type ElementKind, type Keyed, type Messages, messageSchemes } from './message-schemes.js'

export type MessageTask = { secret: Uint8Array } & (
  | { kind: ElementKind; messages: Messages }
  | { kind: ElementKind; keyed: Keyed }
  | { kind: 'VbAccumulator'; work: AccumulatorWork }
)

/** The library throws for bytes that are no points or no field elements: no fault of this process. */
export type MessageResult = { signature: Uint8Array } | { isValid: boolean } | AccumulatorWorked | { malformed: true }

const ready = crypto.initializeWasm()

export default async function run(task: MessageTask): Promise<MessageResult> {
  await ready
  try {
    if (task.kind === 'VbAccumulator') return await workOn(task.secret, task.work)
    const scheme = messageSchemes[task.kind]
    if ('messages' in task) return { signature: scheme.sign(task.secret, task.messages) }
    return { isValid: scheme.verify?.(task.secret, task.keyed) ?? false }
  } catch {
    // The library's message may quote its input.
    return { malformed: true }
  }
}
