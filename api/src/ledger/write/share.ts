import type { TeamId } from '../../platform/database/ids.js'
import type { AnyContext } from '../../platform/http/context.js'

/**
 * What the signer goes by when it lets everybody have their turn: the same for all that a team asks for, and nothing that
 * tells the team.
 */
export const shareOf = ({ deriveKey }: Pick<AnyContext, 'deriveKey'>, team: TeamId): string =>
  deriveKey(`share-of-team-${team}`).toString('hex', 0, 16)
