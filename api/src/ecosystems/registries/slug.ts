import { type Hex32, parseHex32 } from '@accredit/chain/bytes'

// Latin letters that Unicode does not take apart into a letter and a mark.
const PLAIN = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ı: 'i',
    ŋ: 'n',
    ə: 'e',
  }),
)
/** The scripts of living languages (UAX 31, table 5) beside Latin; a word of Japanese or Korean has several. */
const SCRIPTS =
  'Arabic Armenian Bengali Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hebrew Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan'
    .split(' ')
    .map((script) => `\\p{scx=${script}}`)
const TOGETHER = ['\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}', '\\p{scx=Han}\\p{scx=Hangul}']
/** A word of one script with its marks and digits, and one of Latin letters, of which a plain slug has only ASCII. */
const OF_ONE_SCRIPT = new RegExp(
  `^(?:[a-z0-9]+|${[...SCRIPTS, ...TOGETHER].map((letters) => `(?=.*\\p{L})[${letters}\\p{M}0-9]+`).join('|')})$`,
  'u',
)
/** Greek and Cyrillic letters that look like Latin ones (UTS 39). */
const LOOKS_LATIN = /^[аеорсухіјѕһԁԛԝӏкονραικτυχγωη0-9]+$/u
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
 * Tells whether a slug could be taken for another one: a word of it mixes scripts, or has Latin letters outside ASCII,
 * or nothing in its Greek and Cyrillic words tells that they are none.
 */
function looksLikeAnother(slug: string): boolean {
  const words = slug.split('-')
  const others = words.filter((word) => /[\p{scx=Greek}\p{scx=Cyrillic}]/u.test(word))
  return (
    words.some((word) => !OF_ONE_SCRIPT.test(word)) ||
    (others.length > 0 && others.every((word) => LOOKS_LATIN.test(word)))
  )
}

/**
 * Yields the slugs to try, in order, none of which has the form of an id. The last one holds so much of the id that no
 * other registry gets it.
 */
export function slugCandidates(name: string, registryId: string): string[] {
  const slug = slugOf(name)
  const id = registryId.slice(2)
  const own = [`${slug}-${id.slice(0, 6)}`, `${slug}-${id}`]
  const isOther = RESERVED.has(slug) || parseHex32(slug) !== undefined || looksLikeAnother(slug)
  return isOther ? own : [slug, ...own]
}

/** The id or slug by which a caller names a trust registry. */
export type RegistryRef = { readonly id: Hex32 } | { readonly slug: string }

/** Every text of the form of an id is an id. */
export function registryRef(text: string): RegistryRef {
  const id = parseHex32(text)
  return id === undefined ? { slug: text.trim().normalize('NFC').toLowerCase() } : { id }
}
