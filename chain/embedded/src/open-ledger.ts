import type { ProducerEvents } from './blocks/producer.js'
import { keyPair, keysFromFile, type LedgerKeys, requireKeysOf } from './keys.js'
import { type Clock, Ledger } from './ledger.js'
import type { ReportError } from './rpc/errors.js'
import { startRpcServer } from './rpc/server.js'
import { artifactCode } from './runtime/artifact.js'
import { makeGenesis } from './runtime/genesis.js'
import { CODE_KEY } from './runtime/runtime.js'
import { PostgresStore } from './store/postgres-store.js'
import type { Hex } from './store/store.js'
import { upgradeRuntime } from './upgrade.js'

export interface LedgerOptions {
  readonly databaseUrl: string
  /** SS58 addresses that can pay fees from the start. They count only when the chain is made. */
  readonly feeAccounts?: readonly string[]
  /** A file of mode 0600, made when missing; or the keys themselves. */
  readonly keys: { readonly file: string } | LedgerKeys
  readonly host?: string
  /** 0 takes any free port. */
  readonly port?: number
  /** The web pages that may speak to it; none by default. */
  readonly allowedOrigins?: readonly string[]
  /** The token. A process whose ledger URL has it as the path always gets in. */
  readonly ownToken?: string | undefined
  /** True where only a process that has the token submits extrinsics: others read. */
  readonly isReadOnly?: boolean
  readonly clock?: Clock
  /** The runtime, where it is another one than this software brings. */
  readonly code?: Hex
  readonly onProduced?: ProducerEvents['onProduced']
  /** Called when the ledger cannot go on and must be opened anew. */
  readonly onFatal?: (cause: unknown) => void
  readonly onError?: ReportError
}

export interface OpenLedger {
  /** The address ws://host:port; HTTP is served on the same port. */
  readonly url: string
  readonly genesisHash: Hex
  readonly ledger: Ledger
  /** The runtime version before an upgrade at this start. */
  readonly upgradedFrom: number | undefined
  close(): Promise<void>
}

/** Opens the chain of a database, makes it where there is none, and serves it. */
export async function openLedger(options: LedgerOptions): Promise<OpenLedger> {
  const onFatal = options.onFatal ?? crash
  const store = await PostgresStore.open(options.databaseUrl, onFatal)
  let ledger: Ledger | undefined
  try {
    const code = options.code ?? (await artifactCode())
    const isNew = !(await store.head())
    const keys = 'file' in options.keys ? await keysFromFile(options.keys.file, isNew) : options.keys
    if (isNew) await storeGenesis(store, code, keys, options.feeAccounts ?? [])
    if ('file' in options.keys) await requireKeysOf(store, options.keys.file, keys)
    const { onProduced } = options
    ledger = await Ledger.over(store, options.clock ?? Date.now, onProduced ? { onProduced, onFatal } : { onFatal })
    await refuseWhenBehind(store)
    const upgradedFrom = await upgradeRuntime(ledger, code, keys.sudo)
    ledger.chain.warmUp()
    return { ...(await serve(ledger, options)), upgradedFrom }
  } catch (cause) {
    await (ledger ?? store).close()
    throw cause
  }
}

async function serve(opened: Ledger, options: LedgerOptions) {
  const { host = '127.0.0.1', port = 0, allowedOrigins: origins, ownToken, isReadOnly } = options
  const server = await startRpcServer(
    opened,
    { host, port, origins, ownToken, isReadOnly },
    options.onError ?? (() => {}),
  )
  return {
    url: server.url,
    genesisHash: opened.genesisHash,
    ledger: opened,
    close: async () => {
      await server.close()
      await opened.close()
    },
  }
}

async function storeGenesis(
  store: PostgresStore,
  code: Hex,
  keys: LedgerKeys,
  feeAccounts: readonly string[],
): Promise<void> {
  const [sudo, aura] = [(await keyPair(keys.sudo)).address, (await keyPair(keys.aura)).address]
  const genesis = await makeGenesis(code, { sudo, aura, endowed: [sudo, ...feeAccounts] })
  if (!genesis.state.has(CODE_KEY)) throw new Error('the genesis has no runtime')
  await store.append(genesis.block, genesis.state)
}

/**
 * Refuses a chain whose followers have seen blocks that it lacks: it was restored from an older copy, or is another
 * chain.
 */
async function refuseWhenBehind(store: PostgresStore): Promise<void> {
  for (const { who, number, hash } of await store.seenElsewhere()) {
    const block = await store.blockAt(number)
    if (block && (hash === undefined || hash === block.hash)) continue
    const what = block ? 'another block' : 'a block'
    throw new Error(
      `the ${who} has seen ${what} ${number} that this ledger does not have: restore the ledger's tables of that time, or make the ${who}'s anew`,
    )
  }
}

function crash(cause: unknown): void {
  throw cause
}
