import { createHash } from 'node:crypto'
import { encodeBase58 } from '@accredit/chain'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../json.js'
import { otherDigests, wrongInResources } from './related-resources.js'

const BYTES = Buffer.from('the resource')
const id = 'https://r.example/a'
const hash = (name: string, bytes = BYTES) => createHash(name).update(bytes).digest()
const sri = (name: string, bytes = BYTES) => `${name}-${hash(name, bytes).toString('base64')}`
const multihash = (prefix: number[], name: string, bytes = BYTES) => Buffer.from([...prefix, ...hash(name, bytes)])
const z = (bytes: Buffer) => `z${encodeBase58(bytes)}`
const u = (bytes: Buffer) => `u${bytes.toString('base64url')}`

const GOOD: JsonObject[] = [
  ...['sha256', 'sha384', 'sha512'].map((name) => ({ digestSRI: sri(name) })),
  { digestSRI: `${sri('sha256')} ${sri('sha512')}` },
  ...['sha256', 'sha512'].map((name) => ({ digestSRI: `${name}-${hash(name).toString('hex')}` })),
  { digestSRI: [sri('sha384')], digestMultibase: u(multihash([0x12, 0x20], 'sha256')) },
  { digestMultibase: z(multihash([0x12, 0x20], 'sha256')) },
  { digestMultibase: u(multihash([0x20, 0x30], 'sha384')) },
  { digestMultibase: u(multihash([0x13, 0x40], 'sha512')) },
]

it.each(GOOD)('a resource is compared with every digest that is named: %j', (digests) => {
  const resource = { id, ...digests }
  expect(wrongInResources([resource])).toBeUndefined()
  expect(otherDigests([resource], new Map([[id, BYTES]]))).toEqual([])
  expect(otherDigests([resource], new Map([[id, Buffer.from('another')]]))).toEqual([id])
  expect(otherDigests([resource], new Map())).toEqual([])
})

it('one good digest makes no other good', () => {
  const resource = {
    id,
    digestSRI: sri('sha256'),
    digestMultibase: u(multihash([0x12, 0x20], 'sha256', Buffer.from('x'))),
  }
  expect(otherDigests([resource], new Map([[id, BYTES]]))).toEqual([id])
})

it.each<JsonObject>([
  { digestSRI: `md5-${hash('md5').toString('base64')}` },
  { digestSRI: `sha256-${hash('sha512').toString('base64')}` },
  { digestSRI: '' },
  { digestSRI: [], digestMultibase: 'x' },
  { digestSRI: 7 },
  { digestMultibase: hash('sha256').toString('hex') },
  { digestMultibase: u(hash('sha256')) },
  { digestMultibase: u(multihash([0x12, 0x20], 'sha512')) },
  { digestMultibase: 'z0' },
  { digestMultibase: null },
])('a digest that cannot be compared is none: %j', (digests) => {
  expect(wrongInResources({ id, ...digests })).toMatch(/is none of SHA-256/)
})
