/** The connection to the ledger: JSON-RPC over one WebSocket that comes back by itself. */
import type { Hex as HexText, ViewCall } from '@accredit/chain'
import { WsProvider } from '@polkadot/rpc-provider/ws'
import type { FastifyBaseLogger } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { SignerError } from '../errors.js'
import { bytesOf } from '../wire.js'

const Hex = Type.String({ pattern: '^0x[0-9a-f]*$' })
/** The bytes, as those who decode them take them. */
const Answer = Type.Unsafe<HexText>(Hex)
const Header = Type.Object({ number: Type.String({ pattern: '^0x[0-9a-f]+$' }), parentHash: Hex })
const SignedBlock = Type.Object({ block: Type.Object({ header: Header, extrinsics: Type.Array(Hex) }) })
const RuntimeVersion = Type.Object({ specVersion: Type.Integer(), transactionVersion: Type.Integer() })
const ChangeSets = Type.Array(Type.Object({ changes: Type.Array(Type.Tuple([Hex, Type.Union([Hex, Type.Null()])])) }))
export type RuntimeVersion = Static<typeof RuntimeVersion>

export interface BlockRef {
  height: number
  hash: string
}

export interface Ledger {
  genesisHash(): Promise<string>
  finalHead(): Promise<BlockRef>
  bestHead(): Promise<BlockRef>
  hashAt(height: number): Promise<string | undefined>
  extrinsicsOf(hash: string): Promise<Buffer[]>
  /** Returns storage values, in the order of the keys, at a block or at the best head. */
  read(keys: string[], at?: string): Promise<(string | undefined)[]>
  /** Calls a function of the runtime, at a block. */
  ask<Answer>(question: ViewCall<Answer>, at: string): Promise<Answer>
  runtimeVersion(at?: string): Promise<RuntimeVersion>
  metadata(): Promise<string>
  /** Resolves when the ledger has it; throws `ExtrinsicRejected` when it does not take it. */
  submit(extrinsic: Buffer): Promise<void>
  /** Called with the height of each new head, and of the head there is at once and after every connection. */
  follow(which: 'final' | 'best', onHead: (height: number) => void): Promise<void>
  /** Called with the runtime's spec version, at once and when it changes. */
  followRuntime(onVersion: (specVersion: number) => void): Promise<void>
  onConnected(listener: () => void): void
  readonly isConnected: boolean
  close(): Promise<void>
}

/** The reason in the answer of a node's transaction pool. */
export type Rejection = 'known' | 'stale' | 'poor' | 'too-heavy' | 'bad-proof' | 'later'

export class ExtrinsicRejected extends Error {
  override readonly name = 'ExtrinsicRejected'
  constructor(
    readonly rejection: Rejection,
    message: string,
  ) {
    super(message)
  }
}

const reconnectMs = 250
const requestTimeoutMs = 60_000

export async function openLedger(url: string, log: FastifyBaseLogger): Promise<Ledger> {
  const { provider, close } = await connect(url, log)

  async function ask<Shape extends TSchema>(shape: Shape, method: string, params: unknown[]): Promise<Static<Shape>> {
    let answer: unknown
    try {
      answer = await provider.send(method, params)
    } catch (cause) {
      throw new SignerError(503, 'ledger_unavailable', `The ledger did not answer ${method}.`, { cause })
    }
    if (!Check(shape, answer)) throw new SignerError(503, 'ledger_unavailable', `The ledger answered ${method} oddly.`)
    return answer
  }

  async function refOf(hash: string): Promise<BlockRef> {
    const header = await ask(Header, 'chain_getHeader', [hash])
    return { height: Number(header.number), hash }
  }

  return {
    genesisHash: () => ask(Hex, 'chain_getBlockHash', [0]),
    finalHead: async () => refOf(await ask(Hex, 'chain_getFinalizedHead', [])),
    bestHead: async () => refOf(await ask(Hex, 'chain_getBlockHash', [])),
    hashAt: async (height) => (await ask(Type.Union([Hex, Type.Null()]), 'chain_getBlockHash', [height])) ?? undefined,
    async extrinsicsOf(hash) {
      const { block } = await ask(SignedBlock, 'chain_getBlock', [hash])
      return block.extrinsics.map(bytesOf)
    },
    async read(keys, at) {
      if (keys.length === 0) return []
      const sets = await ask(ChangeSets, 'state_queryStorageAt', at === undefined ? [keys] : [keys, at])
      const values = new Map(sets.flatMap(({ changes }) => changes))
      return keys.map((key) => values.get(key) ?? undefined)
    },
    ask: async ({ method, params, decode }, at) => decode(await ask(Answer, method, [...params, at])),
    runtimeVersion: (at) => ask(RuntimeVersion, 'state_getRuntimeVersion', at === undefined ? [] : [at]),
    metadata: () => ask(Hex, 'state_getMetadata', []),
    async submit(extrinsic) {
      try {
        await provider.send('author_submitExtrinsic', [`0x${extrinsic.toString('hex')}`])
      } catch (error) {
        throw rejectionOf(error)
      }
    },
    async follow(which, onHead) {
      const [type, method] = which === 'final' ? finalHeads : newHeads
      await provider.subscribe(type, method, [], (_error: unknown, header: unknown) => {
        if (Check(Header, header)) onHead(Number(header.number))
      })
    },
    async followRuntime(onVersion) {
      const [type, method] = runtimeVersions
      await provider.subscribe(type, method, [], (_error: unknown, version: unknown) => {
        if (Check(RuntimeVersion, version)) onVersion(version.specVersion)
      })
    },
    onConnected(listener) {
      provider.on('connected', listener)
    },
    get isConnected() {
      return provider.isConnected
    },
    close,
  }
}

interface Connection {
  provider: WsProvider
  close(): Promise<void>
}

/** The reconnection is our own: the provider's writes a line for every attempt. */
async function connect(url: string, log: FastifyBaseLogger): Promise<Connection> {
  const provider = new WsProvider(url, false, {}, requestTimeoutMs)
  let wasConnected = false
  let isClosed = false
  provider.on('connected', () => {
    wasConnected = true
  })
  provider.on('disconnected', () => {
    if (isClosed) return
    if (wasConnected) log.warn('The connection to the ledger is gone.')
    wasConnected = false
    setTimeout(() => provider.connect().catch(() => undefined), reconnectMs).unref()
  })
  provider.on('error', () => undefined)
  await provider.connect()
  await provider.isReady
  return {
    provider,
    close() {
      isClosed = true
      return provider.disconnect()
    },
  }
}

const finalHeads = ['chain_finalizedHead', 'chain_subscribeFinalizedHeads'] as const
const runtimeVersions = ['state_runtimeVersion', 'state_subscribeRuntimeVersion'] as const
const newHeads = ['chain_newHead', 'chain_subscribeNewHeads'] as const

/** The reasons are told by the codes and words of Substrate's transaction pool. */
function rejectionOf(error: unknown): ExtrinsicRejected {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Error && 'code' in error ? Number(error.code) : 0
  return new ExtrinsicRejected(classify(code, message), message)
}

function classify(code: number, message: string): Rejection {
  if (code === 1012 || code === 1013) return 'known'
  if (code !== 1010) return 'later'
  if (/outdated/i.test(message)) return 'stale'
  if (/inability to pay/i.test(message)) return 'poor'
  if (/exhaust/i.test(message)) return 'too-heavy'
  if (/bad signature/i.test(message)) return 'bad-proof'
  return 'later'
}
