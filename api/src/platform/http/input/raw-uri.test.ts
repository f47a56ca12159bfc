import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { type Method, operation } from '../operation.js'
import { rawUriRewriter } from './raw-uri.js'

const op = (method: Method, url: string) =>
  operation({
    querystring: Type.Object({ at: Type.Optional(Type.String()) }),
    method,
    url,
    operationId: 'x',
    tags: [],
    summary: '',
    auth: 'public',
    tenancy: 'public',
    response: { 200: Type.Any() },
    handler: async () => null,
  })

const read = rawUriRewriter([
  op('GET', '/schemas/:id/versions'),
  op('DELETE', '/credentials/:id'),
  op('GET', '/schemas/:id'),
  op('GET', '/credentials/:id'),
  op('POST', '/credentials/:id/revoke'),
  op('POST', '/trust-registries/:registryId/schemas/:schemaId/price'),
])
const rewrite = (method: string, url: string) => {
  const { url: rewritten, doubt } = read(method, url)
  return doubt ?? rewritten
}

test('a raw URI in a path is one parameter, whatever stands around it', () => {
  const uri = encodeURIComponent('https://h.example/a/b.json')
  expect(rewrite('GET', '/schemas/https://h.example/a/b.json?at=3')).toBe(`/schemas/${uri}?at=3`)
  expect(rewrite('POST', '/credentials/https://h.example/a/b.json/revoke')).toBe(`/credentials/${uri}/revoke`)
  expect(rewrite('POST', '/credentials/https://h.example/a/b.json/revoke/?dryRun=true')).toBe(
    `/credentials/${uri}/revoke?dryRun=true`,
  )
  expect(rewrite('POST', '/trust-registries/0xab/schemas/https://h.example/a/b.json/price')).toBe(
    `/trust-registries/0xab/schemas/${uri}/price`,
  )
})

test('a URI that ends like a route of another method is not cut', () => {
  const uri = encodeURIComponent('https://h.example/revoke')
  expect(rewrite('GET', '/credentials/https://h.example/revoke')).toBe(`/credentials/${uri}`)
})

test('merged slashes are put back, and encoded or plain ids stay as they are', () => {
  expect(rewrite('GET', '/schemas/https:/h.example/x')).toBe(`/schemas/${encodeURIComponent('https://h.example/x')}`)
  expect(rewrite('GET', '/schemas/https%3A%2F%2Fh.example%2Fx')).toBe('/schemas/https%3A%2F%2Fh.example%2Fx')
  expect(rewrite('GET', '/schemas/abc?u=https://h.example/x')).toBe('/schemas/abc?u=https://h.example/x')
})

test('a raw URI that may be another one is doubtful', () => {
  expect(rewrite('POST', '/credentials/https://h.example/r%2Fs/revoke')).toMatch(/holds a %/)
  expect(rewrite('DELETE', '/credentials/https://h.example/%zz')).toMatch(/holds a %/)
  for (const query of ['student=1', 'at=3&student=1', 'https://h.example/y'])
    expect(rewrite('DELETE', `/credentials/https://h.example/x?${query}`)).toMatch(/follows the \?/)
  expect(rewrite('DELETE', '/credentials/https://h.example/x?y=z?at=3')).toMatch(/follows the \?/)
  expect(rewrite('DELETE', '/credentials/https://h.example/x/')).toMatch(/at its end/)
  expect(rewrite('GET', '/schemas/https://h.example/versions')).toMatch(/more than one place/)
})
