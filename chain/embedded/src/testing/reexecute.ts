import { isDeepStrictEqual } from 'node:util'
import { Builder } from '../blocks/builder.js'
import type { Ledger } from '../ledger.js'
import type { StoredBlock } from '../store/store.js'
import { wholeState } from './whole-state.js'

/**
 * Runs every block of a chain again on a fork of its genesis, at the time that the block was made: each must get the
 * same header, and the state at the end must be the same. Returns the blocks by their numbers.
 */
export async function reexecute(ledger: Ledger): Promise<StoredBlock[]> {
  const { chain } = ledger
  let now = 0
  const fork = await ledger.fork({ at: 0, clock: () => now })
  const builder = new Builder(fork.chain, () => now)
  const blocks = [fork.head]
  for (let number = 1; number <= chain.head.number; number += 1) {
    const block = await chain.blockAt(number)
    if (!block) throw new Error(`block ${number} is missing`)
    const runtime = await chain.runtimeAt(number)
    const [inherent, ...extrinsics] = block.extrinsics
    now = Number(runtime.registry.createType('Extrinsic', inherent).method.args[0])
    const draft = await builder.draft(extrinsics)
    if (!isDeepStrictEqual(draft.block, block)) throw new Error(`block ${number} does not come out again`)
    await fork.chain.append(draft.block, draft.changes)
    blocks.push(block)
  }
  const [kept, made] = [
    await wholeState(chain.store, chain.head.number),
    await wholeState(fork.chain.store, chain.head.number),
  ]
  const differing = new Set([...kept.keys(), ...made.keys()].filter((key) => kept.get(key) !== made.get(key)))
  if (differing.size > 0) throw new Error(`the state differs at ${[...differing].join(', ')}`)
  await fork.close()
  return blocks
}
