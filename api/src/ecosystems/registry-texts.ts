import type { Hex32 } from '@accredit/chain'
import type { Context } from '../platform/context.js'
import type { Tx } from '../platform/database/database.js'
import { acceptLogo, storeLogo } from '../profiles/logo.store.js'
import { governanceReference } from './governance-reference.js'
import type { RegistryTexts } from './registry.store.js'
import { freeText, governanceVersion, registryName, webUrl } from './text.js'
import type { TrustRegistryUpdate } from './trust-registry.shape.js'

/** What a convener sent, checked, with the reference that the ledger will hold. Throws `invalid_request`. */
export async function registryTexts(
  tx: Tx,
  ctx: Context,
  registryId: Hex32,
  body: TrustRegistryUpdate,
): Promise<RegistryTexts> {
  const version = governanceVersion(body.governanceFrameworkVersion)
  const text = freeText(body.governanceFramework, 'governanceFramework')
  return {
    name: registryName(body.name),
    description: freeText(body.description, 'description'),
    ecosystem_url: webUrl(body.ecosystemUrl, 'ecosystemUrl'),
    governance_framework: text,
    governance_framework_version: version,
    governance_reference: governanceReference(ctx.config.apiUrl, registryId, { version, text }),
    logo_url: await logoAddress(tx, ctx, body.logoUrl),
  }
}

/** An address stays as it was sent; an image is stored and gets one. */
async function logoAddress(tx: Tx, ctx: Context, logoUrl: string): Promise<string> {
  if (!/^data:/i.test(logoUrl)) return webUrl(logoUrl, 'logoUrl')
  return storeLogo(tx, acceptLogo(logoUrl), { base: ctx.config.apiUrl, now: ctx.clock.now() })
}
