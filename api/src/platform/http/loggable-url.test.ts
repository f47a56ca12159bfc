import { expect, test } from 'vitest'
import { loggableUrl } from './loggable-url.js'

test.each([
  ['/c/1?p=aGk=&x=1', '/c/1?p=[redacted]&x=[redacted]'],
  ['/c/1?x=1&PassWord=a#b', '/c/1?x=[redacted]&PassWord=[redacted]&b'],
  ['/c/1?%70assword=a', '/c/1?[redacted]=[redacted]'],
  ['/c/1?%E0%A4%A=a', '/c/1?[redacted]=[redacted]'],
  ['/dids?ak_test_x', '/dids?[redacted]'],
  ['/sponsors/sk_test_x?sk_live_x', '/sponsors/[redacted]?[redacted]'],
  ['/dids?limit=&=', '/dids?limit&'],
  ['/dids/ak_test_x/history', '/dids/[redacted]/history'],
  ['/dids/%61k%5Flive_x?at=1', '/dids/[redacted]?at=[redacted]'],
  ['/credentials/https://x.example/?a?password=a', '/credentials/https://x.example/?a&password=[redacted]'],
  ['/credentials/a', '/credentials/a'],
])('%s is logged as %s', (url, logged) => {
  expect(loggableUrl(url)).toBe(logged)
})
