import { authorMethods } from './author-methods.js'
import { chainMethods } from './chain-methods.js'
import { paymentMethods } from './payment-methods.js'
import type { Method } from './session.js'
import { stateMethods } from './state-methods.js'

export const LEDGER_NAME = 'accredit-ledger'
const CHAIN_NAME = 'Accredit embedded'

const systemMethods: Readonly<Record<string, Method>> = {
  system_name: async () => LEDGER_NAME,
  system_version: async () => '0.1.0',
  system_chain: async () => CHAIN_NAME,
  system_chainType: async () => 'Local',
  system_properties: async () => ({ ss58Format: 42 }),
  system_health: async () => ({ peers: 0, isSyncing: false, shouldHavePeers: false }),
  system_nodeRoles: async () => ['Authority'],
  system_peers: async () => [],
  system_syncState: async ({ chain }) => {
    const { number } = chain.head
    return { startingBlock: 0, currentBlock: number, highestBlock: number }
  },
}

/**
 * Every method there is. Only a signed extrinsic changes the chain, and no method gives proofs: the state roots of an
 * embedded ledger are not those of a real trie.
 */
export const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...authorMethods,
    ...chainMethods,
    ...paymentMethods,
    ...stateMethods,
    ...systemMethods,
    rpc_methods: async () => ({ methods: [...methods.keys()].sort() }),
  }),
)
