import type { Event } from '@subsquid/substrate-processor'
import type { EventContext } from './event-context'

export type RawEvent = Event<{ event: { name: true; args: true } }>

/** An event as typegen makes it: one member per runtime version that changed its shape. */
interface EventType<Args> {
  is(event: RawEvent): boolean
  decode(event: RawEvent): Args
}

export interface Handler {
  name: string
  handle(event: RawEvent, context: EventContext): void
}

/** A handler of one event. A shape that is not listed stops the indexer: it must never guess. */
export function on<Args>(
  event: { name: string; v1: EventType<Args> },
  handle: (args: Args, context: EventContext) => void,
): Handler {
  return {
    name: event.name,
    handle(raw, context) {
      if (!event.v1.is(raw)) throw new Error(`${event.name} has a shape that this indexer does not know`)
      handle(event.v1.decode(raw), context)
    },
  }
}
