import { expect, test } from 'vitest'
import type { Json } from '../../formats/json.js'
import { STATUS_METHODS, statusMethodsOf } from '../../status/status-methods.js'
import { credentialRules } from './credential-input.js'
import { withoutNulls } from './nulls.js'

test('nulls are left out wherever they stand, and the first of them are told by their places', () => {
  const found: string[] = []
  const value = { a: null, b: [1, null, { c: null, d: 2 }], e: { f: [null] } }
  expect(withoutNulls(value, ['subject'], found)).toEqual({ b: [1, { d: 2 }], e: { f: [] } })
  expect(found).toEqual(['/subject/a', '/subject/b/1', '/subject/b/2/c', '/subject/e/f/0'])
})

test('no more places are made than are told, however many nulls there are', () => {
  const found = ['/proof']
  expect(withoutNulls(Array(10_000).fill(null), [], found)).toEqual([])
  expect(found).toEqual(['/proof', ...Array.from({ length: 21 }, (_, index) => `/${index}`)])
})

test('a credential that is too large is looked at by no rule', () => {
  const subject: Json = { a: Array(20_000).fill(null) }
  const services = { statusMethods: statusMethodsOf(STATUS_METHODS) }
  expect(credentialRules({ credential: { subject } }, services)).toEqual([])
  expect(credentialRules({ credential: { subject: { a: null } } }, services)).not.toEqual([])
})
