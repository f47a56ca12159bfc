import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import type { NodeState } from './network-state.js'

const TIMEOUT_MS = 5_000
/** The key of `Timestamp.Now`: the names of pallet and entry, each hashed with 128 bits of xxHash. */
const TIMESTAMP_KEY = '0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb'

const HexText = Type.String({ pattern: '^0x[0-9a-f]*$' })
const Header = Type.Object({ number: HexText, parentHash: HexText, stateRoot: HexText })
const Health = Type.Object({ peers: Type.Integer(), isSyncing: Type.Boolean() })
const Answer = Type.Object({ result: Type.Unknown() })
const Proof = Type.Object({ at: HexText, proof: Type.Array(HexText) })
const Bytes = Type.Array(Type.Integer({ minimum: 0, maximum: 255 }))
const Justification = Type.Tuple([Bytes, Bytes])
const SignedBlock = Type.Object({ justifications: Type.Union([Type.Null(), Type.Array(Justification)]) })

export interface Heads {
  best: number
  final: number
}

/** Asks a node over JSON-RPC. Each question fails when the node does not answer within five seconds. */
export function nodeRpc({ ports }: Pick<NodeState, 'ports'>) {
  const url = `http://127.0.0.1:${ports.rpc}`

  async function ask<Schema extends TSchema>(
    schema: Schema,
    method: string,
    ...params: unknown[]
  ): Promise<Static<Schema>> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const answer: unknown = await response.json()
    if (!Check(Answer, answer) || !Check(schema, answer.result))
      throw new Error(`${method} was answered ${JSON.stringify(answer)}`)
    return answer.result
  }

  const heightOf = async (...at: [hash?: string]) => Number((await ask(Header, 'chain_getHeader', ...at)).number)
  const finalHash = () => ask(HexText, 'chain_getFinalizedHead')

  return {
    finalHash,
    blockHash: (height: number) => ask(HexText, 'chain_getBlockHash', height),
    health: () => ask(Health, 'system_health'),
    /** The numbers of the best block and of the last final one. */
    heads: async (): Promise<Heads> => {
      const [best, final] = await Promise.all([heightOf(), finalHash().then((hash) => heightOf(hash))])
      return { best, final }
    },
    header: (hash: string) => ask(Header, 'chain_getHeader', hash),
    /** The time that a block says, in milliseconds since 1970; genesis says none. */
    timeOf: async (hash: string): Promise<number | undefined> => {
      const stored = await ask(Type.Union([HexText, Type.Null()]), 'state_getStorage', TIMESTAMP_KEY, hash)
      return stored === null ? undefined : Number(Buffer.from(stored.slice(2), 'hex').readBigUInt64LE())
    },
    /** The nodes of the state's trie from the root to a key: a proof of its value, or of its absence. */
    readProof: (keys: readonly string[], at: string) => ask(Proof, 'state_getReadProof', keys, at),
    /** The proofs that a block is final, each with the four letters of its consensus engine. */
    justifications: async (hash: string) => {
      const { justifications } = await ask(SignedBlock, 'chain_getBlock', hash)
      return (justifications ?? []).map(([engine, bytes]) => ({
        engine: String.fromCharCode(...engine),
        bytes: Uint8Array.from(bytes),
      }))
    },
  }
}
