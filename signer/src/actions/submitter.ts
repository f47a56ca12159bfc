/** Brings stored extrinsics to the ledger, again and again until a final block holds them or they are dead. */
import type { FastifyBaseLogger } from 'fastify'
import { ExtrinsicRejected, type Ledger } from './ledger.js'
import type { PendingExtrinsic, PipelineStore } from './pipeline.store.js'

export interface Submitter {
  /** Sends at once; the ledger gets them in the order of the calls. */
  send(extrinsic: PendingExtrinsic): void
  /** Sends everything that is pending, in the order of nonces. */
  resend(): Promise<void>
  stop(): void
}

export interface SubmitterNeeds {
  ledger: Ledger
  store: PipelineStore
  log: FastifyBaseLogger
  /** Called when the extrinsic will never be included in this form: too heavy, or made for a runtime of the past. */
  onDropped(extrinsic: PendingExtrinsic, reason: 'too-heavy' | 'bad-proof'): Promise<void>
  /** Called when its nonce is used up: either it is in a block that is not known yet, or another one took its place. */
  onStale(): Promise<void>
  /** Called when the fee account cannot pay. */
  onPoor(): Promise<void>
  onTaken(): void
  /** Called when the ledger's answer to one is stored. */
  onAnswered(): void
  onError(error: unknown): void
}

const retryMs = 2_000

export function openSubmitter(needs: SubmitterNeeds): Submitter {
  const { ledger, store, log } = needs
  const onTheWay = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  function retryLater() {
    if (isStopped || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      resend().catch(needs.onError)
    }, retryMs)
    timer.unref()
  }

  async function bring(extrinsic: PendingExtrinsic) {
    try {
      await ledger.submit(extrinsic.bytes)
      if (isStopped) return
      needs.onTaken()
      await store.submitted(extrinsic.id)
      needs.onAnswered()
    } catch (error) {
      if (!(error instanceof ExtrinsicRejected)) throw error
      if (isStopped) return
      log.debug({ nonce: extrinsic.nonce, reason: error.rejection, message: error.message }, 'Not taken by the ledger.')
      await answer(extrinsic, error)
    } finally {
      onTheWay.delete(extrinsic.id)
      retryLater()
    }
  }

  async function answer(extrinsic: PendingExtrinsic, { rejection, message }: ExtrinsicRejected) {
    if (rejection === 'known') {
      await store.submitted(extrinsic.id)
      return needs.onAnswered()
    }
    if (rejection === 'stale') return needs.onStale()
    if (rejection === 'poor') return needs.onPoor()
    if (rejection === 'later') return
    log.warn({ nonce: extrinsic.nonce, message }, 'The ledger will never take this extrinsic.')
    return needs.onDropped(extrinsic, rejection)
  }

  function send(extrinsic: PendingExtrinsic) {
    if (isStopped || onTheWay.has(extrinsic.id)) return
    onTheWay.add(extrinsic.id)
    bring(extrinsic).catch(needs.onError)
  }

  async function resend() {
    if (isStopped || !ledger.isConnected) return
    for (const extrinsic of await store.pending()) send(extrinsic)
  }

  return {
    send,
    resend,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
