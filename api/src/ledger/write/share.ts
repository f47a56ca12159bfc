import type { TeamId } from '../../platform/database/ids.js'
import type { AnyContext } from '../../platform/http/context.js'

/**
 * The name under which the signer lets everybody have their turn: it is the same for all that a team asks for, and does
 * not tell which team that is.
 */
export const shareOf = ({ deriveKey }: Pick<AnyContext, 'deriveKey'>, team: TeamId): string =>
  deriveKey(`share-of-team-${team}`).toString('hex', 0, 16)
