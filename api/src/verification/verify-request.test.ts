import { describe, expect, it } from 'vitest'
import { testKey } from '../formats/json-ld/testing.js'
import { ApiError } from '../platform/errors.js'
import { readVerifyRequest } from './verify-request.js'

const document = { '@context': 'x' }
const { did } = testKey()
const nothing = {
  trustRegistry: undefined,
  verifierDID: undefined,
  challenge: undefined,
  domain: undefined,
  at: undefined,
  require: new Set(),
  maxStatusAgeSeconds: undefined,
}

function refusalOf(body: unknown): { type: string; message: string } | undefined {
  try {
    readVerifyRequest(body)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return { type: error.type, message: error.message }
    throw error
  }
}

describe('a body', () => {
  it('is the document, or has it as data, with no question more', () => {
    for (const one of [document, 'a token', { '@context': 'x', data: 1 }]) {
      expect(readVerifyRequest(one)).toEqual({ ...nothing, document: one })
      expect(readVerifyRequest({ data: one })).toEqual({ ...nothing, document: one })
    }
  })

  it('has its questions beside the document', () => {
    const asked = { challenge: 'c', domain: 'd', at: 7, maxStatusAgeSeconds: 0 }
    const body = { data: document, ...asked, trustRegistryId: 'Slug', verifierDID: did, require: ['holder', 'status'] }
    expect(readVerifyRequest(body)).toEqual({
      ...asked,
      document,
      trustRegistry: { slug: 'slug' },
      verifierDID: did,
      require: new Set(['holder', 'status']),
    })
    expect(readVerifyRequest({ data: document, trustRegistryId: 'r' })).toMatchObject({ verifierDID: undefined })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['an empty object', {}],
    ['a list', [document]],
    ['an empty text as data', { data: '' }],
    ['an empty object as data', { data: {} }],
    ['null as data', { data: null }],
  ])('of %s is no document', (_, body) => {
    expect(refusalOf(body)).toMatchObject({ type: 'invalid_request', message: expect.stringContaining('as data') })
  })

  it('asks nothing in the document itself, where it would be a claim', () => {
    const refusal = refusalOf({ ...document, challenge: 'c', require: [] })
    expect(refusal).toMatchObject({
      type: 'unknown_member',
      message: expect.stringContaining('challenge is no member'),
    })
    expect(refusal?.message).toContain('1 more')
  })

  it('names a registry for whoever it asks about as verifier', () => {
    const body = { data: document, verifierDID: did }
    expect(refusalOf(body)?.message).toContain('needs trustRegistryId')
    expect(refusalOf({ ...body, trustRegistryId: 'r', verifierDID: 'x' })?.message).toContain('verifierDID')
  })

  it.each<[unknown]>([[null], ['status'], [[]], [[null]], [['status', 'x']], [{}]])(
    'requires checks that there are, not %j',
    (require) => {
      expect(refusalOf({ data: document, require })?.message).toMatch(/^require must be a list/)
    },
  )
})
