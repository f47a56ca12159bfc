import { type HeaderJson, readHeader } from '../runtime/header.js'
import type { Hex, StoredBlock } from '../store/store.js'
import { invalidParams } from './errors.js'
import { numberOf, optionalHashParam, textParam } from './params.js'
import type { LedgerContext, Method, RpcSession } from './session.js'

const MOST_HASHES = 1_000

async function getBlockHash(ledger: LedgerContext, params: readonly unknown[]): Promise<unknown> {
  const [wanted] = params
  if (wanted === undefined || wanted === null) return ledger.chain.head.hash
  if (!Array.isArray(wanted)) return hashAt(ledger, numberOf(wanted))
  if (wanted.length > MOST_HASHES) throw invalidParams(`at most ${MOST_HASHES} numbers are answered`)
  return Promise.all(wanted.map((number) => hashAt(ledger, numberOf(number))))
}

async function hashAt({ chain }: LedgerContext, number: number): Promise<Hex | null> {
  return (await chain.blockAt(number))?.hash ?? null
}

/** Returns the block of a hash; without a hash the head. */
async function findBlock({ chain }: LedgerContext, hash: Hex | undefined): Promise<StoredBlock | undefined> {
  return hash === undefined || hash === chain.head.hash ? chain.head : chain.blockOf(hash)
}

async function getHeader(ledger: LedgerContext, params: readonly unknown[]): Promise<HeaderJson | null> {
  const block = await findBlock(ledger, optionalHashParam(params, 0))
  return block ? readHeader(block.header) : null
}

async function getBlock(ledger: LedgerContext, params: readonly unknown[]): Promise<unknown> {
  const block = await findBlock(ledger, optionalHashParam(params, 0))
  if (!block) return null
  return { block: { header: readHeader(block.header), extrinsics: block.extrinsics }, justifications: null }
}

/** Every block is final when it is made, so that heads of all three kinds are the same. */
function subscribeHeads(type: string): Method {
  return async ({ chain }, _params, session) =>
    session.subscribe(type, (send) => {
      send(readHeader(chain.head.header))
      return chain.onBlock((block) => send(readHeader(block.header)))
    })
}

async function unsubscribe(_ledger: LedgerContext, params: readonly unknown[], session: RpcSession): Promise<boolean> {
  return session.unsubscribe(textParam(params, 0))
}

export const endSubscription: Method = unsubscribe
export { findBlock }

export const chainMethods: Readonly<Record<string, Method>> = {
  chain_getBlockHash: getBlockHash,
  chain_getHead: getBlockHash,
  chain_getFinalizedHead: async ({ chain }) => chain.head.hash,
  chain_getFinalisedHead: async ({ chain }) => chain.head.hash,
  chain_getHeader: getHeader,
  chain_getBlock: getBlock,
  chain_subscribeNewHeads: subscribeHeads('chain_newHead'),
  chain_subscribeNewHead: subscribeHeads('chain_newHead'),
  chain_subscribeAllHeads: subscribeHeads('chain_allHead'),
  chain_subscribeFinalizedHeads: subscribeHeads('chain_finalizedHead'),
  chain_unsubscribeNewHeads: unsubscribe,
  chain_unsubscribeNewHead: unsubscribe,
  chain_unsubscribeAllHeads: unsubscribe,
  chain_unsubscribeFinalizedHeads: unsubscribe,
}
