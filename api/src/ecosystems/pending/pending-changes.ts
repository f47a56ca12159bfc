import { bytesOf, type Did, describeCalls, type Hex32, hexIn, parseAnyDid } from '@accredit/chain'
import { sql } from 'kysely'
import type { ExpectedChange } from '../../ledger/read/registries/expected-change.js'
import type { Tx } from '../../platform/database/database.js'
import { json } from '../../platform/database/tables.js'
import { expectedChanges } from '../expected-changes.js'
import type { ReadPoint } from '../read-point.js'

/** The DID or the schema whose changes are wanted. Those of a registry's other DIDs and schemas may come with them. */
export type About = { did: Did } | { schema: Hex32 }

/**
 * The text to look for: parts of a request with thousands of rows name their DIDs; a call holds a schema as its hash.
 */
const concerns = (about: About) =>
  'did' in about
    ? sql`(a.items is null or a.items @> ${json([{ did: about.did }])}::jsonb)`
    : sql`(a.items is null or strpos(a.action ->> 'calls', ${about.schema.slice(2)}) > 0)`

/**
 * Reads the changes that were asked for in a registry and that the ledger does not have at a point, in order. Those
 * that wait for a signature do not count, since they may never come.
 */
export async function pendingChanges(
  tx: Tx,
  registry: Hex32,
  { block }: ReadPoint,
  about: About,
): Promise<ExpectedChange[]> {
  const { rows } = await sql<{ did: Did; calls: string[] }>`
    select a.did, a.action -> 'calls' as calls from ledger_actions a join jobs j on j.id = a.job_id
    where a.state in ('pending', 'accepted', 'included') and j.subject = ${registry} and a.action ? 'calls'
      and (a.outcome is null or not a.outcome ? 'error') and (a.block_height is null or a.block_height > ${block}::int)
      and ${concerns(about)}
    order by a.created, a.sequence, a.part`.execute(tx)
  return rows.flatMap(({ did, calls }) =>
    expectedChanges(did, describeCalls(calls.map((call) => bytesOf(hexIn(call))))),
  )
}

/** Tells whether a schema will be open after pending changes; undefined: it will not exist. */
export function opennessWith(
  isOpen: boolean | undefined,
  schema: Hex32,
  changes: readonly ExpectedChange[],
): boolean | undefined {
  let open = isOpen
  for (const change of changes) {
    if (!('schema' in change) || change.schema !== schema) continue
    if (change.of === 'schema') open = change.holds ? (open ?? false) : undefined
    if (change.of === 'public') open = change.holds
  }
  return open
}

/** Returns the delegates that an issuer will have, in the order of their bytes. */
export function delegatesWith(present: readonly Did[], issuer: Did, changes: readonly ExpectedChange[]): Did[] {
  const named = new Set<string>(present)
  for (const change of changes) {
    if (change.of !== 'delegate' || change.did !== issuer) continue
    if (change.holds) named.add(change.delegate)
    else named.delete(change.delegate)
  }
  return [...named].flatMap((text) => parseAnyDid(text) ?? []).sort()
}

/**
 * Returns the prices that an issuer of a schema will ask of everybody; undefined where it will not issue the schema.
 */
export function pricesWith(
  present: Record<string, string> | undefined,
  { schema, did }: { schema: Hex32; did: Did },
  changes: readonly ExpectedChange[],
): Record<string, string> | undefined {
  let prices = present
  for (const change of changes) {
    if (!('schema' in change) || change.schema !== schema) continue
    if (change.of === 'schema' && !change.holds) prices = undefined
    if (!('did' in change) || change.did !== did) continue
    if (change.of === 'issuer') prices = change.holds ? (prices ?? {}) : undefined
    if (change.of === 'prices') prices = change.prices
    if (change.of === 'price' && prices) prices = withPrice(prices, change.currency, change.price)
  }
  return prices
}

function withPrice(prices: Record<string, string>, currency: string, price: string | null): Record<string, string> {
  const { [currency]: _, ...others } = prices
  return price === null ? others : { ...others, [currency]: price }
}

/** Tells whether a verifier of a schema will no longer be one. */
export const leaves = (did: Did, schema: Hex32, changes: readonly ExpectedChange[]): boolean =>
  changes.reduce(
    (gone, change) =>
      change.of === 'verifier' && change.schema === schema && change.did === did ? !change.holds : gone,
    false,
  )
