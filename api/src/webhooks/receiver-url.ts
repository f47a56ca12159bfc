import { ApiError, invalid } from '../platform/errors.js'
import type { Context } from '../platform/http/context.js'
import { FetchRefused } from '../platform/security/guarded-fetch.js'

/** @throws 400 for a URL that nothing will be sent to */
export async function requireReceiver({ guardedPost, rest }: Pick<Context, 'guardedPost' | 'rest'>, url: string) {
  await rest(() => guardedPost.check(url)).catch((error: unknown) => {
    if (error instanceof FetchRefused)
      throw invalid(`url: nothing can be sent there: ${error.message}`, { field: 'url' })
    throw error
  })
}

export const tooMany = (): ApiError => new ApiError('too_many', 'A team has at most 100 web hooks')
