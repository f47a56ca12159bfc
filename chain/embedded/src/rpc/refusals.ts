import { RpcError } from './errors.js'

const PROOFS = 'the embedded ledger gives no proofs, its state roots are not those of a trie: ask a node of the network'
const KEYS = 'the keys of a ledger are in its key file and nowhere else'
const PAGES = 'state is not given at once: page through state_getKeysPaged, and read with state_queryStorageAt'
const NO_CHILDREN = 'this chain has no child tries'
const BLOCKS = 'blocks are made of signed extrinsics and of nothing else: fork the ledger to try things'

/** The methods that other nodes have and this one lacks on purpose, by name or by its beginning, with the reason. */
const REASONS: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^(state_getReadProof|state_getChildReadProof|chain_getReadProof|archive_.*[pP]roof.*)$/, PROOFS],
  [/^(state_getPairs|state_getKeys|state_queryStorage)$/, PAGES],
  [/^childstate_/, NO_CHILDREN],
  [/^author_(insertKey|rotateKeys|rotateKeysWithOwner|hasKey|hasSessionKeys)$/, KEYS],
  [/^(dev|engine)_/, BLOCKS],
]

/** Makes the error for a method that does not exist. */
export function unavailable(method: string): RpcError {
  const reason = REASONS.find(([name]) => name.test(method))?.[1]
  return new RpcError(-32601, reason ? `Method not available: ${method}: ${reason}` : `Method not found: ${method}`)
}

/** Makes the error for a submission at a door that is for readers. */
export const readOnly = (method: string): RpcError =>
  new RpcError(
    -32601,
    `Method not available: ${method}: this door is for readers, and the operator's own processes write`,
  )
