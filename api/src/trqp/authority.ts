import { type Did, type Hex32, parseDid } from '@accredit/chain'
import { registryIdOf } from '../audit/registry-param.js'
import type { At } from '../ledger/read/at.js'
import { registriesConvenedBy, wasRegistry } from '../ledger/read/registries/registry-ids.js'
import { registryFactsAt } from '../ledger/read/registries/registry-listings.js'
import type { PublicContext } from '../platform/http/context.js'
import { invalid, notFound } from '../platform/http/errors.js'

/** RFC 3986: reserved, unreserved and percent-encoded characters. */
const IDENTIFIER = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/** Reads a URI. Throws 400 that names the field. */
export function checkIdentifier(text: string, field: string): void {
  if (!IDENTIFIER.test(text))
    throw invalid(`${field} holds what an identifier cannot (RFC 3986): percent-encode it as UTF-8`)
}

/**
 * Returns the target of an authority's identifier: a registry, by id or slug, or a convener.
 *
 * @param bases addresses under which the service is known, without a slash at the end
 */
function authorityName(text: string, bases: readonly string[]): { did: Did } | { registry: string } {
  const did = parseDid(text)
  if (did !== undefined) return { did }
  const base = bases.find((one) => text.startsWith(`${one}/`))
  const path = base === undefined ? text : text.slice(base.length)
  const [, inPath] =
    (base !== undefined && /^\/(?:trust-registries|ecosystems)\/([^/?#]+)(?:\/public)?$/.exec(path)) || []
  return { registry: decoded(inPath ?? text) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

type Point = Pick<At, 'block' | 'instant'>

const bases = ({ config }: PublicContext): string[] => [config.apiUrl, config.webUrl]

/**
 * Returns the registry that `authority_id` and `context.locator` mean. Throws 404 when the ledger never had it, 400
 * when they mean several.
 */
export async function authorityAt(
  ctx: PublicContext,
  { authority_id, locator }: { authority_id: string; locator?: string | undefined },
  at: Point,
): Promise<Hex32> {
  const name = authorityName(authority_id, bases(ctx))
  const located = locator === undefined ? undefined : await registryIdAt(ctx, locator, at)
  if (locator !== undefined && located === undefined) throw unknownAuthority()
  if ('did' in name) return convenedBy(ctx, name.did, located, at)
  const registryId = await registryIdAt(ctx, name.registry, at)
  if (registryId === undefined || (located !== undefined && located !== registryId)) throw unknownAuthority()
  return registryId
}

/** Returns the convener of the authority that an identifier names at a point; undefined: it names none. */
export async function convenerAt(ctx: PublicContext, identifier: string, at: Point): Promise<Did | undefined> {
  const name = authorityName(identifier, bases(ctx))
  if ('did' in name) return name.did
  const registryId = await registryIdAt(ctx, name.registry, at)
  const facts = registryId && (await registryFactsAt(ctx.index, registryId, at))
  return facts && parseDid(facts.convener)
}

/** Tells whether an identifier names a registry of a convener at a point: itself, or all of them by its DID. */
export async function namesRegistryOf(
  ctx: PublicContext,
  identifier: string,
  convener: Did,
  at: Point,
): Promise<boolean> {
  const name = authorityName(identifier, bases(ctx))
  if ('did' in name) return name.did === convener && convenes(ctx, convener, at)
  const registryId = await registryIdAt(ctx, name.registry, at)
  return registryId !== undefined && convenes(ctx, convener, at, registryId)
}

/** Tells whether a DID convenes the registry `only` at a point; without `only`: any registry. */
export async function convenes(ctx: PublicContext, did: Did, at: Point, only?: Hex32): Promise<boolean> {
  const meant = { at, first: 1, ...(only !== undefined && { only }) }
  return (await registriesConvenedBy(ctx.index, did, meant)).length > 0
}

const unknownAuthority = () => notFound('A trust registry of this authority_id')

/** @param only the registry that the locator names, if there is one */
async function convenedBy(ctx: PublicContext, did: Did, only: Hex32 | undefined, at: Point): Promise<Hex32> {
  const meant = { at, first: 2, ...(only !== undefined && { only }) }
  const [registryId, another] = await registriesConvenedBy(ctx.index, did, meant)
  if (another !== undefined)
    throw invalid('This authority convenes several trust registries: say in context.locator which one is meant')
  if (registryId === undefined) throw unknownAuthority()
  return registryId
}

/** Returns the id that a text means; undefined: a slug that nobody has, or an id that the ledger never had. */
async function registryIdAt(ctx: PublicContext, text: string, at: Point): Promise<Hex32 | undefined> {
  const id = await registryIdOf(ctx, text, at)
  return id !== undefined && (await wasRegistry(ctx.index, id)) ? id : undefined
}
