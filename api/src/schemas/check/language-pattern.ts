// White space and line ends of ECMA-262 (sections 12.2 and 12.3); RE2 knows those of ASCII alone.
const SPACE = String.raw`\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`
const NO_SPACE = String.raw`\u0000-\u0008\u000e-\u001f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}`
const NO_LINE_END = String.raw`[^\n\r\u2028\u2029]`

/** The syntax that RE2 reads, and ECMA-262 reads as something else or not at all. */
const OTHERWISE = /^(?:\\[AzZQECa]|\\[pP](?!\{)|\\x\{|\(\?(?!:|<[A-Za-z_$]|=|!|<=|<!))/

const TOKEN = /\\.|\(\?|./gsu

/**
 * Translates a pattern of ECMA-262, as schemas have them, into syntax that RE2 takes in the same sense.
 *
 * @throws SyntaxError for syntax that RE2 alone would understand
 */
export function asLanguagePattern(pattern: string): string {
  let inClass = false
  let result = ''
  for (const { 0: token, index } of pattern.matchAll(TOKEN)) {
    const rest = pattern.slice(index, index + 4)
    if (OTHERWISE.test(rest) && !(inClass && token === '(?')) throw new SyntaxError(`${rest} is not of ECMA-262`)
    result += inClass ? inClassAs(token, result) : outsideAs(token)
    if (!inClass && token === '[') inClass = true
    else if (inClass && token === ']') inClass = false
  }
  return result
}

function outsideAs(token: string): string {
  if (token === '.') return NO_LINE_END
  if (token === String.raw`\s`) return `[${SPACE}]`
  if (token === String.raw`\S`) return `[^${SPACE}]`
  return token
}

function inClassAs(token: string, before: string): string {
  // RE2 takes a bracket at the beginning as a letter, and `[:` as the beginning of a class by name.
  if (token === ']' && /(^|[^\\])\[\^?$/.test(before)) throw new SyntaxError('an empty class is not taken')
  if (token === '[') return String.raw`\[`
  if (token === String.raw`\s`) return SPACE
  if (token === String.raw`\S`) return NO_SPACE
  if (token === String.raw`\b`) return String.raw`\x08`
  return token
}
