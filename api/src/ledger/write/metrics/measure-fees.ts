import { Gauge, type Registry } from 'prom-client'
import { within } from '../../../platform/process/deadline.js'
import type { SignerDoor } from '../signer-door.js'

type Services = { readonly signer: Pick<SignerDoor, 'chainStatus'> }

const ASK_MS = 2000

/** Metrics of the account that pays for writing, as the signer tells them; NaN without an answer. */
export function measureFees(registry: Registry, services: Services): void {
  let asked: Promise<Fees> | undefined
  const ask = () => {
    asked ??= fees(services).finally(() => {
      asked = undefined
    })
    return asked
  }
  const gauge = (name: string, help: string, value: (fees: Fees) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(value(await ask()))
      },
    })
  gauge('accredit_fee_account_poor', '1 while the fee account cannot pay and writes wait', ({ poor }) => poor)
  gauge('accredit_fee_account_balance', 'In the smallest unit of the chain', ({ balance }) => balance)
  gauge('accredit_ledger_actions_waiting', 'Actions that are in no block yet', ({ waiting }) => waiting)
}

interface Fees {
  poor: number
  balance: number
  waiting: number
}

/** A scrape does not wait for a signer that does not answer. */
async function fees(services: Services): Promise<Fees> {
  const status = await within(ASK_MS, async () => services.signer.chainStatus()).catch(() => undefined)
  if (status === undefined) return { poor: Number.NaN, balance: Number.NaN, waiting: Number.NaN }
  const { isPoor, balance, waitingActions } = status.fees
  return { poor: Number(isPoor), balance: Number(balance), waiting: waitingActions }
}
