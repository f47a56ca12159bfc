/** The signer's questions to the ledger, by the JSON-RPC of its nodes. */
import { type Hex as HexText, hexOf, type ViewCall } from '@accredit/chain'
import { encodeHeader } from '@accredit/chain/proof'
import type { FastifyBaseLogger } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { SignerError } from '../errors.js'
import { bytesOf } from '../wire.js'
import { type ConnectionNeeds, openConnection } from './connection.js'

const Hex = Type.String({ pattern: '^0x[0-9a-f]*$' })
/** The bytes, as those who decode them take them. */
const Answer = Type.Unsafe<HexText>(Hex)
const Header = Type.Object({ number: Type.String({ pattern: '^0x[0-9a-f]+$' }), parentHash: Hex })
const WholeHeader = Type.Object({
  parentHash: Answer,
  number: Type.Unsafe<HexText>(Header.properties.number),
  stateRoot: Answer,
  extrinsicsRoot: Answer,
  digest: Type.Object({ logs: Type.Array(Answer) }),
})
const Bytes = Type.Array(Type.Integer({ minimum: 0, maximum: 255 }))
/** The justifications of a block, by the name of the engine that made it final. */
const Justified = Type.Object({ justifications: Type.Union([Type.Array(Type.Tuple([Bytes, Bytes])), Type.Null()]) })
const ReadProof = Type.Object({ proof: Type.Array(Answer) })
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
  /** Returns the height of a block; undefined for a hash of none. */
  heightOf(hash: string): Promise<number | undefined>
  extrinsicsOf(hash: string): Promise<Buffer[]>
  /** Returns storage values, in the order of the keys, at a block or at the best head. */
  read(keys: string[], at?: string): Promise<(string | undefined)[]>
  /** Returns all storage keys that begin with some bytes, at a block. */
  keysUnder(prefix: HexText, at: string): Promise<HexText[]>
  /** Returns the header in SCALE. */
  headerOf(hash: string): Promise<HexText>
  /** Returns the GRANDPA justification that a block has of its own. */
  justificationOf(hash: string): Promise<HexText | undefined>
  /** Returns the nodes of a block's state that prove these keys. Throws `ProofsNotAvailable` where there are none. */
  readProof(keys: readonly HexText[], at: string): Promise<HexText[]>
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

/** A ledger that gives no proofs: the embedded one, and nodes that do not serve the method. */
export class ProofsNotAvailable extends SignerError {
  constructor(reason: string) {
    super(501, 'proofs_not_available', reason)
  }
}

/** The code of JSON-RPC for a method that is not there. */
const METHOD_NOT_FOUND = -32601
const KEYS_OF_A_PAGE = 1_000
const GRANDPA = 'FRNK'

export async function openLedger(
  urls: readonly string[],
  log: FastifyBaseLogger,
  known: Pick<ConnectionNeeds, 'genesisHash' | 'newestRead' | 'stallMs'> = {},
): Promise<Ledger> {
  const connection = await openConnection({ urls, log, ...known })

  async function ask<Shape extends TSchema>(shape: Shape, method: string, params: unknown[]): Promise<Static<Shape>> {
    let answer: unknown
    try {
      answer = await connection.send(method, params)
    } catch (cause) {
      throw new SignerError(503, 'ledger_unavailable', `The ledger did not answer ${method}.`, { cause })
    }
    if (!Check(shape, answer)) throw new SignerError(503, 'ledger_unavailable', `The ledger answered ${method} oddly.`)
    return answer
  }

  const finalHeader = async () =>
    connection.send('chain_getHeader', [await connection.send('chain_getFinalizedHead', [])])

  async function refOf(hash: string): Promise<BlockRef> {
    const header = await ask(Header, 'chain_getHeader', [hash])
    return { height: Number(header.number), hash }
  }

  return {
    genesisHash: () => ask(Hex, 'chain_getBlockHash', [0]),
    finalHead: async () => refOf(await ask(Hex, 'chain_getFinalizedHead', [])),
    bestHead: async () => refOf(await ask(Hex, 'chain_getBlockHash', [])),
    hashAt: async (height) => (await ask(Type.Union([Hex, Type.Null()]), 'chain_getBlockHash', [height])) ?? undefined,
    async heightOf(hash) {
      const header = await ask(Type.Union([Header, Type.Null()]), 'chain_getHeader', [hash])
      return header === null ? undefined : Number(header.number)
    },
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
    async keysUnder(prefix, at) {
      const keys: HexText[] = []
      for (let page: HexText[] = []; keys.length === 0 || page.length === KEYS_OF_A_PAGE; ) {
        page = await ask(Type.Array(Answer), 'state_getKeysPaged', [prefix, KEYS_OF_A_PAGE, keys.at(-1) ?? null, at])
        keys.push(...page)
        if (page.length === 0) break
      }
      return keys
    },
    headerOf: async (hash) => encodeHeader(await ask(WholeHeader, 'chain_getHeader', [hash])),
    async justificationOf(hash) {
      const { justifications } = await ask(Justified, 'chain_getBlock', [hash])
      const own = justifications?.find(([engine]) => Buffer.from(engine).toString('latin1') === GRANDPA)
      return own && hexOf(Uint8Array.from(own[1]))
    },
    async readProof(keys, at) {
      try {
        return (await ask(ReadProof, 'state_getReadProof', [keys, at])).proof
      } catch (error) {
        throw lacksMethod(error) ? new ProofsNotAvailable(NO_PROOFS) : error
      }
    },
    ask: async ({ method, params, decode }, at) => decode(await ask(Answer, method, [...params, at])),
    runtimeVersion: (at) => ask(RuntimeVersion, 'state_getRuntimeVersion', at === undefined ? [] : [at]),
    metadata: () => ask(Hex, 'state_getMetadata', []),
    async submit(extrinsic) {
      try {
        await connection.send('author_submitExtrinsic', [`0x${extrinsic.toString('hex')}`])
      } catch (error) {
        throw rejectionOf(error)
      }
    },
    async follow(which, onHead) {
      const [type, method] = which === 'final' ? finalHeads : newHeads
      const isFinal = which === 'final'
      const tell = (header: unknown) => {
        if (isFinal) connection.moved()
        if (Check(Header, header)) onHead(Number(header.number))
      }
      // Another node may know less than the one before: whoever goes by its final head hears of that before asking it.
      if (isFinal)
        connection.beforeUse(async (send) =>
          tell(await send('chain_getHeader', [await send('chain_getFinalizedHead', [])])),
        )
      connection.onConnected(() => {
        const head = isFinal ? finalHeader() : connection.send('chain_getHeader', [])
        head.then(tell, () => undefined)
      })
      await connection.subscribe(type, method, tell)
    },
    async followRuntime(onVersion) {
      const [type, method] = runtimeVersions
      const tell = (version: unknown) => {
        if (Check(RuntimeVersion, version)) onVersion(version.specVersion)
      }
      connection.onConnected(() => void connection.send('state_getRuntimeVersion', []).then(tell, () => undefined))
      await connection.subscribe(type, method, tell)
    },
    onConnected: (listener) => connection.onConnected(listener),
    get isConnected() {
      return connection.isConnected
    },
    close: () => connection.close(),
  }
}

const NO_PROOFS =
  'This ledger gives no proofs: the state roots of an embedded ledger are not those of a trie, a network of validators has them.'

function lacksMethod(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === METHOD_NOT_FOUND
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
