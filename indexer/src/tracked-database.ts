import { type Store, TypeormDatabase } from '@subsquid/typeorm-store'

type Inner = Pick<TypeormDatabase, 'connect' | 'transact' | 'transactHot' | 'transactHot2'>
type Args<Method extends keyof Inner> = Parameters<TypeormDatabase[Method]>

/** The processor's state store, which also knows the newest block that is committed. */
export class TrackedDatabase implements Inner {
  readonly supportsHotBlocks = true
  private readonly inner: TypeormDatabase
  private committed = -1

  constructor(projectDir: string) {
    // One writer, who never reads what another writes: no stronger isolation is needed.
    this.inner = new TypeormDatabase({ projectDir, stateSchema: 'ledger', isolationLevel: 'READ COMMITTED' })
  }

  /** Height of the newest committed block; -1: none. */
  get height(): number {
    return this.committed
  }

  async connect() {
    const state = await this.inner.connect()
    this.committed = state.height + state.top.length
    return state
  }

  async transact(...[info, write]: Args<'transact'>): Promise<void> {
    await this.inner.transact(info, write)
    this.committed = info.nextHead.height
  }

  async transactHot(...[info, write]: Args<'transactHot'>): Promise<void> {
    await this.inner.transactHot(info, write)
    this.committed = info.newBlocks.at(-1)?.height ?? info.baseHead.height
  }

  async transactHot2(...[info, write]: Args<'transactHot2'>): Promise<void> {
    await this.inner.transactHot2(info, write)
    this.committed = info.newBlocks.at(-1)?.height ?? info.baseHead.height
  }
}

export type { Store }
