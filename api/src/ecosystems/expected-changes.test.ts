import {
  calls,
  type Did,
  describeCalls,
  hex32Of,
  type IssuerOp,
  type PriceOp,
  parseDid,
  type SchemaOp,
  type VerifierOp,
} from '@accredit/chain'
import { expect, test } from 'vitest'
import { someDidKey } from '../dids/testing.js'
import { expectedChanges } from './expected-changes.js'

const newDid = (): Did => {
  const did = parseDid(someDidKey())
  if (did === undefined) throw new TypeError('a did:key was made')
  return did
}
const [convener, did] = [newDid(), newDid()]
const [registryId, schema] = [hex32Of(new Uint8Array(32).fill(1)), hex32Of(new Uint8Array(32).fill(2))]
const write = (op: SchemaOp) =>
  calls.trustRegistry.setSchemasMetadata({ registryId, update: { Modify: new Map([[schema, op]]) } })
const issuer = (op: IssuerOp): SchemaOp => ({ Modify: { issuers: { Modify: new Map([[did, op]]) } } })
const verifier = (op: VerifierOp): SchemaOp => ({ Modify: { verifiers: { Modify: new Map([[did, op]]) } } })
const changes = (...encoded: Uint8Array[]) => expectedChanges(convener, describeCalls(encoded))

test('the later one of two changes of the same thing in one dispatch counts', () => {
  const has = { of: 'issuer', schema, did, holds: true }
  expect(changes(write(issuer('Ensure')))).toEqual([has])
  expect(changes(write(issuer('Ensure')), write(issuer('Discard')))).toEqual([{ ...has, holds: false }])
  // A verifier that comes and goes closes a schema.
  const isNoVerifier = { of: 'verifier', schema, did, holds: false }
  expect(changes(write(verifier('Ensure')), write(verifier('Discard')))).toEqual([
    { of: 'public', schema, holds: false },
    isNoVerifier,
  ])
})

test('every kind of change says what it leaves', () => {
  expect(
    changes(calls.trustRegistry.initOrUpdate({ registryId, name: 'Kenya', govFramework: 'https://x.org' })),
  ).toEqual([{ of: 'registry', convener, name: 'Kenya', governance: 'https://x.org' }])
  expect(changes(write({ Add: { issuers: new Map(), verifiers: [] } }))).toEqual([
    { of: 'schema', schema, holds: true },
    { of: 'public', schema, holds: true },
  ])
  expect(changes(calls.trustRegistry.remove({ registryId }))).toEqual([{ of: 'removed' }])
  expect(changes(write('Discard'))).toEqual([{ of: 'schema', schema, holds: false }])
  expect(changes(write({ Modify: { verifiers: { Set: [] } } }))).toEqual([{ of: 'public', schema, holds: true }])
  const far = 2n ** 64n
  expect(changes(write(issuer({ Set: new Map([['EUR', far]]) })))).toEqual([
    { of: 'issuer', schema, did, holds: true },
    { of: 'prices', schema, did, prices: { EUR: String(far) } },
  ])
  const ops: [string, PriceOp][] = [
    ['EUR', { Set: 5n }],
    ['USD', 'Remove'],
  ]
  const prices: IssuerOp = { Modify: new Map(ops) }
  expect(changes(write(issuer(prices)))).toEqual([
    { of: 'price', schema, did, currency: 'EUR', price: '5' },
    { of: 'price', schema, did, currency: 'USD', price: null },
  ])
  for (const [name, holds] of [
    ['suspendIssuers', true],
    ['suspendVerifiers', true],
    ['unsuspendIssuers', false],
    ['unsuspendVerifiers', false],
  ] as const)
    expect(changes(calls.trustRegistry[name]({ registryId, dids: [did] }))).toEqual([{ of: 'suspended', did, holds }])
  const delegated = { Modify: new Map([[did, 'Add' as const]]) }
  expect(changes(calls.trustRegistry.updateDelegatedIssuers({ registryId, delegated }))).toEqual([
    { of: 'delegate', did: convener, delegate: did, holds: true },
  ])
})

test('a call that replaces members it does not name is refused', () => {
  for (const call of [
    write({ Modify: { verifiers: { Set: [did] } } }),
    write({ Modify: { issuers: { Set: new Map() } } }),
    calls.trustRegistry.accept({ registryId }),
  ])
    expect(() => changes(call)).toThrow(RangeError)
})
