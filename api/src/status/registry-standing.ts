import { didKeyOf } from '@accredit/chain'
import { type Finding, passed, pending, unavailable } from '../formats/check.js'
import type { At } from '../ledger/read/at.js'
import type { RevocationRegistryState } from '../ledger/read/status-list.js'
import { findRegistry } from './registry.store.js'
import type { Asked, CheckingDoor } from './status-method.js'

/** A registry as an entry names it. */
export interface NamedRegistry {
  registryId: string
  /** The ledger that it is said to be of, where its name is a ledger identifier and not a URL of ours. */
  ledger?: string
}

/** Judges a credential whose bit is not set in our index. */
export function clear(named: NamedRegistry, registry: Pick<RevocationRegistryState, 'policy'>, asked: Asked): Finding {
  const { at, maxAgeMs } = asked
  if (!isOfThisLedger(named, asked) && !registry.policy.some((did) => asked.keepers.has(did)))
    return unavailable(`the registry ${named.registryId} of this ledger is not the issuer's: another one may be meant`)
  if (at.lagMs > maxAgeMs) return pending(`the index lags ${at.lagMs} ms behind the ledger`)
  return passed({ block: at.block })
}

/** The creator of a registry chooses its id, so that two ledgers may have the same one. A did:key may act on both. */
const isOfThisLedger = ({ ledger }: NamedRegistry, { issuer }: Asked): boolean =>
  ledger === undefined || (ledger === 'svc' && issuer !== undefined && didKeyOf(issuer) === undefined)

/** Returns why a registry that the index does not have cannot be asked. */
export async function missingRegistry({ db }: Pick<CheckingDoor, 'db'>, registryId: string, at: At): Promise<Finding> {
  const stored = await db.read('public', (reader) => findRegistry(reader, registryId))
  if (stored?.status === 'pending' && at.requested === undefined)
    return pending('its revocation registry is not on the ledger yet')
  return unavailable(`the ledger had no registry ${registryId} at block ${at.block}`)
}
