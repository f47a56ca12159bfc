import type { Hex32 } from '@accredit/chain'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { registryRef } from '../ecosystems/registries/slug.js'
import { idOfSlug } from '../ecosystems/registries/slug.queries.js'
import type { At } from '../ledger/read/at.js'
import { registryExisted } from '../ledger/read/registries/registry-states.js'
import { notFound } from '../platform/errors.js'
import type { PublicContext } from '../platform/http/context.js'
import { isIdentifier, TrustRegistryRef } from '../platform/http/identifiers.js'

export const RegistryParams = Type.Object({ registryId: TrustRegistryRef })

export const RevocationRegistryParams = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    ...isIdentifier('revocationRegistry'),
    description: 'A revocation registry: 64 hexadecimal digits, with or without 0x',
  }),
})

export const registryNotFound = () => notFound('Trust registry')

/** The id that a path means at a point; undefined: a slug that nobody has. */
export async function registryIdOf(
  ctx: PublicContext,
  text: string,
  at: Pick<At, 'instant'>,
): Promise<Hex32 | undefined> {
  const ref = registryRef(text)
  if ('id' in ref) return ref.id
  const { rows } = await ctx.db.read('public', (reader) =>
    sql<{ id: Hex32 | null }>`select ${idOfSlug(ref.slug, at)} as id`.execute(reader),
  )
  return rows[0]?.id ?? undefined
}

/** Throws 404 when the ledger had never heard of the registry then. A removed one is still told about. */
export async function registryExists(ctx: PublicContext, registryId: string, at: Pick<At, 'block'>): Promise<void> {
  if (!(await registryExisted(ctx.index, registryId, at))) throw registryNotFound()
}
