import type { Hex32 } from '@accredit/chain'
import { didParam } from '../../dids/did-param.js'
import type { Tx } from '../../platform/database/database.js'
import { invalid } from '../../platform/errors.js'
import type { Context } from '../../platform/http/context.js'
import { type MemberRules, textRules } from '../../platform/http/input/member-rules.js'

import { acceptLogo, storeLogo } from '../../profiles/logo.store.js'
import { governanceReference } from './governance-reference.js'
import type { RegistryTexts } from './registry.store.js'
import { freeText, governanceVersion, registryName, webUrl } from './text.js'
import type { TrustRegistryUpdate } from './trust-registry.shape.js'

/** The rules of these texts that the schemas of bodies do not state. */
export const registryRules: MemberRules = (body) =>
  textRules(body, {
    convener: (text) => didParam(text, 'convener'),
    name: registryName,
    description: (text) => freeText(text, 'description'),
    ecosystemUrl: (text) => webUrl(text, 'ecosystemUrl'),
    logoUrl: (text) => (isDataUri(text) ? acceptLogo(text) : webUrl(text, 'logoUrl')),
    governanceFramework: (text) => freeText(text, 'governanceFramework'),
    governanceFrameworkVersion: governanceVersion,
  })

/**
 * Checks the texts that a convener gives a registry, and returns them with the reference that the ledger will hold.
 * Throws `invalid_request`.
 *
 * @param present the texts that hold where none were sent; without it all are required
 */
export async function registryTexts(
  tx: Tx,
  ctx: Context,
  registryId: Hex32,
  body: TrustRegistryUpdate,
  present: Partial<RegistryTexts> = {},
): Promise<RegistryTexts> {
  const texts = {
    name: body.name === undefined ? present.name : registryName(body.name),
    description: body.description === undefined ? present.description : freeText(body.description, 'description'),
    ecosystem_url: body.ecosystemUrl === undefined ? present.ecosystem_url : webUrl(body.ecosystemUrl, 'ecosystemUrl'),
    logo_url: body.logoUrl === undefined ? present.logo_url : await logoAddress(tx, ctx, body.logoUrl),
  }
  return {
    name: needed(texts.name, 'name'),
    description: needed(texts.description, 'description'),
    ecosystem_url: needed(texts.ecosystem_url, 'ecosystemUrl'),
    logo_url: needed(texts.logo_url, 'logoUrl'),
    ...governance(ctx, registryId, body, present),
  }
}

function governance(
  ctx: Context,
  registryId: Hex32,
  { governanceFramework, governanceFrameworkVersion }: TrustRegistryUpdate,
  present: Partial<RegistryTexts>,
) {
  const version = needed(
    governanceFrameworkVersion === undefined
      ? present.governance_framework_version
      : governanceVersion(governanceFrameworkVersion),
    'governanceFrameworkVersion',
  )
  const text = needed(
    governanceFramework === undefined
      ? present.governance_framework
      : freeText(governanceFramework, 'governanceFramework'),
    'governanceFramework',
  )
  return {
    governance_framework: text,
    governance_framework_version: version,
    governance_reference: governanceReference(ctx.config.apiUrl, registryId, { version, text }),
  }
}

/** Returns a text, or throws where it was neither sent nor is known here, as for a registry that was made elsewhere. */
function needed(text: string | undefined, field: string): string {
  if (text === undefined) throw invalid(`${field} is missing`)
  return text
}

const isDataUri = (text: string): boolean => /^data:/i.test(text)

/** An address stays as it was sent; an image is stored and gets one. */
async function logoAddress(tx: Tx, ctx: Context, logoUrl: string): Promise<string> {
  if (!isDataUri(logoUrl)) return webUrl(logoUrl, 'logoUrl')
  return storeLogo(tx, acceptLogo(logoUrl), { base: ctx.config.apiUrl, now: ctx.clock.now() })
}
