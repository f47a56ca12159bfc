import { parseUrl } from '../platform/parse-url.js'

/** Returns an address that a page may link to; undefined: the text is none. */
export function webLink(text: string): string | undefined {
  const url = /^https?:\/\/[^\s]+$/i.test(text) ? parseUrl(text) : undefined
  return url?.username === '' && url.password === '' ? url.href : undefined
}
