import { Refusal } from '../../../start/refusal.js'
import { accepted, type Served } from '../requests.js'

const PAGE = 64

/** The numbers of things of each kind. */
export interface Totals {
  DIDs: number
  'jobs that make a DID': number
  credentials: number
  'jobs that revoke': number
  'jobs that change a participant': number
}

/** Counts what the team has in all, whoever asked for it. */
export async function totalsOf(product: Served): Promise<Totals> {
  const credentials = await accepted<{ total: number }>(product, 'GET', '/credentials?newFormat=true&limit=1')
  return {
    DIDs: await lengthOf(product, '/dids?'),
    'jobs that make a DID': await lengthOf(product, '/jobs?kind=did.create&'),
    credentials: credentials.total,
    'jobs that revoke': await lengthOf(product, '/jobs?kind=status.revoke&'),
    'jobs that change a participant': await lengthOf(product, '/jobs?kind=participant.change&'),
  }
}

/** Counts the entries of a list that tells no total. */
async function lengthOf(product: Served, path: string): Promise<number> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await accepted<unknown[]>(product, 'GET', `${path}limit=${PAGE}&offset=${offset}`)
    if (page.length < PAGE) return offset + page.length
  }
}

/** Refuses totals that did not grow by as much as was accepted: a request was done twice, or not at all. */
export function requireGrowth(before: Totals, now: Totals, wanted: Totals): void {
  for (const name of Object.keys(wanted) as (keyof Totals)[]) {
    const more = now[name] - before[name]
    if (more !== wanted[name]) throw new Refusal(`${wanted[name]} ${name} were accepted, and there are ${more} more.`)
  }
}
