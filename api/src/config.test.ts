import { expect, test } from 'vitest'
import { readConfig } from './config.js'

const DATABASE_URL = 'postgres://a@localhost/b'

test('a database is all that must be told', () => {
  expect(readConfig({ DATABASE_URL })).toMatchObject({
    environment: 'sandbox',
    apiUrl: 'http://127.0.0.1:3300',
    webUrl: 'http://127.0.0.1:3300',
    database: { url: DATABASE_URL, systemUrl: DATABASE_URL, migrationUrl: DATABASE_URL },
    ledger: { waitMs: 5000 },
  })
})

test('public addresses lose their trailing slash', () => {
  expect(readConfig({ DATABASE_URL, PUBLIC_URL: 'https://api.example/' }).apiUrl).toBe('https://api.example')
})

test.each([
  [{}, /DATABASE_URL is not set/],
  [{ DATABASE_URL, API_PORT: 'x' }, /API_PORT is "x": expected a whole number from 0 to 65535/],
  [{ DATABASE_URL, API_PORT: '70000' }, /API_PORT/],
  [{ DATABASE_URL, ENVIRONMENT: 'staging' }, /ENVIRONMENT is "staging": expected one of sandbox, production/],
  [{ DATABASE_URL, PUBLIC_URL: 'not a url' }, /PUBLIC_URL/],
  [{ DATABASE_URL, SOURCE_URL: 'javascript:alert(1)' }, /SOURCE_URL is "javascript:alert\(1\)": expected an address/],
  [{ DATABASE_URL, MONITOR_ADDRESSES: 'everybody' }, /MONITOR_ADDRESSES is "everybody": expected addresses/],
  [{ DATABASE_URL, TRUSTED_PROXIES: '10.0.0.0/33' }, /TRUSTED_PROXIES is/],
  [{ DATABASE_URL, CLOCK_OFFSET_FILE: '/x' }, /refused outside tests/],
])('a setting that cannot be is named in a sentence: %j', (source, message) => {
  expect(() => readConfig(source)).toThrow(message)
})
