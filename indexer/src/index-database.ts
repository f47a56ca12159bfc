import { type Store, TypeormDatabase } from '@subsquid/typeorm-store'
import type { LedgerBlock } from './blocks/decode-block'
import { Ledger } from './ledger'
import type { Head } from './node'
import { readBlocks } from './read-blocks'
import type { IndexedExtrinsics } from './traces'

/** The number of gathered blocks at which they are written: the processor, catching up, brings a few at a time. */
const MANY_BLOCKS = 500
/** The number of their events at which they are written. */
const MANY_EVENTS = 5_000
/** The time since the first of them came at which they are written. */
const LONG_MS = 1_000

interface Span {
  prevHead: Head
  nextHead: Head
}

interface ColdSpan extends Span {
  /** True where nothing newer is final. */
  isOnTop: boolean
}

interface HotSpan {
  finalizedHead: Head
  baseHead: Head
  newBlocks: Head[]
}

interface Options {
  projectDir: string
  schema: string
  /** Does the further work of the transaction that makes a block the newest one. */
  alongside(store: Store, head: Head): Promise<void>
  /** Hears of what was written, just before it is committed. */
  written(extrinsics: IndexedExtrinsics): void
}

/**
 * Takes the processor's blocks; its handler gives them to `read`. Final blocks of the past are gathered, and written
 * while further ones are fetched: a process that ends loses only what it reads again. Blocks that can still be taken
 * back are written one by one.
 */
export class IndexDatabase {
  readonly supportsHotBlocks = true
  private readonly inner: TypeormDatabase
  private readonly alongside: Options['alongside']
  private readonly written: Options['written']
  private committed = -1
  private ledger = new Ledger()
  private gathered: { span: Span; since: number } | undefined
  private writing: Promise<void> = Promise.resolve()

  constructor({ projectDir, schema, alongside, written }: Options) {
    // There is one writer, who never reads what another writes: no stronger isolation is needed.
    this.inner = new TypeormDatabase({ projectDir, stateSchema: schema, isolationLevel: 'READ COMMITTED' })
    this.alongside = alongside
    this.written = written
  }

  /** The height of the newest committed block; -1: none. */
  get height(): number {
    return this.committed
  }

  read(blocks: LedgerBlock[]): void {
    readBlocks(this.ledger, blocks)
  }

  async connect() {
    const state = await this.inner.connect()
    this.committed = state.height + state.top.length
    return state
  }

  async transact({ prevHead, nextHead, isOnTop }: ColdSpan, read: (store: undefined) => Promise<void>) {
    await read(undefined)
    const { span, since } = this.gathered ?? { span: { prevHead }, since: Date.now() }
    this.gathered = { span: { ...span, nextHead }, since }
    const isMuch = this.ledger.blocks.size >= MANY_BLOCKS || this.ledger.events.length >= MANY_EVENTS
    if (isMuch || Date.now() - since >= LONG_MS) await this.write()
    if (isOnTop) await this.settle()
  }

  /** The method is part of the processor's interface, which asks for `transactHot2` where there is one. */
  async transactHot(span: HotSpan, read: (store: undefined, block: Head) => Promise<void>): Promise<void> {
    await this.transactHot2(span, async (store, start, end) => {
      for (const block of span.newBlocks.slice(start, end)) await read(store, block)
    })
  }

  async transactHot2(span: HotSpan, read: (store: undefined, start: number, end: number) => Promise<void>) {
    await this.settle()
    await this.inner.transactHot2(span, async (store, start, end) => {
      await read(undefined, start, end)
      await this.flush(this.take(), store, span.newBlocks[end - 1] ?? span.baseHead)
    })
    this.committed = (span.newBlocks.at(-1) ?? span.baseHead).height
  }

  /** Writes the gathered blocks, after those that are being written; further blocks can be gathered meanwhile. */
  private async write(): Promise<void> {
    await this.writing
    if (this.gathered === undefined) return
    const { span } = this.gathered
    const ledger = this.take()
    this.gathered = undefined
    this.writing = this.inner
      .transact(span, (store) => this.flush(ledger, store, span.nextHead))
      .then(() => {
        this.committed = span.nextHead.height
      })
    // The next caller that waits for it gets a failure; until then nobody does.
    this.writing.catch(() => undefined)
  }

  private async settle(): Promise<void> {
    await this.write()
    await this.writing
  }

  private take(): Ledger {
    const taken = this.ledger
    this.ledger = new Ledger()
    return taken
  }

  private async flush(ledger: Ledger, store: Store, head: Head): Promise<void> {
    const since = Date.now()
    const events = ledger.events.length
    const hashes = new Set(ledger.events.flatMap(({ extrinsicHash }) => extrinsicHash ?? []))
    await ledger.flush(store)
    await this.alongside(store, head)
    this.written({ hashes, events, height: head.height, since })
  }
}
