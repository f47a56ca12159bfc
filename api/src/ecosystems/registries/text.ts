import { nameProblem, shownLineProblem } from '@accredit/chain'
import { invalid } from '../../platform/errors.js'
import { type MemberRules, textRules } from '../../platform/http/input/member-rules.js'
import { parseUrl } from '../../platform/parse-url.js'

// Controls, and marks that turn the writing direction of the following text: neither belongs in a name that people
// compare by eye.
const NOT_IN_A_NAME = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
/**
 * Invisible characters, which real names carry from where they were copied. They are left out, so that names that look
 * alike are alike. Joiners stay, which shape letters of Persian and emoji.
 */
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff]/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for; line breaks and tabs are text
const NOT_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
/** The character that a decoder leaves in place of bytes that it could not read. */
const BROKEN = '\ufffd'

function line(text: string, field: string, problemOf = shownLineProblem): string {
  const name = text.replace(INVISIBLE, '').normalize('NFC').trim()
  const problem = problemOf(name)
  if (problem !== undefined) throw invalid(`${field} ${problem}`)
  return name
}

/**
 * A registry's name as the ledger holds it: one visible line in any script, NFC, without invisible characters, at most
 * 256 bytes of UTF-8.
 */
export const registryName = (text: string): string => line(text, 'name', nameProblem)

/** The name that a convener gives a participant: one visible line in any script, NFC. */
export const participantName = (text: string): string => line(text, 'name')

/** The version of a governance framework: one visible line. It ends at the first line feed of the digested text. */
export const governanceVersion = (text: string): string => line(text, 'governanceFrameworkVersion')

/** Text of several lines, kept exactly as it was sent. */
export function freeText(text: string, field: string): string {
  if (text.includes(BROKEN)) throw invalid(`${field} holds broken characters (U+FFFD): send UTF-8`)
  if (NOT_IN_TEXT.test(text)) throw invalid(`${field} must not hold control characters`)
  return text
}

/** An absolute http or https URL without credentials, kept as it was sent. */
export function webUrl(text: string, field: string): string {
  const parsed = text.length <= 2048 && /^https?:\/\/[^\s]+$/i.test(text) ? parseUrl(text) : undefined
  if (parsed === undefined || NOT_IN_A_NAME.test(text) || text.includes(BROKEN))
    throw invalid(`${field} must be an http or https URL`)
  if (parsed.username !== '' || parsed.password !== '') throw invalid(`${field} must not carry credentials`)
  return text
}

export const webUrlOrEmpty = (text: string, field: string): string => (text === '' ? '' : webUrl(text, field))

/** The rules of bodies with an `infoUrl`. */
export const infoUrlRules: MemberRules = (body) =>
  textRules(body, { infoUrl: (text) => webUrlOrEmpty(text, 'infoUrl') })
