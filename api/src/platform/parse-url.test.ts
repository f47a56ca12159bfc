import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseUrl } from './parse-url.js'

test('a URL with letters beyond ASCII is one, however often it is asked', () => {
  const wrong = Array.from({ length: 20_000 }, () => parseUrl('https://münchen.example/ä')?.href)
  expect(new Set(wrong)).toEqual(new Set(['https://xn--mnchen-3ya.example/%C3%A4']))
})

test('a text that is no URL gives none, and a relative one needs its base', () => {
  for (const text of ['', 'example.org', '//example.org', 'https://']) expect(parseUrl(text)).toBeUndefined()
  expect(parseUrl('b#c', 'https://v.example/a')?.href).toBe('https://v.example/b#c')
})

test('nothing that requests reach asks URL.canParse', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const asking = files.filter((name) => /canParse\(/.test(readFileSync(join(root, name), 'utf8')))
  expect(asking.filter((name) => !/^(config|settings|platform\/parse-url.test)\.ts$/.test(name))).toEqual([])
})
