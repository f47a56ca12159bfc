import { type Loop, startLoop } from '@accredit/process/loop'
import type { Environment } from '../../platform/http/context.js'
import { claimDue, nextDue } from './claim.js'
import { type Result, storeResults } from './delivery-results.js'
import { Places } from './places.js'
import { tryDelivery } from './try-delivery.js'

type Services = Pick<Environment, 'db' | 'guardedPost' | 'events' | 'deriveKey' | 'clock' | 'config' | 'log' | 'random'>

/**
 * The time after which it looks without a hint, which goes missing with an api that is killed after its commit; what is
 * due sooner has its own timer.
 */
const LOOK_MS = 5000
/** The time that deliveries under way have when the service ends; then their lease ends, and they are tried again. */
const LAST_ANSWERS_MS = 2000

/**
 * Starts the deliveries of this process: one loop leases what is due and sends it, another one stores results, many at
 * once. The rows are the truth: deliveries that a dead process had leased are tried again, with the same id, when the lease ends.
 */
export function startDeliveries(services: Services): Loop {
  const { db, clock, config, log, random } = services
  const places = new Places()
  const ending = new AbortController()
  const running = new Set<Promise<void>>()
  let waiting: Result[] = []
  let timer: NodeJS.Timeout | undefined
  // The lease outlives the try: looking up the host, connecting and answering have to be done within the timeout.
  const leaseMs = 2 * config.webhooks.timeoutMs + 1000

  async function claim(): Promise<boolean> {
    if (places.isFull || ending.signal.aborted) return false
    const now = clock.now()
    const { taken, hasMore } = await claimDue(db, places.free(), now, new Date(now.getTime() + leaseMs))
    for (const one of taken) {
      places.take(one.webhook_id, one.team_id)
      const work = tryDelivery(services, one, ending.signal).then((result) => {
        running.delete(work)
        // A delivery that was broken off at the end is no failure of the receiver.
        if (ending.signal.aborted) return
        waiting.push(result)
        places.giveBack(one.webhook_id, one.team_id, result.isDelivered)
        results.wake()
      })
      running.add(work)
    }
    if (taken.length === 0 && !hasMore) await wakeWhenDue()
    return taken.length > 0 || hasMore
  }

  async function wakeWhenDue(): Promise<void> {
    const due = await nextDue(db)
    clearTimeout(timer)
    if (due === undefined || ending.signal.aborted) return
    // Deliveries that are due already wait for a place, and a result wakes then.
    const ms = Math.max(due.getTime() - clock.now().getTime(), 1000)
    timer = setTimeout(claims.wake, Math.min(ms, LOOK_MS))
  }

  async function store(): Promise<boolean> {
    if (waiting.length === 0) return false
    const stored = waiting
    waiting = []
    const chance = (): number => Buffer.from(random.bytes(4)).readUInt32BE() / 2 ** 32
    await storeResults(db, stored, clock.now(), chance).catch((error: unknown) => {
      // Their leases hold for a while: the results may still be stored within it.
      waiting = [...stored, ...waiting]
      throw error
    })
    claims.wake()
    return true
  }

  const claims = startLoop(claim, {
    onError: (error) => log.error({ err: error }, 'deliveries that are due could not be taken'),
    everyMs: LOOK_MS,
  })
  const results = startLoop(store, {
    onError: (error) => log.error({ err: error }, 'results of deliveries could not be stored'),
  })
  claims.wake()
  return {
    wake: claims.wake,
    async stop() {
      clearTimeout(timer)
      await claims.stop()
      clearTimeout(timer)
      const last = setTimeout(() => ending.abort(), LAST_ANSWERS_MS)
      await Promise.all(running)
      clearTimeout(last)
      ending.abort()
      await results.stop()
      await store().catch((error: unknown) => log.error({ err: error }, 'the last results could not be stored'))
    },
  }
}
