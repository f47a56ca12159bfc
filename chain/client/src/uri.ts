// The syntax of a URI (RFC 3986), as the ledger checks it.
const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}"
const FRAGMENT = new RegExp(`^(?:${CHARACTER}|[/?])*$`)
const URI = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.-]*:(?!$|[?#]|//(?:$|[?#]))(?://(?:${CHARACTER}|[[\\]])*(?=$|[/?#]))?(?:${CHARACTER}|/)*` +
    `(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?$`,
)

/** Tells whether a text is a URI: a scheme, and behind its colon an authority or a path, a query and a fragment. */
export const isUri = (text: string): boolean => URI.test(text)

/** Tells whether a text may stand behind the `#` of a URI. */
export const isFragment = (text: string): boolean => FRAGMENT.test(text)

// RFC 3986, section 6.2.2: small digits, and letters, digits, `-`, `.`, `_` and `~` that are encoded without need.
const NOT_NORMAL = /%(?:[a-f].|.[a-f]|2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/
const KEY_ID = /^keys?-\d+$/

/**
 * Tells whether a text may be the id of a service inside its DID, the part behind the `#`. An id has one spelling, the
 * normal form of RFC 3986, and is none of those that keys have.
 */
export const isServiceId = (text: string): boolean =>
  text !== '' && isFragment(text) && !NOT_NORMAL.test(text) && !KEY_ID.test(text)

/** Tells whether a text may be the type of a service: a name or a URI. */
export const isServiceType = (text: string): boolean => /^[\w.-]+$/.test(text) || isUri(text)
