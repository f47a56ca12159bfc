import type { RawEvent } from './blocks/decode-block'
import type { EventContext } from './event-context'

/** An event as typegen makes it: one member per runtime version that changed its shape. */
interface EventType<Args> {
  is(event: RawEvent): boolean
  decode(event: RawEvent): Args
}

export interface Handler {
  name: string
  handle(event: RawEvent, context: EventContext): void
}

/** An event, with its shape in each version of the runtime that changed it. */
type Shapes<Args> = { name: string } & { [version in `v${number}`]: EventType<Args> }

/** A handler of one event. A shape that is not listed stops the indexer: it must never guess. */
export function on<Args>(
  { name, ...shapes }: Shapes<Args>,
  handle: (args: Args, context: EventContext) => void,
): Handler {
  const known: EventType<Args>[] = Object.values(shapes)
  return {
    name,
    handle(raw, context) {
      const shape = known.find((one) => one.is(raw))
      if (shape === undefined) throw new Error(`${name} has a shape that this indexer does not know`)
      handle(shape.decode(raw), context)
    },
  }
}
