import { expect, test } from 'vitest'
import { loggableUrl } from './log.js'

test.each([
  ['/c/1?p=aGk=&x=1', '/c/1?p=[redacted]&x=1'],
  ['/c/1?x=1&PassWord=a#b', '/c/1?x=1&PassWord=[redacted]#b'],
  ['/c/1?%70assword=a', '/c/1?%70assword=[redacted]'],
  ['/c/1?%50=a&limit=3', '/c/1?%50=[redacted]&limit=3'],
  ['/c/1?%E0%A4%A=a', '/c/1?%E0%A4%A=[redacted]'],
  ['/credentials/https://x.example/?a?password=a', '/credentials/https://x.example/?a?password=[redacted]'],
  ['/credentials/a?limit=3&passwords=4', '/credentials/a?limit=3&passwords=4'],
])('%s is logged as %s', (url, logged) => {
  expect(loggableUrl(url)).toBe(logged)
})
