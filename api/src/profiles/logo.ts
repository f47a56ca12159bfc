import { createHash } from 'node:crypto'
import { parseUrl } from '../platform/http/input/parse-url.js'

export const maxLogoBytes = 1_048_576
const maxLogoUrl = 2048
/** A data URI of the largest logo: base64 takes four characters for three bytes. */
export const maxLogoText = 100 + Math.ceil(maxLogoBytes / 3) * 4

export type LogoMediaType = 'image/png' | 'image/jpeg' | 'image/bmp'

/** An image to store, or an address to keep. */
export type Logo = { kind: 'none' } | { kind: 'url'; url: string } | Image

export interface Image {
  kind: 'image'
  sha256: string
  mediaType: LogoMediaType
  bytes: Buffer
}

export class LogoRefused extends Error {
  override readonly name = 'LogoRefused'
}

const magic: readonly [LogoMediaType, readonly number[]][] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/bmp', [0x42, 0x4d]],
]
const declared = new Map<string, LogoMediaType>([
  ['image/png', 'image/png'],
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/bmp', 'image/bmp'],
  ['image/x-ms-bmp', 'image/bmp'],
])

/** Reads a caller's logo: empty, an http(s) address, or a data URI of a jpeg, png or bmp of at most 1 MB. */
export function parseLogo(text: string): Logo {
  const given = text.trim()
  if (given === '') return { kind: 'none' }
  if (/^data:/i.test(given)) return parseImage(given)
  if (given.length > maxLogoUrl) throw new LogoRefused(`logo: a URL may have at most ${maxLogoUrl} characters`)
  const url = parseUrl(given)
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new LogoRefused('logo must be an http(s) URL or a data URI of a jpeg, png or bmp')
  }
  return { kind: 'url', url: url.href }
}

function parseImage(uri: string): Logo {
  const comma = uri.indexOf(',')
  const [type = '', ...parameters] = uri.slice(5, Math.max(comma, 5)).toLowerCase().split(';')
  const mediaType = declared.get(type.trim())
  if (mediaType === undefined)
    throw new LogoRefused('logo: a data URI must be of type image/jpeg, image/png or image/bmp')
  if (!parameters.some((parameter) => parameter.trim() === 'base64'))
    throw new LogoRefused('logo: a data URI must be base64')
  const bytes = decodeBase64(uri.slice(comma + 1))
  if (bytes === undefined) throw new LogoRefused('logo is not valid base64')
  if (bytes.length > maxLogoBytes) throw new LogoRefused('logo may have at most 1 MB')
  const image = imageOf(bytes)
  if (image?.mediaType !== mediaType) throw new LogoRefused(`logo: the bytes are no ${mediaType.slice(6)}`)
  return image
}

/** A jpeg, png or bmp; undefined: anything else. */
export function imageOf(bytes: Buffer): Image | undefined {
  const mediaType = mediaTypeOf(bytes)
  if (mediaType === undefined) return undefined
  return { kind: 'image', sha256: createHash('sha256').update(bytes).digest('hex'), mediaType, bytes }
}

function decodeBase64(text: string): Buffer | undefined {
  if (text.length > maxLogoText || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 0 ? undefined : bytes
}

/** Returns the media type that the bytes show, whatever type was declared. */
function mediaTypeOf(bytes: Buffer): LogoMediaType | undefined {
  return magic.find(([, prefix]) => prefix.every((byte, index) => bytes[index] === byte))?.[0]
}
