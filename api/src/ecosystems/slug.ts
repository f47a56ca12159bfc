// Latin letters that Unicode does not take apart into a letter and a mark.
const PLAIN = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ŋ: 'n' }),
)
/** Paths below /trust-registries that are routes, not registries. */
const RESERVED = new Set(['query', 'invitations', 'schema-prices', 'schema-dids'])

/**
 * The slug that a name asks for: words of letters and digits joined by hyphens, Latin ones in plain ASCII, other scripts as
 * they are. Never empty, never the form of a registry id.
 */
export function slugOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .replace(/\p{Script=Latin}/gu, (letter) => PLAIN.get(letter) ?? letter)
    .normalize('NFC')
    .replace(/['’ʼ]/gu, '')
  const slug = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '')
  return slug === '' ? 'ecosystem' : slug
}

/** The slugs to try, in order. The last one holds so much of the id that nobody else asks for it. */
export function slugCandidates(name: string, registryId: string): string[] {
  const slug = slugOf(name)
  const id = registryId.slice(2)
  const own = [`${slug}-${id.slice(0, 6)}`, `${slug}-${id}`]
  return RESERVED.has(slug) ? own : [slug, ...own]
}

/** A path's `{registryId}`: the id in lower case, or a slug. */
export type RegistryRef = { readonly id: string } | { readonly slug: string }

export function registryRef(text: string): RegistryRef {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { id: text.toLowerCase() }
  return { slug: text.normalize('NFC').toLowerCase() }
}
