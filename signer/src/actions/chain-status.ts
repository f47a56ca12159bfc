import { SignerError } from '../errors.js'
import type { ChainStatus } from '../wire.js'
import type { Codec } from './codec.js'
import type { BlockRef, Ledger } from './ledger.js'
import type { Validity } from './validity.js'

/** The ledger with its present runtime and its time. */
interface Reached {
  readonly ledger: Ledger
  readonly codec: Codec
  readonly validity: Pick<Validity, 'now'>
}

interface StatusSource extends Reached {
  readonly isPoor: boolean
  balance(): Promise<bigint>
  waitingActions(): Promise<number>
}

/** The state of the ledger for callers, which have no connection of their own. */
export interface StatusBoard {
  use(source: StatusSource): void
  /** Throws while there is no ledger. */
  reached(): Reached
  read(): Promise<ChainStatus>
  readonly isOnline: boolean
}

export function openChainStatus(): StatusBoard {
  let source: StatusSource | undefined
  function reached() {
    if (source === undefined) throw new SignerError(503, 'ledger_unavailable', 'The ledger is not reached yet.')
    return source
  }

  return {
    use(given) {
      source = given
    },
    get isOnline() {
      return source?.ledger.isConnected === true
    },
    reached,
    async read() {
      const current = reached()
      const { ledger, codec, isPoor } = current
      const [genesisHash, best, final, balance, waitingActions] = await Promise.all([
        ledger.genesisHash(),
        ledger.bestHead(),
        ledger.finalHead(),
        current.balance(),
        current.waitingActions(),
      ])
      const [bestTime, finalTime] = await Promise.all([timeOf(ledger, codec, best), timeOf(ledger, codec, final)])
      const { specVersion, transactionVersion } = codec
      return {
        genesisHash,
        specVersion,
        transactionVersion,
        best: { ...best, time: bestTime },
        final: { ...final, time: finalTime },
        fees: { isPoor, balance: balance.toString(), waitingActions },
      }
    },
  }
}

async function timeOf(ledger: Ledger, codec: Codec, { hash }: BlockRef): Promise<number> {
  const [now] = await ledger.read([codec.keys.now], hash)
  return codec.moment(now)
}
