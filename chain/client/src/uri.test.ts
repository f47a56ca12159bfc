import { expect, test } from 'vitest'
import { isFragment, isUri } from './uri.js'

// The examples are those of the pallet's own test (chain/pallets/did/src/tests/set_service.rs): the ledger's refusals
// are told here first.
test.each([
  'https://example.org',
  'https://user@[2001:db8::1]:8443/a;b/c?d=/e?f#g/h?i',
  'http://xn--bcher-kva.example/%C3%BC',
  'did:svc:abc?service=hub#key-1',
  'mailto:registry@university.example',
  'urn:x',
  'wss://hub.example',
  'a+b-c.9:x',
])('%s is a URI', (text) => expect(isUri(text)).toBe(true))

test.each([
  'not a uri at all',
  'example.org/path',
  '//example.org',
  ':x',
  '1a:x',
  'a b:x',
  'ü:x',
  'https:',
  'https://',
  'https:#a',
  'https:?a',
  'https://example.org/a b',
  'https://example.org/ü',
  'https://example.org/[a]',
  'https://example.org/?[a]',
  'https://example.org/#a#b',
  'https://example.org/%',
  'https://example.org/%zz',
  'https://example.org/?%4',
  'https://exa%mple.org/',
  'https://example.org/{a}',
  'https://example.org\\a',
  'urn:x\n',
  '',
])('%j is no URI', (text) => expect(isUri(text)).toBe(false))

test.each(['didcomm', 'linked-domains', 'a/b?c', "~._!$&'()*+,;=:@", '%C3%BC', '7'])(
  '%s may stand behind the # of a URI',
  (text) => expect(isFragment(text)).toBe(true),
)

test.each([
  '#didcomm',
  'did:svc:abc#didcomm',
  'hub with space',
  'ü',
  'a\n',
  '%',
  '%2',
  '%2g',
  'a^b',
  '[a]',
  '<a>',
  '"',
])('%j may not', (text) => expect(isFragment(text)).toBe(false))
