/** The parameters of a request for a page. */
export interface Asked {
  /** A point of the past, as the reader wrote it; undefined: now. */
  at?: string | undefined
  search?: string | undefined
  page: number
  before?: string | undefined
}

/**
 * Returns a link to the same page with other parameters. It is relative to the page, so that it does not matter where
 * the service is mounted.
 */
export const link = (asked: Partial<Asked>, fragment = 'participants'): string => `?${queryOf(asked)}#${fragment}`

/** Returns a link to the page of the same ecosystem under another slug. */
export function pageOf(webUrl: string, slug: string, asked: Asked): string {
  const query = queryOf(asked)
  return `${webUrl}/ecosystems/${encodeURIComponent(slug)}${query === '' ? '' : `?${query}`}`
}

function queryOf({ at, search, page = 1, before }: Partial<Asked>): string {
  const query = new URLSearchParams()
  if (at !== undefined) query.set('at', at)
  if (search !== undefined && search !== '') query.set('search', search)
  if (page > 1) query.set('page', String(page))
  if (before !== undefined) query.set('before', before)
  return query.toString()
}
