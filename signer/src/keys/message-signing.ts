import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { SignerError } from '../errors.js'
import type { HeldKind } from '../wire.js'
import type { AccumulatorWork, AccumulatorWorked } from './accumulators.js'
import type { ElementKind, Keyed, Messages } from './message-schemes.js'
import type { MessageResult, MessageTask } from './messages.worker.js'

/** Signs messages that are field elements, and works with accumulators, in threads that give way to everything else. */
export interface MessageSigning {
  /** @throws 422 for keys of other kinds and messages that are no field elements, 503 when too much waits */
  sign(kind: HeldKind, secret: Uint8Array, messages: Messages): Promise<Uint8Array>
  /** Tells whether the key made this. @throws 422 for keys of other kinds, 503 when too much waits */
  verify(kind: HeldKind, secret: Uint8Array, keyed: Keyed): Promise<boolean>
  /**
   * Makes a new value of an accumulator, or witnesses of members.
   * @throws 422 for keys of other kinds and a value that is none, 503 when too much waits
   */
  accumulate(kind: HeldKind, secret: Uint8Array, work: AccumulatorWork): Promise<AccumulatorWorked>
  close(): Promise<void>
}

/** At 20 to 90 ms each, the last one that waits is done before callers give up. */
const mostWaiting = 128

/** A thread has 100 MB. */
const mostThreads = 4

const idleMs = 300_000

/** The kinds that sign messages; `isKeyed`: only the private key verifies. */
const schemes: Record<ElementKind, { isKeyed: boolean }> = {
  BabyJubJub: { isKeyed: false },
  Bls12381G2: { isKeyed: false },
  Bls12381G2Plus2022: { isKeyed: false },
  BBDT16: { isKeyed: true },
}

const signsMessages = (kind: HeldKind): kind is ElementKind => kind in schemes

export function openMessageSigning({ maxQueue = mostWaiting } = {}): MessageSigning {
  let pool: Piscina<MessageTask, MessageResult> | undefined
  const started = () => {
    pool ??= openPool(maxQueue)
    return pool
  }

  async function run(task: MessageTask): Promise<MessageResult> {
    const threads = started()
    // The library counts tasks that threads are about to begin as waiting.
    if (threads.queueSize >= maxQueue) throw tooBusy()
    return threads.run(task)
  }

  return {
    async sign(kind, secret, messages) {
      if (!signsMessages(kind)) throw cannot(kind, 'sign messages')
      const result = await run({ kind, secret, messages })
      if ('signature' in result) return result.signature
      throw new SignerError(
        422,
        'malformed_messages',
        'A key of this kind does not sign these: a message is no field element, or there are too many.',
      )
    },
    async verify(kind, secret, keyed) {
      if (!signsMessages(kind) || !schemes[kind].isKeyed) throw cannot(kind, 'verify')
      const result = await run({ kind, secret, keyed })
      return 'isValid' in result && result.isValid
    },
    async accumulate(kind, secret, work) {
      if (kind !== 'VbAccumulator') throw cannot(kind, 'work with an accumulator')
      const result = await run({ kind, secret, work })
      if ('witnesses' in result || 'accumulated' in result) return result
      throw new SignerError(422, 'malformed_value', 'The value is no value of an accumulator.')
    },
    async close() {
      await pool?.destroy()
    },
  }
}

function openPool(maxQueue: number): Piscina<MessageTask, MessageResult> {
  const threads = new Piscina<MessageTask, MessageResult>({
    filename: compiled(),
    minThreads: 0,
    maxThreads: Math.min(mostThreads, availableParallelism()),
    idleTimeout: idleMs,
    maxQueue: maxQueue + mostThreads,
    niceIncrement: 10,
    atomics: 'disabled',
    recordTiming: false,
  })
  // The caller that waits for the task gets the error.
  threads.on('error', () => undefined)
  return threads
}

/** The sources run as they are under vitest, except in a thread: there the compiled module is taken. */
function compiled(): string {
  const isCompiled = import.meta.url.endsWith('.js')
  return new URL(isCompiled ? './messages.worker.js' : '../../dist/keys/messages.worker.js', import.meta.url).href
}

const tooBusy = (): SignerError =>
  new SignerError(503, 'too_busy', 'Too many signatures over messages are waiting: try again.')

const cannot = (kind: HeldKind, what: string): SignerError =>
  new SignerError(422, 'key_cannot_sign', `A key of kind ${kind} cannot ${what}.`)
