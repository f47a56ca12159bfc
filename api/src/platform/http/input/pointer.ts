/** A step into JSON: the name of a member, or the index of an item. */
export type Place = readonly (string | number)[]

/** Returns the JSON pointer (RFC 6901) to a place, percent-encoded, so that it may stand in a header. */
export const pointerTo = (place: Place): string => place.map((step) => `/${encoded(String(step))}`).join('')

/** Half a surrogate pair has no encoding. */
const encoded = (step: string): string =>
  encodeURIComponent(
    step
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .replaceAll('~', '~0')
      .replaceAll('/', '~1'),
  )
