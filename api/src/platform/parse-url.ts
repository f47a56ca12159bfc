/**
 * Reads an absolute URL, or one relative to a base; undefined where it is none. Not `URL.canParse`: in Node 20 that
 * refuses texts with letters between U+0080 and U+00FF as soon as it was called some thousand times and is compiled.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
