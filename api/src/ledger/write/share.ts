import type { TeamId } from '../../platform/database/ids.js'
import type { AnyContext } from '../../platform/http/context.js'
import { networkOf } from '../../platform/security/client-address.js'

/**
 * Returns the name under which the signer counts a team's turns: it is the same for all actions of a team, and does not
 * tell which team that is.
 */
export const shareOf = ({ deriveKey }: Pick<AnyContext, 'deriveKey'>, team: TeamId): string =>
  deriveKey(`share-of-team-${team}`).toString('hex', 0, 16)

/** Returns such a name of a caller without a key: the network of its address, which it does not tell either. */
export const shareOfNetwork = (ctx: Pick<AnyContext, 'deriveKey' | 'address'>): string =>
  ctx.deriveKey(`share-of-network-${networkOf(ctx)}`).toString('hex', 0, 16)
