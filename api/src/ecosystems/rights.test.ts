import { type Hex32, hex32Of } from '@accredit/chain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { roleOf } from './participants/role.js'
import {
  hasRights,
  planGrant,
  planRights,
  planSuspension,
  type Rights,
  rightsAfter,
  rightsFacts,
  type SchemaChange,
  union,
} from './rights.js'

const schema = (n: number): Hex32 => hex32Of(new Uint8Array(32).fill(n))
const [a, b, c] = [schema(1), schema(2), schema(3)]
const none: Rights = { issuer: [], verifier: [] }

/** Returns the rights that the ledger has after a plan, whatever it had before. */
function applied(before: Rights, changes: readonly SchemaChange[]): Rights {
  const roles = { issuer: new Set(before.issuer), verifier: new Set(before.verifier) }
  for (const change of changes)
    for (const role of ['issuer', 'verifier'] as const) {
      if (change[role] === true) roles[role].add(change.schema)
      if (change[role] === false) roles[role].delete(change.schema)
    }
  return { issuer: [...roles.issuer].sort(), verifier: [...roles.verifier].sort() }
}
const sorted = ({ issuer, verifier }: Rights): Rights => ({
  issuer: [...issuer].sort(),
  verifier: [...verifier].sort(),
})

describe('a plan of rights', () => {
  const schemas = fc.uniqueArray(fc.integer({ min: 1, max: 6 }).map(schema), { maxLength: 6 })
  const rights = fc.record({ issuer: schemas, verifier: schemas })
  const wanted = fc.record({
    issuer: fc.option(schemas, { nil: undefined }),
    verifier: fc.option(schemas, { nil: undefined }),
  })

  test('leads from the present rights to the wanted ones, and is empty exactly if they are the same', () => {
    fc.assert(
      fc.property(rights, wanted, (present, wish) => {
        const changes = planRights(present, wish)
        const after = rightsAfter(present, wish)
        expect(applied(present, changes)).toEqual(sorted(after))
        expect(changes.length === 0).toBe(JSON.stringify(sorted(present)) === JSON.stringify(sorted(after)))
      }),
    )
  })

  test('never names a schema of a role that was not asked for', () => {
    expect(planRights({ issuer: [a], verifier: [b] }, { issuer: [a, c] })).toEqual([
      { schema: a, issuer: true },
      { schema: c, issuer: true },
    ])
  })

  test('names one schema once, whatever happens to its two roles', () => {
    expect(planRights({ issuer: [a], verifier: [] }, { issuer: [], verifier: [a] })).toEqual([
      { schema: a, issuer: false, verifier: true },
    ])
  })

  test('is empty where all wanted rights are there, in any order', () => {
    fc.assert(
      fc.property(rights, ({ issuer, verifier }) => {
        const wish = { issuer: [...issuer].reverse(), verifier: [...verifier].reverse() }
        expect(planRights({ issuer, verifier }, wish)).toEqual([])
      }),
    )
  })

  test('is in the order of the schemas, in whatever order they are wanted', () => {
    const changes = planRights(none, { issuer: [c, a], verifier: [b] })
    expect(changes.map((change) => change.schema)).toEqual([a, b, c])
  })

  test('of an invitation names only what is granted, and nothing when the ledger has it all', () => {
    expect(planGrant({ issuer: [a], verifier: [] }, { issuer: [b], verifier: [] })).toEqual([
      { schema: b, issuer: true },
    ])
    expect(planGrant({ issuer: [a, b], verifier: [c] }, { issuer: [b], verifier: [] })).toEqual([])
    expect(planGrant(none, none)).toEqual([])
  })
})

test('a DID has rights when it issues or verifies anything', () => {
  expect(
    [
      { issuer: [a], verifier: [] },
      { issuer: [], verifier: [a] },
      { issuer: [a], verifier: [b] },
    ].map(hasRights),
  ).toEqual([true, true, true])
  expect(hasRights(none)).toBe(false)
})

test('two DIDs together have the rights of both, each once', () => {
  expect(union({ issuer: [a, b], verifier: [c] }, { issuer: [b, c], verifier: [c, a] })).toEqual({
    issuer: [a, b, c],
    verifier: [c, a],
  })
})

test('a DID is suspended by one call, in a role that it has', () => {
  expect(planSuspension(true, { issuer: [a], verifier: [b] })).toBe('suspend_issuers')
  expect(planSuspension(true, { issuer: [], verifier: [b] })).toBe('suspend_verifiers')
  expect(planSuspension(true, none)).toBeUndefined()
  expect(planSuspension(false, none)).toBe('unsuspend_verifiers')
  expect(planSuspension(false, { issuer: [a], verifier: [] })).toBe('unsuspend_issuers')
})

test('the role follows from the schemas; without any it is a verifier of what is public', () => {
  expect([roleOf([a], []), roleOf([], [a]), roleOf([a], [b]), roleOf([], [])]).toEqual([
    'issuer',
    'verifier',
    'verifier+issuer',
    'verifier',
  ])
})

test('the audit tells the rights of each role by its own name', () => {
  expect(rightsFacts({ issuer: [a, b], verifier: [c] })).toEqual({ issuerSchemas: [a, b], verifierSchemas: [c] })
})
