const WORDS: ReadonlyMap<string, string> = new Map([
  ['\\S', 'that is not blank'],
  ['^did:', 'that begins with did:'],
  ['^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$', 'in the form of a UUID'],
  ['^[0-9]{1,20}$', 'of 1 to 20 digits'],
  ['^[0-9]+$', 'of digits'],
  ['^(0|[1-9][0-9]{0,5})$', 'of 1 to 6 digits, without leading zeros'],
  ['^msg_[0-9a-f]{32}$', 'of msg_ and 32 hexadecimal digits'],
  ['^[A-Z0-9]{1,10}$', 'of 1 to 10 of A to Z and 0 to 9'],
  ['^[A-Za-z0-9_-]*$', 'in base64url'],
  ['^[^\\u0000-\\u001f\\u007f]*$', 'on one line, without control characters'],
  [
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$",
    'that is an e-mail address in ASCII characters',
  ],
  ['^[A-Za-z.]+(,[A-Za-z.]+)*$', 'of names with commas between them'],
  [
    '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    'on one line that is not blank, without control characters',
  ],
])

/** Of `hexPattern`, with the number of its digits. */
const HEXADECIMAL = /^\^\(0\[xX\]\)\?\[0-9a-fA-F\]\{(\d+)\}\$$/

/**
 * Returns what people read in place of a pattern, behind "a text"; undefined: nobody wrote words. A test finds the
 * patterns of requests that have none.
 */
export function wordsOfPattern(pattern: string): string | undefined {
  const digits = HEXADECIMAL.exec(pattern)?.[1]
  return digits === undefined ? WORDS.get(pattern) : `of ${digits} hexadecimal digits, with or without 0x`
}
