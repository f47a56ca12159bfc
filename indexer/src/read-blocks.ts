import { BY_ROOT, type EventContext, type EventOrigin, type Facts } from './event-context'
import { handlers } from './events'
import type { Handler } from './handler'
import type { Ledger } from './ledger'
import { Block, Event } from './model'
import { type Batch, type Header, ITEM_ENDS, type RawEvent } from './processor'

const byName = new Map<string, Handler>(handlers.map((handler) => [handler.name, handler]))

/** Records the events of further blocks in a ledger; the database is neither read nor written here. */
export function readBlocks(ledger: Ledger, blocks: Batch['blocks']): void {
  for (const block of blocks) {
    const { height, timestamp } = block.header
    if (timestamp === undefined) throw new Error(`block ${height} has no time`)
    // Genesis has no time: it gets the present one, so that an idle ledger has a present, until block 1 lends it its
    // own.
    const time = height === 0 ? new Date() : new Date(timestamp)
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
        return signerOf(event)
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

/** Returns the account in the signature of an extrinsic: a MultiAddress, which Subsquid leaves untyped. */
function signerOf({ extrinsic }: RawEvent): string | undefined {
  const address: unknown = extrinsic?.signature?.address
  if (typeof address !== 'object' || address === null || !('value' in address)) return undefined
  return typeof address.value === 'string' ? address.value : undefined
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
