import { isServiceId, isServiceType, isUri } from '../uri.js'

/** The kinds of a line of text on the ledger. */
export type TextKind = 'name' | 'line' | 'currency' | 'serviceId' | 'serviceType' | 'uri'

/** The most bytes of a registry's name. */
const NAME_BYTES = 256

// Controls, and marks that turn the writing direction of the following text: neither belongs into text that people compare by eye.
const NOT_IN_A_LINE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/** The character that a decoder leaves in place of bytes that it could not read. */
const BROKEN = '\ufffd'
// Letters and signs, except those without a visible form: fillers, and the blank one of Braille and of music.
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])[\p{L}\p{N}\p{S}\p{P}]/u

/** Returns the fault of one line of text, in words that follow its name; undefined if there is none. */
function lineProblem(text: string): string | undefined {
  if (text.includes(BROKEN)) return 'holds broken characters (U+FFFD): send UTF-8'
  if (NOT_IN_A_LINE.test(text)) return 'must not hold control characters'
  return undefined
}

/** Returns the same for a name that is shown. */
export const shownLineProblem = (text: string): string | undefined =>
  lineProblem(text) ?? (VISIBLE.test(text) ? undefined : 'must not be empty')

/** Returns the same for the name of a registry. */
export function nameProblem(text: string): string | undefined {
  const bytes = new TextEncoder().encode(text).length
  const tooLong = `has ${bytes} bytes in UTF-8; the ledger holds at most ${NAME_BYTES}`
  return shownLineProblem(text) ?? (bytes > NAME_BYTES ? tooLong : undefined)
}

const currencyProblem = (text: string): string | undefined =>
  /^[A-Z0-9]{1,10}$/.test(text) ? undefined : 'must be the symbol of a currency: 1 to 10 of A to Z and 0 to 9'

/** Explains more exactly what the ledger refuses as `BadService`. */
const serviceIdProblem = (text: string): string | undefined =>
  isServiceId(text)
    ? undefined
    : 'must be a fragment of a URI without its #: the service is named <did>#<id>, and send the <id> alone. It is not ' +
      'keys- or key- and a number, which name keys, and has nothing percent-encoded that can stand as it is'

const serviceTypeProblem = (text: string): string | undefined =>
  isServiceType(text) ? undefined : 'must be a name of letters, digits, -, . and _, as LinkedDomains, or a URI'

const uriProblem = (text: string): string | undefined =>
  isUri(text) ? undefined : 'must be a URI (RFC 3986), as https://university.example/registry'

export const TEXT_PROBLEMS: Record<TextKind, (text: string) => string | undefined> = {
  name: nameProblem,
  line: lineProblem,
  currency: currencyProblem,
  serviceId: serviceIdProblem,
  serviceType: serviceTypeProblem,
  uri: uriProblem,
}

/** The fields that hold text, by their names in the calls; other bytes are hexadecimal or text, as they come. */
export const TEXT_FIELDS: ReadonlyMap<string, TextKind> = new Map([
  ['name', 'name'],
  ['govFramework', 'line'],
  // The id of a service to be removed; an older ledger may hold one whose id is no fragment.
  ['id', 'line'],
])

/** The fields of a service that is set. */
export const SERVICE_FIELDS: ReadonlyMap<string, TextKind> = new Map([
  ['id', 'serviceId'],
  ['serviceType', 'serviceType'],
  ['endpoints', 'uri'],
])
