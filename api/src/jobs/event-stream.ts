import { Readable } from 'node:stream'
import type { WatchedJob } from '../ledger/write/job-watch.js'

/** A comment so often keeps proxies and this server from ending a silent connection. */
const KEEP_ALIVE_MS = 15_000
/** A stream ends after this time: its reader comes again, and shows its key again. */
const LONGEST_MS = 600_000
/** The time after which a reader comes again. */
const COME_AGAIN_MS = 1000

/** Begins to watch; the function ends it. */
type Begin = (tell: (state: WatchedJob | undefined) => void) => () => void

const isFinal = ({ status }: WatchedJob): boolean => status === 'finalized' || status === 'error'

/** One server-sent event. */
const eventOf = ({ version, ...job }: WatchedJob): string =>
  `id: ${version}\nevent: job\ndata: ${JSON.stringify(job)}\n\n`

/**
 * Returns the states of a job as server-sent events, up to its final one. Of a reader that is slow only the newest
 * state is kept.
 *
 * @param seen the id of the last event that the reader had: that state is not told again, unless it is final
 */
export function eventStream(begin: Begin, seen: string | undefined): Readable {
  let told = seen
  let next: WatchedJob | undefined
  let hasRoom = false
  const stream = new Readable({
    read() {
      hasRoom = true
      send()
    },
    destroy(error, done) {
      end()
      done(error)
    },
  })
  function push(text: string): void {
    hasRoom = stream.push(text)
  }
  const keepAlive = setInterval(() => hasRoom && push(':\n\n'), KEEP_ALIVE_MS)
  const longest = setTimeout(() => finish(), LONGEST_MS)
  let endWatch: () => void = () => undefined

  function end(): void {
    clearInterval(keepAlive)
    clearTimeout(longest)
    endWatch()
  }

  function finish(): void {
    end()
    stream.push(null)
  }

  function send(): void {
    if (next === undefined || !hasRoom) return
    const state = next
    next = undefined
    told = state.version
    push(eventOf(state))
    if (isFinal(state)) finish()
  }

  push(`retry: ${COME_AGAIN_MS}\n\n`)
  try {
    endWatch = begin((state) => {
      if (state === undefined) finish()
      else if (state.version !== told || isFinal(state)) {
        next = state
        send()
      }
    })
  } catch (error) {
    end()
    throw error
  }
  return stream
}
