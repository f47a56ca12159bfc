import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { didWebUrl } from './did-web.js'

it.each([
  ['did:web:example.com', 'https://example.com/.well-known/did.json'],
  ['did:web:Example.com', 'https://example.com/.well-known/did.json'],
  ['did:web:w3c-ccg.github.io:user:alice', 'https://w3c-ccg.github.io/user/alice/did.json'],
  ['did:web:example.com%3A3000:user:alice', 'https://example.com:3000/user/alice/did.json'],
  ['did:web:example.com%3A443', 'https://example.com/.well-known/did.json'],
  ['did:web:xn--bcher-kva.example', 'https://xn--bcher-kva.example/.well-known/did.json'],
])('the document of %s stands at %s', (did, url) => {
  expect(didWebUrl(did)).toBe(url)
})

it.each([
  'did:web:',
  'did:web:localhost',
  'did:web:127.0.0.1',
  'did:web:127.1',
  'did:web:2130706433',
  'did:web:0x7f.1',
  'did:web:0x7f000001',
  'did:web:10.0.0.1%3A8080',
  'did:web:%5B%3A%3A1%5D',
  'did:web:user%40evil.com',
  'did:web:example.com%40evil.com',
  'did:web:example.com%2Fpath',
  'did:web:example.com%5Cpath',
  'did:web:example.com%3Fquery',
  'did:web:example.com%23fragment',
  'did:web:example.com%00',
  'did:web:example.com%E3%80%82evil.com',
  'did:web:example.com%3A0',
  'did:web:example.com%3A99999',
  'did:web:example.com%3Aabc',
  'did:web:example.com:',
  'did:web:example.com::a',
  'did:web:example.com:..:a',
  'did:web:example.com:%2e%2e:a',
  'did:web:example.com:.',
  'did:web:example.com:a%2F..%2F..',
  'did:web:example.com:%252e%252e',
  'did:web:example.com:a%5Cb',
  'did:web:example.com:a%40b',
  'did:web:example.com:a%3Fb',
  'did:web:example.com:a%23b',
  'did:web:example.com:%ff',
  'did:web:example..com',
  'did:web:-example.com',
  'did:web:example.com.',
  'did:web:münchen.example',
  `did:web:example.com:${'a'.repeat(600)}`,
  'did:key:example.com',
])('%s has no document', (did) => {
  expect(didWebUrl(did)).toBeUndefined()
})

const part = fc.oneof(
  fc.string(),
  fc.constantFrom('example', '.', '..', '%2e', '%40', '@', '%2F', '%5C', ':', 'com', '0x7f', '1'),
)

it('an address that is made is of one host, and below it', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const made = didWebUrl(`did:web:${parts.join('')}`)
      if (made === undefined) return
      const { protocol, username, password, search, hash, hostname, pathname } = new URL(made)
      expect([protocol, username, password, search, hash, isIP(hostname)]).toEqual(['https:', '', '', '', '', 0])
      expect(pathname.endsWith('/did.json') && !pathname.includes('..') && !pathname.includes('//')).toBe(true)
    }),
  )
})
