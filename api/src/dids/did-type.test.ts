import { expect, test } from 'vitest'
import { checkKeyType, parseDidType } from './did-type.js'
import { didcommServices } from './didcomm-service.js'

const aliases = ['dock', 'cheqd']

test.each([
  [undefined, 'ledgerA'],
  ['', 'ledgerA'],
  ['ledgerA', 'ledgerA'],
  ['dock', 'ledgerA'],
  ['cheqd', 'ledgerA'],
  ['key', 'key'],
])('type %s means %s', (text, type) => {
  expect(parseDidType(text, aliases)).toBe(type)
})

test.each([
  ['ledgerB', 'ledger_not_configured'],
  ['polygonid', 'invalid_request'],
  ['LEDGERA', 'invalid_request'],
  ['__proto__', 'invalid_request'],
])('type %s is refused as %s', (text, type) => {
  expect(() => parseDidType(text, aliases)).toThrow(expect.objectContaining({ type, status: 400 }))
})

test('only Ed25519 keys are made, and others are refused by name', () => {
  for (const kind of [undefined, '', 'ed25519']) expect(() => checkKeyType(kind)).not.toThrow()
  for (const kind of ['bjj', 'secp256k1', 'sr25519', 'rsa']) expect(() => checkKeyType(kind)).toThrow(kind)
})

test('a new DID receives messages here, elsewhere, or nowhere', () => {
  const api = 'https://api.example.org'
  const at = (endpoint: string) => [{ id: 'didcomm', type: 'DIDCommMessaging', endpoints: [endpoint] }]
  expect(didcommServices({}, api)).toEqual(at(`${api}/messaging/receive`))
  expect(didcommServices({ didcommServiceUrl: 'https://example.org/inbox' }, api)).toEqual(
    at('https://example.org/inbox'),
  )
  expect(didcommServices({ includeDidcommService: false, didcommServiceUrl: 'not even a URL' }, api)).toEqual([])
})

test.each([
  'inbox',
  'ftp://example.org',
  'javascript:alert(1)',
  'https://user:secret@example.org',
  `https://example.org/${'a'.repeat(256)}`,
])('a service at %s is refused', (didcommServiceUrl) => {
  expect(() => didcommServices({ didcommServiceUrl }, 'https://api.example.org')).toThrow(/didcommServiceUrl/)
})
