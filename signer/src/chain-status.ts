import type { Codec } from './codec.js'
import { SignerError } from './errors.js'
import type { BlockRef, Ledger } from './ledger.js'
import type { ChainStatus } from './wire.js'

/** What callers may know of the ledger, who have no connection of their own. */
export interface StatusBoard {
  use(ledger: Ledger, codec: () => Codec): void
  read(): Promise<ChainStatus>
  readonly isOnline: boolean
}

export function openChainStatus(): StatusBoard {
  let source: { ledger: Ledger; codec: () => Codec } | undefined
  return {
    use(ledger, codec) {
      source = { ledger, codec }
    },
    get isOnline() {
      return source?.ledger.isConnected === true
    },
    async read() {
      if (source === undefined) throw new SignerError(503, 'ledger_unavailable', 'The ledger is not reached yet.')
      const { ledger } = source
      const codec = source.codec()
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
