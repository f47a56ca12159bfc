import { expect, test } from 'vitest'
import { isDeprecated, parseDidType, parseKeyType } from './did-type.js'
import { changedServices, didcommServices } from './didcomm-service.js'

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

test.each([
  [undefined, 'Ed25519', false],
  [' ', 'Ed25519', false],
  ['ed25519', 'Ed25519', false],
  ['bjj', 'BabyJubJub', false],
  ['secp256k1', 'Secp256k1', true],
  ['sr25519', 'Sr25519', true],
] as const)('keyType %s means %s', (text, kind, deprecated) => {
  expect(parseKeyType(text)).toBe(kind)
  expect(isDeprecated(kind)).toBe(deprecated)
})

test.each(['rsa', 'Ed25519', 'x25519', 'bls12381', '__proto__', 'constructor'])('keyType %s is refused', (text) => {
  expect(() => parseKeyType(text)).toThrow(/ed25519, bjj, secp256k1, sr25519/)
})

test('a new DID receives messages here, elsewhere, or nowhere', () => {
  const api = 'https://api.example.org'
  const at = (endpoint: string) => [{ id: 'didcomm', type: 'DIDCommMessaging', endpoints: [endpoint] }]
  expect(didcommServices({}, api)).toEqual(at(`${api}/messaging/receive`))
  const { href } = new URL('https://üniversite.example/messaging/receive')
  expect(didcommServices({}, 'https://üniversite.example')).toEqual(at(href))
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

const api = 'https://api.example.org'
const files = { id: 'files', type: 'Files', endpoints: ['https://files.example.org'] }
const inbox = (endpoint: string, id = 'didcomm') => ({ id, type: 'DIDCommMessaging', endpoints: [endpoint] })
const here = inbox(`${api}/messaging/receive`)
const [there, elsewhere] = ['https://a.example.org/', 'https://b.example.org/']

test.each([
  ['nothing asked for', [files, here], '', undefined, [files, here]],
  ['another address', [files, inbox(there)], elsewhere, undefined, [files, inbox(elsewhere)]],
  ['another address, told to have one', [inbox(there)], elsewhere, true, [inbox(elsewhere)]],
  ['the first address', [files], there, undefined, [files, inbox(there)]],
  ['to have one, where there is none', [files], '', true, [files, here]],
  ['to have one, where there is one', [inbox(there)], '', true, [inbox(there)]],
  ['to have none', [files, inbox(there, 'old')], '', false, [files]],
  ['an id of an older ledger', [inbox(there, '#didcomm')], elsewhere, undefined, [inbox(elsewhere)]],
  ['a service that others named', [inbox(there, 'old')], elsewhere, undefined, [inbox(elsewhere, 'old')]],
] as const)('services change as asked for: %s', (_what, before, didcommServiceUrl, includeDidcommService, after) => {
  const wish = { didcommServiceUrl, includeDidcommService }
  expect(
    changedServices(
      structuredClone(before).map((one) => ({ ...one, endpoints: [...one.endpoints] })),
      wish,
      api,
    ),
  ).toEqual(after)
})

test('services that need no change stay the same list, and nothing is written', () => {
  const services = [files, inbox(there)]
  for (const [url, include] of [
    [there, undefined],
    [there, true],
    ['', true],
    ['', undefined],
  ] as const)
    expect(changedServices(services, { didcommServiceUrl: url, includeDidcommService: include }, api)).toBe(services)
  const none = [files]
  expect(changedServices(none, { didcommServiceUrl: '', includeDidcommService: false }, api)).toBe(none)
  expect(() => changedServices(none, { didcommServiceUrl: there, includeDidcommService: false }, api)).toThrow(
    /not both/,
  )
})
