import { expect, test } from 'vitest'
import { maxLogoBytes, parseLogo } from './logo.js'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0])
const bmp = Buffer.from('BM000000')
const uri = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`

test.each([
  ['image/png', png, 'image/png'],
  ['image/jpeg', jpeg, 'image/jpeg'],
  ['image/jpg', jpeg, 'image/jpeg'],
  ['IMAGE/JPG', jpeg, 'image/jpeg'],
  ['image/bmp', bmp, 'image/bmp'],
  ['image/png;charset=utf-8', png, 'image/png'],
])('a data URI of type %s is an image', (type, bytes, mediaType) => {
  expect(parseLogo(uri(type, bytes))).toMatchObject({ kind: 'image', mediaType, bytes })
})

test('an empty logo is none, and a URL is kept', () => {
  expect(parseLogo('  ')).toEqual({ kind: 'none' })
  expect(parseLogo('https://example.org/a b.png')).toEqual({ kind: 'url', url: 'https://example.org/a%20b.png' })
})

const large = Buffer.alloc(maxLogoBytes + 1)
png.copy(large)

test.each([
  ['a script in an image', uri('image/svg+xml', Buffer.from('<svg onload="x()"/>'))],
  ['HTML that claims to be a png', uri('image/png', Buffer.from('<html><script>x()</script>'))],
  ['a jpeg that claims to be a png', uri('image/png', jpeg)],
  ['a gif', uri('image/gif', Buffer.from('GIF89a'))],
  ['no type', 'data:,hello'],
  ['no base64', 'data:image/png,hello'],
  ['broken base64', 'data:image/png;base64,@@@@'],
  ['nothing after the comma', 'data:image/png;base64,'],
  ['no comma', 'data:image/png;base64'],
  ['more than 1 MB', uri('image/png', large)],
  ['a script URL', 'javascript:alert(1)'],
  ['a file URL', 'file:///etc/passwd'],
  ['a URL with a password', 'https://user:secret@example.org/logo.png'],
  ['a relative URL', '/logos/a.png'],
  ['a text', 'logo'],
  ['a very long URL', `https://example.org/${'a'.repeat(2048)}`],
])('%s is refused', (_what, text) => {
  expect(() => parseLogo(text)).toThrow(/^logo/)
})
