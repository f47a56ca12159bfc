/** Returns an address that a page may link to; undefined: the text is none. */
export function webLink(text: string): string | undefined {
  if (!/^https?:\/\/[^\s]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url.href : undefined
}
