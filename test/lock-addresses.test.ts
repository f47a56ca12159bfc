import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withAddresses } from '../scripts/lock-addresses.mjs'

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const text = read('package-lock.json')

test('the lock tells where each archive is, and names no registry (npm run lock-addresses mends it)', () => {
  expect(text === withAddresses(text)).toBe(true)
  const packages = Object.values<{ integrity?: string; resolved?: string }>(JSON.parse(text).packages)
  const archived = packages.filter(({ integrity }) => integrity)
  expect(archived.length).toBeGreaterThan(1_000)
  for (const { resolved } of archived) expect(resolved).toMatch(/^https:\/\/registry\.invalid\/.+\.tgz$/)
})

test('npm asks the registry that is configured, in place of the host in the lock', () => {
  expect(read('.npmrc')).toMatch(/^replace-registry-host=registry\.invalid$/m)
  expect(read('.npmrc')).toMatch(/^omit-lockfile-registry-resolved=false$/m)
})

test('an address of a package that npm has just added, with the registry of whoever did, is mended', () => {
  const added = {
    version: '7.0.0',
    resolved: 'https://elsewhere.example/is-number/-/is-number-7.0.0.tgz',
    integrity: 'sha512-x',
  }
  const scoped = { name: '@sd-jwt/core', version: '0.19.0', integrity: 'sha512-y', dev: true }
  const archive = { version: '1.0.0', resolved: 'https://elsewhere.example/archive.tgz', integrity: 'sha512-z' }
  const folder = { resolved: 'signer', link: true }
  const packages = {
    'api/node_modules/is-number': added,
    'node_modules/other': scoped,
    'node_modules/own': folder,
    'node_modules/archive': archive,
  }
  expect(JSON.parse(withAddresses(JSON.stringify({ packages }))).packages).toEqual({
    'api/node_modules/is-number': { ...added, resolved: 'https://registry.invalid/is-number/-/is-number-7.0.0.tgz' },
    'node_modules/other': { ...scoped, resolved: 'https://registry.invalid/@sd-jwt/core/-/core-0.19.0.tgz' },
    'node_modules/own': folder,
    'node_modules/archive': archive,
  })
})
