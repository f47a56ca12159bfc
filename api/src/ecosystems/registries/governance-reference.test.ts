import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { governanceDigest, governanceReference, referenceHex } from './governance-reference.js'

const id = `0x${'0a'.repeat(32)}`

test('the reference names the public page and the SHA-256 of version, line feed and text', () => {
  const digest = createHash('sha256').update('1.0\n# Règles\n').digest('hex')
  expect(governanceReference('https://api.example', id, { version: '1.0', text: '# Règles\n' })).toBe(
    `https://api.example/trust-registries/${id}/public#sha256-${digest}`,
  )
})

test('a text that moves between version and framework changes the digest', () =>
  expect(governanceDigest({ version: '1', text: '0\nx' })).not.toBe(governanceDigest({ version: '1\n0', text: 'y' })))

test('wallets get the bytes in hexadecimal; what the ledger holds as other bytes stays as it is', () => {
  expect(referenceHex('https://é')).toBe('0x68747470733a2f2fc3a9')
  expect(referenceHex('0xff00')).toBe('0xff00')
})
