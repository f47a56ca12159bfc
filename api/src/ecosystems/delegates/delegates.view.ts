import type { Did } from '@accredit/chain'
import type { Context } from '../../platform/http/context.js'
import { entityTag } from '../../platform/http/entity-tag.js'

/** Names the list that is answered, for If-Match. */
export function taggedDelegates(ctx: Context, delegates: readonly Did[]): { delegates: Did[] } {
  const answer = { delegates: [...delegates] }
  ctx.reply.header('ETag', entityTag(answer))
  return answer
}
