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

/** Tells whether a text may be the type of a service: a name or a URI. */
export const isServiceType = (text: string): boolean => /^[\w.-]+$/.test(text) || isUri(text)
