import type { Codec } from './codec.js'
import { SignerError } from './errors.js'
import type { BlockRef, Ledger } from './ledger.js'
import type { Validity } from './validity.js'
import type { ChainStatus } from './wire.js'

interface Runtime {
  readonly codec: Codec
  readonly validity: Pick<Validity, 'now'>
}

/** What callers may know of the ledger, who have no connection of their own. */
export interface StatusBoard {
  use(ledger: Ledger, runtime: Runtime): void
  /** The ledger with its present runtime and its time; throws while there is none. */
  reached(): { ledger: Ledger } & Runtime
  read(): Promise<ChainStatus>
  readonly isOnline: boolean
}

export function openChainStatus(): StatusBoard {
  let source: { ledger: Ledger; runtime: Runtime } | undefined
  function reached() {
    if (source === undefined) throw new SignerError(503, 'ledger_unavailable', 'The ledger is not reached yet.')
    const { codec, validity } = source.runtime
    return { ledger: source.ledger, codec, validity }
  }

  return {
    use(ledger, runtime) {
      source = { ledger, runtime }
    },
    get isOnline() {
      return source?.ledger.isConnected === true
    },
    reached,
    async read() {
      const { ledger, codec } = reached()
      const [genesisHash, best, final] = await Promise.all([
        ledger.genesisHash(),
        ledger.bestHead(),
        ledger.finalHead(),
      ])
      const [bestTime, finalTime] = await Promise.all([timeOf(ledger, codec, best), timeOf(ledger, codec, final)])
      const { specVersion, transactionVersion } = codec
      return {
        genesisHash,
        specVersion,
        transactionVersion,
        best: { ...best, time: bestTime },
        final: { ...final, time: finalTime },
      }
    },
  }
}

async function timeOf(ledger: Ledger, codec: Codec, { hash }: BlockRef): Promise<number> {
  const [now] = await ledger.read([codec.keys.now], hash)
  return codec.moment(now)
}
