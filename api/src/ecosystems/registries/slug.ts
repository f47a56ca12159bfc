import { type Hex32, parseHex32 } from '@accredit/chain/bytes'

// Latin letters that Unicode does not take apart into a letter and a mark.
const PLAIN = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ŋ: 'n' }),
)
/** The paths below /trust-registries that are routes, not registries. */
const RESERVED = new Set(['query', 'invitations', 'schema-prices', 'schema-dids'])

/**
 * Returns the slug of a name: words of letters and digits joined by hyphens, Latin ones in plain ASCII, other scripts
 * unchanged. Never empty.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .replace(/\p{Script=Latin}/gu, (letter) => PLAIN.get(letter) ?? letter)
    .normalize('NFC')
    .replace(/['’ʼ]/gu, '')
  const slug = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-|-$/g, '')
  return slug === '' ? 'ecosystem' : slug
}

/**
 * Yields the slugs to try, in order, none of which has the form of an id. The last one holds so much of the id that no
 * other registry gets it.
 */
export function slugCandidates(name: string, registryId: string): string[] {
  const slug = slugOf(name)
  const id = registryId.slice(2)
  const own = [`${slug}-${id.slice(0, 6)}`, `${slug}-${id}`]
  return RESERVED.has(slug) || parseHex32(slug) !== undefined ? own : [slug, ...own]
}

/** The id or slug by which a caller names a trust registry. */
export type RegistryRef = { readonly id: Hex32 } | { readonly slug: string }

/** Every text of the form of an id is an id. */
export function registryRef(text: string): RegistryRef {
  const id = parseHex32(text)
  return id === undefined ? { slug: text.normalize('NFC').toLowerCase() } : { id }
}
