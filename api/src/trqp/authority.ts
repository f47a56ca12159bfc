import { type Did, type Hex32, parseDid, parseHex32 } from '@accredit/chain'
import { type RawBuilder, sql } from 'kysely'
import { registryRef } from '../ecosystems/slug.js'
import { idOfSlug } from '../ecosystems/slug.queries.js'
import type { At } from '../ledger/at.js'
import type { PublicContext } from '../platform/context.js'
import type { Reader } from '../platform/database/database.js'
import { invalid, notFound } from '../platform/errors.js'

/** RFC 3986: reserved, unreserved and percent-encoded characters. */
const IDENTIFIER = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

/** Throws 400 that names the field. */
export function checkIdentifier(text: string, field: string): void {
  if (!IDENTIFIER.test(text))
    throw invalid(`${field} holds what an identifier cannot (RFC 3986): percent-encode it as UTF-8`)
}

/**
 * What an identifier of an authority names: a registry, by id or slug, or a convener.
 * @param bases addresses under which the service is known, without a slash at the end
 */
function authorityName(text: string, bases: readonly string[]): { did: Did } | { registry: string } {
  const did = parseDid(text)
  if (did !== undefined) return { did }
  const base = bases.find((one) => text.startsWith(`${one}/`))
  const path = base === undefined ? text : text.slice(base.length)
  const [, inPath] =
    (base !== undefined && /^\/(?:trust-registries|ecosystems)\/([^/?#]+)(?:\/public)?(?:#.*)?$/.exec(path)) || []
  return { registry: decoded(inPath ?? text) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A registry and who convened it at the point; no convener: the ledger had no such registry then. */
export interface Authority {
  registryId: Hex32
  convener: Did | undefined
}

type Point = Pick<At, 'block' | 'instant'>

const bases = ({ config }: PublicContext): string[] => [config.apiUrl, config.webUrl]

/** The registry that `authority_id` and `context.locator` mean. Throws 404 when the ledger never had it, 400 when they mean several. */
export function authorityAt(
  ctx: PublicContext,
  { authority_id, locator }: { authority_id: string; locator?: string | undefined },
  at: Point,
): Promise<Authority> {
  const name = authorityName(authority_id, bases(ctx))
  return ctx.db.read('public', async (reader) => {
    const located = locator === undefined ? undefined : await registryIdAt(reader, locator, at)
    if ('did' in name) return convenedBy(reader, name.did, locator === undefined ? sql<boolean>`true` : is(located), at)
    const registryId = await registryIdAt(reader, name.registry, at)
    if (registryId === undefined || (locator !== undefined && located !== registryId)) throw unknownAuthority()
    const [convener] = await conveners(reader, registryId, at)
    return { registryId, convener }
  })
}

/** The convener of whatever authority an identifier names at a point; undefined: it names none. */
export function convenerAt(ctx: PublicContext, identifier: string, at: Point): Promise<Did | undefined> {
  const name = authorityName(identifier, bases(ctx))
  if ('did' in name) return Promise.resolve(name.did)
  return ctx.db.read('public', async (reader) => {
    const registryId = await registryIdAt(reader, name.registry, at)
    return registryId && (await conveners(reader, registryId, at))[0]
  })
}

/** Whether an identifier names a registry of a convener at a point, another one than `except`: itself, or all of them by its DID. */
export function namesRegistryOf(
  ctx: PublicContext,
  identifier: string,
  { convener, except }: { convener: Did; except: Hex32 },
  at: Point,
): Promise<boolean> {
  const name = authorityName(identifier, bases(ctx))
  if ('did' in name && name.did !== convener) return Promise.resolve(false)
  return ctx.db.read('public', async (reader) => {
    const named = 'did' in name ? sql<boolean>`true` : is(await registryIdAt(reader, name.registry, at))
    const [other] = await registriesOf(reader, convener, at, sql<boolean>`registry_id <> ${except} and ${named}`)
    return other !== undefined
  })
}

const unknownAuthority = () => notFound('A trust registry of this authority_id')

const is = (registryId: Hex32 | undefined) => sql<boolean>`registry_id = ${registryId ?? null}::text`

async function convenedBy(reader: Reader, did: Did, meant: RawBuilder<boolean>, at: Point): Promise<Authority> {
  const [registryId, another] = await registriesOf(reader, did, at, meant)
  if (another !== undefined)
    throw invalid('This authority convenes several trust registries: say in context.locator which one is meant')
  if (registryId === undefined) throw unknownAuthority()
  return { registryId, convener: did }
}

/** The id that a text means; undefined: a slug that nobody has, or an id that the ledger never had. */
async function registryIdAt(reader: Reader, text: string, at: Point): Promise<Hex32 | undefined> {
  const ref = registryRef(text)
  const id = 'id' in ref ? sql`${ref.id}::text` : idOfSlug(ref.slug, at)
  const { rows } = await sql<{ id: string }>`
    select r.registry_id as id from ledger.trust_registry r where r.registry_id = ${id} limit 1`.execute(reader)
  return rows[0] && parseHex32(rows[0].id)
}

const holdsAt = ({ block }: Point) =>
  sql<boolean>`from_block <= ${block}::int and (to_block is null or to_block > ${block}::int)`

async function conveners(reader: Reader, registryId: Hex32, at: Point): Promise<Did[]> {
  const { rows } = await sql<{ convener: Did }>`
    select convener from ledger.trust_registry where registry_id = ${registryId} and ${holdsAt(at)}`.execute(reader)
  return rows.map(({ convener }) => convener)
}

/** Two of them at most: more is as good as two. */
async function registriesOf(reader: Reader, did: Did, at: Point, meant: RawBuilder<boolean>): Promise<Hex32[]> {
  const { rows } = await sql<{ id: Hex32 }>`
    select registry_id as id from ledger.trust_registry where convener = ${did} and ${holdsAt(at)} and ${meant}
    order by registry_id limit 2`.execute(reader)
  return rows.map(({ id }) => id)
}
