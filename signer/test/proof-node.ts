/** JSON-RPC of a node, over WebSocket and HTTP, whose chain is a test network: true headers, roots, proofs and signatures. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import { bytesOf, type Hex } from '../../chain/client/src/proof/bytes.js'
import { StateProof } from '../../chain/client/src/proof/state-proof.js'
import { headerJson } from '../../chain/client/src/proof/testing/runtime-types.js'
import type { TestBlock, TestNetwork } from '../../chain/client/src/proof/testing/test-network.js'
import { listening, type ServedNode } from './listening.js'

// biome-ignore lint/suspicious/noExplicitAny: each method takes what JSON brings as its own parameters
type Answer = (...params: any[]) => unknown

/** Serves the blocks up to `final`. Only those in `justifications` have one of their own. */
export async function serveNode(
  network: TestNetwork,
  justifications: ReadonlyMap<Hex, Hex>,
  final: TestBlock,
): Promise<ServedNode> {
  const named = (hash: Hex) => network.blocks.find((block) => block.hash === hash)
  const at = (hash: Hex): TestBlock => named(hash) ?? network.genesis
  const headerOf = (hash: Hex) => {
    const block = named(hash)
    return block ? headerJson(block.header) : null
  }
  const answers: Readonly<Record<string, Answer>> = {
    chain_getBlockHash: (number: number = final.number) => network.blocks[number]?.hash ?? null,
    chain_getFinalizedHead: () => final.hash,
    chain_getHeader: (hash: Hex) => headerOf(hash),
    chain_getBlock: (hash: Hex) => ({
      block: { header: headerOf(hash), extrinsics: [] },
      justifications: justificationsOf(justifications.get(hash)),
    }),
    state_getStorage: (key: Hex, hash: Hex) => at(hash).state.get(key) ?? null,
    state_queryStorageAt: (keys: readonly Hex[], hash: Hex) => [
      { block: hash, changes: keys.map((key) => [key, at(hash).state.get(key) ?? null]) },
    ],
    state_getKeysPaged: (prefix: Hex, count: number, start: Hex | null, hash: Hex) =>
      [...at(hash).state.keys()]
        .filter((key) => key.startsWith(prefix) && key > (start ?? ''))
        .sort()
        .slice(0, count),
    state_getReadProof: (keys: readonly Hex[], hash: Hex) => ({
      at: hash,
      proof: proofOf(at(hash), keys),
    }),
  }
  const answered = (body: string): string => {
    const { id, method, params } = JSON.parse(body)
    const answer = answers[method]
    const result = answer
      ? { result: answer(...params) }
      : { error: { code: -32601, message: `Method not found: ${method}` } }
    return JSON.stringify({ jsonrpc: '2.0', id, ...result })
  }
  const server = createServer(async (request, response) => response.end(answered(await text(request))))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(answered(String(data)))))
  return listening(server, sockets)
}

/** Substrate's JSON of justifications: bytes as lists of numbers. */
function justificationsOf(justification: Hex | undefined) {
  return justification ? [[[...Buffer.from('FRNK')], [...bytesOf(justification)]]] : null
}

/** Collects the nodes that reading these keys comes through, and no others. */
function proofOf({ header, nodes }: TestBlock, keys: readonly Hex[]): Hex[] {
  const proof = new StateProof(bytesOf(headerJson(header).stateRoot), nodes, 'the state')
  for (const key of keys) proof.value(bytesOf(key))
  return proof.usedNodes()
}
