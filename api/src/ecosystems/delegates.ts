import type { Did, Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Context } from '../platform/context.js'
import type { Reader } from '../platform/database/database.js'
import { entityTag } from '../platform/entity-tag.js'
import { notFound } from '../platform/errors.js'
import { visibleRegistry } from './access.js'
import { didParam } from './did-param.js'
import type { ReadPoint } from './read-point.js'
import { holdsAt, type RegistryRow } from './registry.queries.js'
import { registryRef } from './slug.js'

/** What the ledger lets an issuer name. */
const DELEGATES_MAX = 16

export const DelegatesParams = Type.Object({
  registryId: Type.String({ minLength: 1, maxLength: 400 }),
  did: Type.String({ minLength: 1, maxLength: 400, description: 'The issuer' }),
})

export const Delegates = Type.Object({
  delegates: Type.Array(Type.String({ minLength: 1, maxLength: 400 }), {
    maxItems: DELEGATES_MAX,
    description: 'DIDs that may issue whatever the issuer may issue in this registry, now and later',
  }),
})

export interface IssuerAccess {
  readonly registry: RegistryRow
  readonly issuer: Did
  readonly delegates: Did[]
}

/**
 * An issuer of a registry at a point, and whom it named. For whoever convenes the registry or takes part in it; for every
 * other team neither exists.
 */
export async function issuerFor(
  ctx: Context,
  params: { registryId: string; did: string },
  point: ReadPoint,
): Promise<IssuerAccess> {
  const issuer = didParam(params.did, 'did')
  const { registry } = await visibleRegistry(ctx, registryRef(params.registryId), point)
  const delegates = await ctx.db.read(ctx.scope, (reader) => delegatesOf(reader, point, registry.id, issuer))
  if (delegates === undefined) throw notFound('Issuer')
  return { registry, issuer, delegates }
}

/** Whom an issuer named, in the order of their bytes; undefined where it is none. */
export async function delegatesOf(
  reader: Reader,
  point: ReadPoint,
  registry: Hex32,
  issuer: Did,
): Promise<Did[] | undefined> {
  const { rows } = await sql<{ delegates: Did[] }>`
    select array(select d.delegate from ledger.delegation d
      where d.registry_id = ${registry} and d.issuer = ${issuer} and ${holdsAt('d', point)}
      order by d.delegate collate "C") as delegates
    where exists (select from ledger.issuer i
      where i.registry_id = ${registry} and i.did = ${issuer} and ${holdsAt('i', point)})`.execute(reader)
  return rows[0]?.delegates
}

/** Names the list that is answered, for If-Match. */
export function taggedDelegates(ctx: Context, delegates: readonly Did[]): { delegates: Did[] } {
  const answer = { delegates: [...delegates] }
  ctx.reply.header('ETag', entityTag(answer))
  return answer
}
