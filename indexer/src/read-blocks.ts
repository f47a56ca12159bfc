import { type Header, ITEM_ENDS, type LedgerBlock, type RawEvent } from './blocks/decode-block'
import { BY_ROOT, type EventContext, type EventOrigin, type Facts } from './event-context'
import { handlers } from './events'
import type { Handler } from './handler'
import type { Ledger } from './ledger'
import { Block, Event } from './model'

const byName = new Map<string, Handler>(handlers.map((handler) => [handler.name, handler]))

/** Records the events of further blocks in a ledger; the database is neither read nor written here. */
export function readBlocks(ledger: Ledger, blocks: readonly LedgerBlock[]): void {
  for (const block of blocks) {
    const { height, timestamp } = block.header
    if (height > 0 && timestamp === undefined) throw new Error(`block ${height} has no time`)
    // Genesis has no time: it gets the present one, so that an idle ledger has a present, until block 1 lends it its
    // own.
    const time = new Date(timestamp ?? Date.now())
    if (height === 1) ledger.blocks.set(0, genesisBefore(block.header, time))
    ledger.blocks.set(height, blockRow(height, block.header.hash, time, block.header.specVersion))
    readEvents(ledger, block.events, height, time)
  }
}

function readEvents(ledger: Ledger, events: RawEvent[], block: number, time: Date): void {
  let origin: EventOrigin = BY_ROOT
  let extrinsic: number | undefined
  for (const event of events) {
    if (event.extrinsicIndex !== extrinsic || ITEM_ENDS.includes(event.name)) origin = BY_ROOT
    extrinsic = event.extrinsicIndex
    const handler = byName.get(event.name)
    if (handler === undefined) continue
    const context: EventContext = {
      block,
      ledger,
      get origin() {
        return origin
      },
      get signer() {
        return event.extrinsic?.signer
      },
      begin(begun) {
        origin = begun
      },
      record(facts) {
        ledger.events.push(eventRow(event, block, time, origin, facts))
      },
    }
    handler.handle(event, context)
  }
}

function eventRow(event: RawEvent, block: number, time: Date, origin: EventOrigin, facts: Facts): Event {
  const { index, name } = event
  const id = `${block}-${index}`
  return new Event({ id, block, index, time, name, extrinsicHash: event.extrinsic?.hash ?? null, ...origin, ...facts })
}

function genesisBefore(header: Header, time: Date): Block {
  return blockRow(0, header.parentHash, time, header.specVersion)
}

function blockRow(height: number, hash: string, time: Date, specVersion: number): Block {
  return new Block({ id: String(height), height, hash, time, specVersion })
}
