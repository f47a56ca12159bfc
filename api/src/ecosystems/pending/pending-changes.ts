import { bytesOf, type Did, type Hex32, hexIn, parseDid, parseHex32 } from '@accredit/chain'
import { sql } from 'kysely'
import type { Tx } from '../../platform/database/database.js'
import { json } from '../../platform/database/tables.js'
import type { Context } from '../../platform/http/context.js'
import { type ParticipantRow, participantByDid } from '../participants/participant.queries.js'
import { lockParticipant } from '../participants/participant.store.js'
import { presentPoint, type ReadPoint } from '../read-point.js'
import { participantNotFound } from '../registries/access.js'
import { type Fact, wantedFacts } from './expected-changes.js'

/** Whose facts are wanted: a DID's, or all of a schema. Those of a registry's other DIDs and schemas may come with them. */
export type About = { did: Did } | { schema: Hex32 }

/** Parts of a request with thousands of rows name their DIDs; in what a call says, a schema is its hash. */
const concerns = (about: About) =>
  'did' in about
    ? sql`(a.items is null or a.items @> ${json([{ did: about.did }])}::jsonb)`
    : sql`(a.items is null or strpos(a.action ->> 'calls', ${about.schema.slice(2)}) > 0)`

/**
 * What was asked for in a registry and the ledger does not have at a point, in its order. What waits for a signature may
 * never come, and does not count.
 */
export async function factsOnTheirWay(tx: Tx, registry: Hex32, { block }: ReadPoint, about: About): Promise<Fact[]> {
  const { rows } = await sql<{ did: Did; calls: string[] }>`
    select a.did, a.action -> 'calls' as calls from ledger_actions a join jobs j on j.id = a.job_id
    where a.state in ('pending', 'accepted', 'included') and j.subject = ${registry} and a.action ? 'calls'
      and (a.outcome is null or not a.outcome ? 'error') and (a.block_height is null or a.block_height > ${block}::int)
      and ${concerns(about)}
    order by a.created, a.sequence, a.part`.execute(tx)
  return rows.flatMap(
    ({ did, calls }) =>
      wantedFacts(
        did,
        calls.map((call) => bytesOf(hexIn(call))),
      ) ?? [],
  )
}

/** A participant as the ledger has it, and as it will be when all that is on its way is there. What changes it at the same moment goes first or after. */
export async function participantToBe(
  tx: Tx,
  ctx: Context,
  { registry_id, did }: Pick<ParticipantRow, 'registry_id' | 'did'>,
): Promise<{ present: ParticipantRow; toBe: ParticipantRow }> {
  await lockParticipant(tx, registry_id, did)
  const point = await presentPoint(ctx)
  const present = await participantByDid(tx, point, registry_id, did)
  if (!present) throw participantNotFound()
  const facts = await factsOnTheirWay(tx, registry_id, point, { did })
  return { present, toBe: withFacts(present, facts, ctx.clock.now()) }
}

function withFacts(row: ParticipantRow, facts: readonly Fact[], now: Date): ParticipantRow {
  const rights = { issuer: new Set(row.issuer_ids), verifier: new Set(row.verifier_ids) }
  let { suspended_at } = row
  for (const fact of facts) {
    if (fact.of === 'schema' && !fact.holds) for (const role of Object.values(rights)) drop(role, fact.schema)
    if (fact.of === 'public' && fact.holds) drop(rights.verifier, fact.schema)
    if (!('did' in fact) || fact.did !== row.did) continue
    if (fact.of === 'suspended') suspended_at = fact.holds ? (suspended_at ?? now) : null
    if (fact.of === 'issuer' || fact.of === 'verifier') {
      drop(rights[fact.of], fact.schema)
      const schema = fact.holds ? parseHex32(fact.schema) : undefined
      if (schema) rights[fact.of].add(schema)
    }
  }
  return { ...row, suspended_at, issuer_ids: [...rights.issuer], verifier_ids: [...rights.verifier] }
}

const drop = (schemas: Set<string>, schema: string): boolean => schemas.delete(schema)

/** Whether a schema will be open, with what is on its way; undefined when it will not be there. */
export function opennessWith(isOpen: boolean | undefined, schema: Hex32, facts: readonly Fact[]): boolean | undefined {
  let open = isOpen
  for (const fact of facts) {
    if (!('schema' in fact) || fact.schema !== schema) continue
    if (fact.of === 'schema') open = fact.holds ? (open ?? false) : undefined
    if (fact.of === 'public') open = fact.holds
  }
  return open
}

/** Whom an issuer will have named, in the order of their bytes. */
export function delegatesWith(present: readonly Did[], issuer: Did, facts: readonly Fact[]): Did[] {
  const named = new Set<string>(present)
  for (const fact of facts) {
    if (fact.of !== 'delegate' || fact.did !== issuer) continue
    if (fact.holds) named.add(fact.delegate)
    else named.delete(fact.delegate)
  }
  return [...named].flatMap((text) => parseDid(text) ?? []).sort()
}

/** What an issuer of a schema will ask of everybody; undefined where it will not issue it. */
export function pricesWith(
  present: Record<string, string> | undefined,
  { schema, did }: { schema: Hex32; did: Did },
  facts: readonly Fact[],
): Record<string, string> | undefined {
  let prices = present
  for (const fact of facts) {
    if (!('schema' in fact) || fact.schema !== schema) continue
    if (fact.of === 'schema' && !fact.holds) prices = undefined
    if (!('did' in fact) || fact.did !== did) continue
    if (fact.of === 'issuer') prices = fact.holds ? (prices ?? {}) : undefined
    if (fact.of === 'prices') prices = fact.prices
    if (fact.of === 'price' && prices) prices = withPrice(prices, fact.currency, fact.price)
  }
  return prices
}

function withPrice(prices: Record<string, string>, currency: string, price: string | null): Record<string, string> {
  const { [currency]: _, ...others } = prices
  return price === null ? others : { ...others, [currency]: price }
}

/** Whether a verifier of a schema will be none. */
export const leaves = (did: Did, schema: Hex32, facts: readonly Fact[]): boolean =>
  facts.reduce(
    (gone, fact) => (fact.of === 'verifier' && fact.schema === schema && fact.did === did ? !fact.holds : gone),
    false,
  )
