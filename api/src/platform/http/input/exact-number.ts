import { shortened } from '../problems.js'

/** The pattern fits no text in two ways, so that a match takes time linear in the text. */
const DECIMAL = /^-?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/

/**
 * Tells whether a double keeps the value of a number's text, in any spelling (`1e2`, `1.50`, `-0`): the digits of the
 * text are those of the shortest decimal that is read as that double. Readers keep different numbers of other texts.
 */
export function isExact(text: string): boolean {
  const value = Number(text)
  const shortest = String(value)
  if (shortest === text) return Number.isFinite(value)
  const [said, kept] = [decimalOf(text), decimalOf(shortest)]
  return said !== undefined && said.digits === kept?.digits && (said.digits === '' || said.exponent === kept.exponent)
}

/** Explains the fault of a text that is not exact, in words that follow its place. */
export function inexactText(text: string): string {
  const value = Number(text)
  if (!Number.isFinite(value)) return 'the number is too large to be kept: write it as text'
  return `the number ${shortened(text, 40)} would be read as ${value}: write it in at most 15 digits, or as text`
}

/**
 * The number 0.`digits` times ten to the power of `exponent`; no digits are zero. The sign is left out: no reader loses
 * it.
 */
function decimalOf(text: string): { digits: string; exponent: number } | undefined {
  const [match, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? []
  if (match === undefined || whole + fraction === '') return undefined
  const all = whole + fraction
  const first = all.search(/[1-9]/)
  if (first < 0) return { digits: '', exponent: 0 }
  let end = all.length
  while (all[end - 1] === '0') end--
  return { digits: all.slice(first, end), exponent: whole.length - first + Number(power) }
}

/** Numbers of so few letters have at most 15 digits, which every double keeps, */
const SHORT = 15
/** and those whose exponent is as long as `e99` or `e+9` are neither too large nor too small for one. */
const SHORT_EXPONENT = 3
const [LETTER_E, LETTER_SMALL_E] = [0x45, 0x65]

/** Tells where the number that begins here in JSON ends, and whether it is exact. */
export function numberAt(bytes: Buffer, begin: number): { end: number; exact: boolean } {
  let end = begin + 1
  let exponentAt = -1
  for (; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0
    if (byte === LETTER_E || byte === LETTER_SMALL_E) exponentAt = end
    // The characters + - . and the digits; a slash is no part of JSON.
    else if (byte < 0x2b || byte > 0x39 || byte === 0x2c) break
  }
  const isShort = end - begin <= SHORT && (exponentAt < 0 || end - exponentAt <= SHORT_EXPONENT)
  return { end, exact: isShort || isExact(bytes.toString('latin1', begin, end)) }
}
