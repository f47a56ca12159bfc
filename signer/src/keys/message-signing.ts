import { availableParallelism } from 'node:os'
import { FairQueue } from '@accredit/process/fair-queue'
import { Piscina } from 'piscina'
import { SignerError } from '../errors.js'
import type { HeldKind } from '../wire.js'
import type { AccumulatorWork, AccumulatorWorked } from './accumulators.js'
import type { ElementKind, Keyed, Messages } from './message-schemes.js'
import type { MessageResult, MessageTask } from './messages.worker.js'

/**
 * Signs messages that are field elements, and works with accumulators, in threads that give way to everything else. All
 * work names a share: shares take turns, and the longest line is refused first.
 */
export interface MessageSigning {
  /** @throws 422 for keys of other kinds and messages that are no field elements, 503 when too much waits */
  sign(key: ChosenKey, messages: Messages): Promise<Uint8Array>
  /** Tells whether the key made this. @throws 422 for keys of other kinds, 503 when too much waits */
  verify(key: ChosenKey, keyed: Keyed): Promise<boolean>
  /**
   * Makes a new value of an accumulator, or witnesses of members.
   * @throws 422 for keys of other kinds and a value that is none, 503 when too much waits
   */
  accumulate(key: ChosenKey, work: AccumulatorWork): Promise<AccumulatorWorked>
  close(): Promise<void>
}

/** The private half of a key, and the share that its work counts for. */
export interface ChosenKey {
  kind: HeldKind
  secret: Uint8Array
  share: string
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
  const threads = Math.min(mostThreads, availableParallelism())
  const queue = new FairQueue({ running: threads, waiting: maxQueue }, tooBusy)

  const run = (share: string, task: MessageTask): Promise<MessageResult> =>
    queue.run(share, () => {
      pool ??= openPool(threads)
      return pool.run(task)
    })

  return {
    async sign({ kind, secret, share }, messages) {
      if (!signsMessages(kind)) throw cannot(kind, 'sign messages')
      const result = await run(share, { kind, secret, messages })
      if ('signature' in result) return result.signature
      throw new SignerError(
        422,
        'malformed_messages',
        'A key of this kind does not sign these: a message is no field element, or there are too many.',
      )
    },
    async verify({ kind, secret, share }, keyed) {
      if (!signsMessages(kind) || !schemes[kind].isKeyed) throw cannot(kind, 'verify')
      const result = await run(share, { kind, secret, keyed })
      return 'isValid' in result && result.isValid
    },
    async accumulate({ kind, secret, share }, work) {
      if (kind !== 'VbAccumulator') throw cannot(kind, 'work with an accumulator')
      const result = await run(share, { kind, secret, work })
      if ('witnesses' in result || 'accumulated' in result) return result
      throw new SignerError(422, 'malformed_value', 'The value is no value of an accumulator.')
    },
    async close() {
      await pool?.destroy()
    },
  }
}

function openPool(maxThreads: number): Piscina<MessageTask, MessageResult> {
  const threads = new Piscina<MessageTask, MessageResult>({
    filename: compiled(),
    minThreads: 0,
    maxThreads,
    idleTimeout: idleMs,
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
