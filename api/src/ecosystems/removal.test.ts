import { type Did, describeCalls, didSvc, type Hex32, hex32Of } from '@accredit/chain'
import { expect, test } from 'vitest'
import { type ListedSchema, removalCalls } from './removal.js'

const id = (n: number): Hex32 =>
  hex32Of(
    new Uint8Array(32)
      .fill(0)
      .fill(n % 256, 0, 1)
      .fill(n >> 8, 1, 2),
  )
const dids = (count: number): Did[] => Array.from({ length: count }, (_, i) => didSvc(id(i)))
const registry = id(65_535)
const listed = (n: number, issuers: number, verifiers = 0): ListedSchema => ({
  ...{ schema: id(n), issuers: dids(issuers), verifiers: dids(verifiers) },
})
const texts = (schemas: ListedSchema[]) =>
  removalCalls(registry, schemas).map((call) => JSON.stringify(describeCalls([call])))
const count = (text: string, word: string) => text.split(`"${word}"`).length - 1

test('small schemas go in one call, each with whoever is in it', () => {
  const [call = '', ...rest] = texts([listed(1, 100), listed(2, 100, 100), listed(3, 0)])
  expect(rest).toEqual([])
  expect(count(call, 'Discard')).toBe(3)
})

test('a call never changes more than the ledger allows', () => {
  expect(texts([listed(1, 500), listed(2, 500), listed(3, 100)])).toHaveLength(2)
})

test('participants of a large schema go before it, part by part', () => {
  const calls = texts([listed(1, 2000, 10)])
  expect(calls.map((call) => count(call, 'Discard'))).toEqual([800, 800, 400, 10, 1])
})

test('nothing is written for a registry without schemas', () => expect(removalCalls(registry, [])).toEqual([]))
