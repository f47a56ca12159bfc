import { expect, test } from 'vitest'
import { loggableUrl } from './loggable-url.js'

const HEX = 'ab'.repeat(32)

test.each([
  ['/c/1?p=aGk=&x=1', '/c/:hex', { hex: '1' }, '/c/:hex?p=[redacted]&x=[redacted]'],
  [`/c/${HEX}`, '/c/:hex', { hex: HEX }, '/c/:hex'],
  ['/dids?x=1&PassWord=a#b', '/dids', {}, '/dids?x=[redacted]&PassWord=[redacted]&b'],
  ['/dids?%70assword=a', '/dids', {}, '/dids?[redacted]=[redacted]'],
  ['/dids?%E0%A4%A=a', '/dids', {}, '/dids?[redacted]=[redacted]'],
  ['/dids?ak_test_x', '/dids', {}, '/dids?[redacted]'],
  ['/dids?limit=&=', '/dids', {}, '/dids?limit&'],
  ['/dids/ak_test_x/history', '/dids/:did/history', { did: 'ak_test_x' }, '/dids/:did/history'],
  ['/dids/did:key:z6Mk/history', '/dids/:did/history', { did: 'did:key:z6Mk' }, '/dids/:did/history'],
  ['/dids/did:svc:5Gx', '/dids/:did', { did: 'did:svc:5Gx' }, '/dids/did:svc:5Gx'],
  [
    '/credentials/https://x.example/?a?password=a',
    '/credentials/:id',
    { id: 'https://x.example/?a' },
    '/credentials/:id?a&password=[redacted]',
  ],
  [`/registries/0x${HEX}`, '/registries/:id', { id: `0x${HEX}` }, `/registries/0x${HEX}`],
  ['/teams/7/members/8', '/teams/:id/members/:user_id', { id: '7', user_id: '8' }, '/teams/7/members/8'],
  ['/schemas/https://x.example/s.json', '/schemas/*', { '*': 'https://x.example/s.json' }, '/schemas/*'],
  ['/sponsors/sk_test_x?sk_live_x', undefined, {}, '/sponsors/…?[redacted]'],
  ['/ak_test_x', undefined, {}, '/[redacted]'],
  ['/zeynep@x.example/a', undefined, {}, '/[redacted]/…'],
  ['/', undefined, {}, '/'],
])('%s of %s is logged without ids of people and without secrets', (originalUrl, url, params, logged) => {
  expect(loggableUrl({ originalUrl, routeOptions: { url }, params })).toBe(logged)
})
