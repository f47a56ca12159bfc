import type { TransactionValidity } from '@polkadot/types/interfaces'
import type { Chain } from '../chain/chain.js'
import { RuntimeTrap } from '../executor/executable.js'
import { bytesOf, type Hex, hexOf } from '../store/store.js'
import { refusalBy } from './builder.js'
import { ExtrinsicRefused } from './submission.js'

/** The source of a transaction that came over the network, as against from the node itself. */
const EXTERNAL = 2

/**
 * Asks the runtime whether an extrinsic could go into a block now or after earlier ones of its sender: its form,
 * signature, size and nonce, and whether its fee can be paid.
 *
 * @throws ExtrinsicRefused with the runtime's reason
 */
export async function requireValid(chain: Chain, extrinsic: Hex): Promise<void> {
  const { hash, number } = chain.head
  const runtime = await chain.runtimeAt(number)
  const argument: Hex = `${hexOf(Uint8Array.of(EXTERNAL))}${extrinsic.slice(2)}${hash.slice(2)}`
  const answer = await runtime
    .run([{ method: 'TaggedTransactionQueue_validate_transaction', argument }], chain.viewAt(number))
    .catch((cause: unknown) => {
      if (!(cause instanceof RuntimeTrap)) throw cause
      throw ExtrinsicRefused.by({ kind: 'trap', reason: '', detail: cause.message })
    })
  const validity: TransactionValidity = runtime.registry.createType('TransactionValidity', bytesOf(answer.result))
  if (validity.isErr) throw ExtrinsicRefused.by(refusalBy(validity.asErr))
}
