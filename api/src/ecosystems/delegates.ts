import type { Did, Hex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import type { Context } from '../platform/context.js'
import type { Reader } from '../platform/database/database.js'
import { notFound } from '../platform/errors.js'
import { registryNotFound } from './access.js'
import { didParam } from './did-param.js'
import type { ReadPoint } from './read-point.js'
import { holdsAt, type RegistryRow, registryAt, standingIn } from './registry.queries.js'
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
 * An issuer of a registry at a point, and whom it named. For whoever convenes the registry, takes part in it, or has the
 * issuer's DID; for every other team neither exists.
 */
export async function issuerFor(
  ctx: Context,
  params: { registryId: string; did: string },
  point: ReadPoint,
): Promise<IssuerAccess> {
  const [ref, issuer] = [registryRef(params.registryId), didParam(params.did, 'did')]
  return ctx.db.read(ctx.scope, async (reader) => {
    const registry = await registryAt(reader, point, ref)
    if (!registry) throw registryNotFound()
    const standing = await standingIn(reader, registry.id, ctx.team)
    const { is_issuer, is_own, delegates } = await issuerIn(reader, point, ctx, registry.id, issuer)
    if (!standing.is_owner && !standing.is_participant && !(is_issuer && is_own)) throw registryNotFound()
    if (!is_issuer) throw notFound('Issuer')
    return { registry, issuer, delegates }
  })
}

interface IssuerFacts {
  is_issuer: boolean
  is_own: boolean
  delegates: Did[]
}

async function issuerIn(
  reader: Reader,
  point: ReadPoint,
  { team }: Context,
  registry: Hex32,
  issuer: Did,
): Promise<IssuerFacts> {
  const here = (row: string): RawBuilder<boolean> =>
    sql<boolean>`${sql.ref(`${row}.registry_id`)} = ${registry} and ${holdsAt(row, point)}`
  const { rows } = await sql<IssuerFacts>`
    select exists (select from ledger.issuer i where ${here('i')} and i.did = ${issuer}) as is_issuer,
      exists (select service.held_among(${team}, array[${issuer}])) as is_own,
      array(select d.delegate from ledger.delegation d where ${here('d')} and d.issuer = ${issuer}
        order by d.delegate collate "C") as delegates`.execute(reader)
  return rows[0] ?? { is_issuer: false, is_own: false, delegates: [] }
}
