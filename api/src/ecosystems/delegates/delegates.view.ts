import type { Did } from '@accredit/chain'
import { entityTag } from '../../platform/http/caching/entity-tag.js'
import type { Context } from '../../platform/http/context.js'

/** Names the list that is answered, for If-Match. */
export function taggedDelegates(ctx: Context, delegates: readonly Did[]): { delegates: Did[] } {
  const answer = { delegates: [...delegates] }
  ctx.reply.header('ETag', entityTag(answer))
  return answer
}
