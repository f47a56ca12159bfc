import { expect, test } from 'vitest'
import { isOwnAddress } from './own-addresses.js'

const hosts = {
  apiUrl: 'https://api.example.com',
  webUrl: 'https://creds.example.com:8443',
  schemaUrl: 'https://shared.example.com/accredit',
}

test.each([
  'https://api.example.com/c/x',
  'https://API.Example.COM/c/x',
  'HTTPS://api.example.com/c/x',
  'http://api.example.com/c/x',
  'https://api.example.com:443/c/x',
  'https://api.example.com./c/x',
  'https://somebody:secret@api.example.com/c/x',
  'https:api.example.com/c/x',
  'https:///api.example.com/c/x',
  'https://api.example.com',
  'https://api.example.com/?q#f',
  'https://api%2Eexample%2Ecom/c/x',
  'https://ａｐｉ.example.com/c/x',
  'https://creds.example.com:8443/anything',
  'https://creds.example.com:08443/anything',
  'https://shared.example.com/accredit/schema-documents/x.json',
  'https://shared.example.com/accredit?x',
  'https://shared.example.com/Accredit/x',
  'https://shared.example.com/other/../accredit/x',
  'https://shared.example.com/other/%2e%2E/accredit/x',
  'https://shared.example.com/%61ccredit/x',
  'https://shared.example.com/%2561ccredit/x',
  'https://shared.example.com//accredit/x',
  'https://shared.example.com//accredit/%78',
  'https://shared.example.com/%2Faccredit/x',
  'https://shared.example.com/%5Caccredit/x',
])('%s is ours', (uri) => expect(isOwnAddress(hosts, uri)).toBe(true))

test.each([
  'urn:uuid:3a4b5c6d-0000-4000-8000-000000000000',
  'did:web:api.example.com:c:x',
  'https://api.example.com.evil.example/c/x',
  'https://api.example.com@evil.example/c/x',
  'https://api.example.com:8443/c/x',
  'https://creds.example.com/c/x',
  'https://sub.api.example.com/c/x',
  'https://evil.example/https://api.example.com/c/x',
  'https://shared.example.com/other',
  'https://shared.example.com/accreditation',
  'https://shared.example.com/accredit/../other',
  'ftp://api.example.com/c/x',
  'not a uri',
])('%s is not ours', (uri) => expect(isOwnAddress(hosts, uri)).toBe(false))

test('a machine is itself under each of its names', () => {
  const local = { apiUrl: 'http://127.0.0.1:3300', webUrl: 'http://127.0.0.1:3300', schemaUrl: 'http://127.0.0.1:3300' }
  for (const host of ['localhost', 'LOCALHOST', 'x.localhost', '127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::1]'])
    expect(isOwnAddress(local, `http://${host}:3300/c/x`), host).toBe(true)
  for (const host of ['0.0.0.0', '0', '[::]']) expect(isOwnAddress(local, `http://${host}:3300/c/x`), host).toBe(true)
  expect(isOwnAddress(local, 'http://[::ffff:127.0.0.1]:3300/c/x')).toBe(true)
  expect(isOwnAddress(local, 'http://127.0.0.1:3400/c/x')).toBe(false)
  expect(isOwnAddress(local, 'http://192.0.2.1:3300/c/x')).toBe(false)
})
