/** What a page was asked for. */
export interface Asked {
  /** A point of the past, as it was asked for; undefined: now. */
  at?: string | undefined
  search?: string | undefined
  page: number
  before?: string | undefined
}

/** The same page with other wishes, relative to itself, so that it does not matter where the service is mounted. */
export function link({ at, search, page = 1, before }: Partial<Asked>, fragment = 'participants'): string {
  const query = new URLSearchParams()
  if (at !== undefined) query.set('at', at)
  if (search !== undefined && search !== '') query.set('search', search)
  if (page > 1) query.set('page', String(page))
  if (before !== undefined) query.set('before', before)
  return `?${query}#${fragment}`
}
