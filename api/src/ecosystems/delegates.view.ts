import type { Did } from '@accredit/chain'
import type { Context } from '../platform/context.js'
import { entityTag } from '../platform/entity-tag.js'

/** Names the list that is answered, for If-Match. */
export function taggedDelegates(ctx: Context, delegates: readonly Did[]): { delegates: Did[] } {
  const answer = { delegates: [...delegates] }
  ctx.reply.header('ETag', entityTag(answer))
  return answer
}
