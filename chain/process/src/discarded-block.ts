/** Asks a node. */
export interface NodeQuestions {
  call(method: string, params: unknown[]): Promise<unknown>
  /** Tells whether a call failed by the node's answer, and not for want of one. */
  isRefusal(error: unknown): boolean
}

/** The shortest entry that is read of a state: `:heappages`, which most have not. */
const HEAP_PAGES = '0x3a686561707061676573'

/**
 * Returns the first of two blocks that a node has discarded: the newest that is read, and the next one. A pruned node
 * may have the state of genesis in its memory, and not that of the first block. A block to which a node has not come is
 * not discarded.
 */
export async function discardedBlock(node: NodeQuestions, newestRead: number): Promise<number | undefined> {
  for (const height of [newestRead, newestRead + 1]) {
    const hash = await node.call('chain_getBlockHash', [height])
    if (hash !== null && !(await keeps(node, hash))) return height
  }
  return undefined
}

/** Tells whether a node has a block and the state after it. */
async function keeps({ call, isRefusal }: NodeQuestions, hash: unknown): Promise<boolean> {
  try {
    await call('state_getStorage', [HEAP_PAGES, hash])
    return (await call('chain_getBlock', [hash])) !== null
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

/** The end of the sentence that begins with the node. */
export const hasDiscarded = (height: number, reader: 'signer' | 'index'): string =>
  `has discarded block ${height}, which the ${reader} still reads: a node beside a product keeps all blocks and their state (--state-pruning archive --blocks-pruning archive).`
