import type { FormatTools } from '../../formats/credential-format.js'
import { FormatError } from '../../formats/format-error.js'
import type { Context } from '../../platform/http/context.js'
import { contextsOf, type Documents } from './hosted.js'

/** Returns the tools of formats, for one team. A canonical form fails when a context cannot be loaded. */
export const documentTools = (
  { canonicalHashes, team }: Pick<Context, 'canonicalHashes' | 'team'>,
  documents: Documents,
): FormatTools => ({
  async hashWith(named) {
    try {
      const { contexts, missing } = await contextsOf(documents, ...named)
      const [first] = missing
      if (first === undefined) return canonicalHashes.of(`team ${team}`, contexts)
      const [url, reason] = first
      throw new FormatError('unknown_context', `the context ${url.slice(0, 200)} is not available: ${reason}`)
    } catch (error) {
      if (error instanceof FormatError) return () => Promise.reject(error)
      throw error
    }
  },
})
