import { schemaId } from '@accredit/chain'
import { describe, expect, test } from 'vitest'
import { hashesOf, namesOf, parseSchemaRef, parseSchemaRefs } from './schema-ref.js'

const uri = 'https://schema.example/UniversityDegree-V1-1.json'

describe('a schema', () => {
  test('is named by its URI, or by the hash that the ledger knows it by, in any case', () => {
    expect(parseSchemaRef(uri, 'schema')).toEqual({ hash: schemaId(uri), uri })
    const bare = schemaId(uri).slice(2)
    for (const hash of [bare, bare.toUpperCase(), `0x${bare}`, `0x${bare.toUpperCase()}`])
      expect(parseSchemaRef(hash, 'schema')).toEqual({ hash: schemaId(uri) })
  })

  test.each(['did:svc:abc?resource=1', 'urn:uuid:0', 'blob:dock:5C', 'ipfs://bafy', 'http://127.0.0.1:3000/s.json'])(
    'may be %s',
    (text) => expect(parseSchemaRef(text, 'schema').uri).toBe(text),
  )

  test.each([
    '',
    'University Degree',
    'schema.example/a.json',
    'https//schema.example/a.json',
    'https://',
    'https://exa mple/a.json',
    'javascript:alert(1)',
    'data:application/json,{}',
    'file:///etc/passwd',
    '0x12',
    '0x',
    `0x${'zz'.repeat(32)}`,
    'https://schema.example/\u0000',
    'https://schema.example/\ufffd',
    `https://schema.example/${'a'.repeat(1100)}`,
  ])('may not be %j', (text) => expect(() => parseSchemaRef(text, 'issuerSchemas')).toThrow('issuerSchemas'))

  test('that is named twice, by URI and by hash, counts once and keeps its URI', () => {
    const refs = parseSchemaRefs([schemaId(uri), uri, uri], 'issuerSchemas')
    expect(refs).toEqual([{ hash: schemaId(uri), uri }])
    expect([hashesOf(refs), namesOf(refs)]).toEqual([[schemaId(uri)], [uri]])
  })
})
