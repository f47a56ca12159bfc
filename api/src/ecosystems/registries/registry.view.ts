import { EMPTY, type Summary, summaryOf } from '../../ledger/read/registries/registry-states.js'
import { entityTag } from '../../platform/http/caching/entity-tag.js'
import type { AnyContext, Context } from '../../platform/http/context.js'
import { readPoint } from '../read-point.js'
import { referenceHex } from './governance-reference.js'
import { type RegistryRow, registryAt } from './registry.queries.js'
import type { PendingRegistry, RegistryTexts } from './registry.store.js'
import type { PublicTrustRegistry, TrustRegistry } from './trust-registry.shape.js'

export function publicRegistryView(row: RegistryRow): PublicTrustRegistry {
  return {
    id: row.id,
    ...(row.slug !== null && { slug: row.slug }),
    convener: row.convener,
    ...(row.convener_name !== null && { convenerName: row.convener_name }),
    ...(row.convener_logo_url !== null && { convenerLogoUrl: row.convener_logo_url }),
    name: row.name,
    description: row.description ?? '',
    created: row.created.toISOString(),
    logoUrl: row.logo_url ?? '',
    ecosystemUrl: row.ecosystem_url ?? '',
    governanceFramework: row.governance_framework ?? '',
    governanceFrameworkVersion: row.governance_framework_version ?? '',
    govFramework: referenceHex(row.gov_framework),
    nonce: String(row.version),
  }
}

export function registryView(row: RegistryRow, isOwner: boolean, summary: Summary): TrustRegistry {
  return {
    ...publicRegistryView(row),
    isOwner,
    isUnmaintained: summary.unmaintained,
    issuerCount: summary.issuer_count,
    verifierCount: summary.verifier_count,
  }
}

/** Returns the accepted texts of a registry that the ledger does not have yet. */
export function pendingRegistryView(
  row: Pick<PendingRegistry, 'registry_id' | 'convener' | 'slug' | 'created'> & RegistryTexts,
  profile?: { name: string; logo: string } | undefined,
  summary: Summary = EMPTY,
): TrustRegistry {
  return {
    id: row.registry_id,
    slug: row.slug,
    convener: row.convener,
    ...(profile && { convenerName: profile.name, convenerLogoUrl: profile.logo }),
    name: row.name,
    description: row.description,
    created: row.created.toISOString(),
    logoUrl: row.logo_url,
    ecosystemUrl: row.ecosystem_url,
    governanceFramework: row.governance_framework,
    governanceFrameworkVersion: row.governance_framework_version,
    govFramework: referenceHex(row.governance_reference),
    isOwner: true,
    isUnmaintained: summary.unmaintained,
    issuerCount: summary.issuer_count,
    verifierCount: summary.verifier_count,
  }
}

/** Names the state of a registry that is answered, for If-Match. */
export function tagged(ctx: AnyContext, answer: TrustRegistry): TrustRegistry {
  ctx.reply.header('ETag', entityTag(answer))
  return answer
}

/** Returns a registry as its owner reads it now; `accepted` while the index does not have it. */
export async function presentRegistry(
  ctx: Context,
  id: RegistryRow['id'],
  accepted: TrustRegistry,
): Promise<TrustRegistry> {
  const point = await readPoint(ctx)
  return ctx.db.read(ctx.scope, async (reader) => {
    const row = await registryAt(reader, point, { id })
    return row ? tagged(ctx, registryView(row, true, await summaryOf(reader, point, id))) : accepted
  })
}
