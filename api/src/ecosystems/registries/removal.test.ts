import { type Did, didSvc, type Hex32, hex32Of, type SchemaOp } from '@accredit/chain'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ListedSchema } from '../../ledger/read/registries/registry-schemas.js'
import { DELEGATES_MAX } from '../rights.js'
import { type Counting, type RemovalPart, removalDispatches, removalParts } from './removal.js'

/** The most that the ledger does in one call. */
const MAX_CHANGES = 1000

const id = (n: number): Hex32 =>
  hex32Of(new Uint8Array(32).map((_, i) => (i === 0 ? n % 256 : i === 1 ? (n >> 8) % 256 : 0)))
const dids = Array.from({ length: 3500 }, (_, n) => didSvc(id(n)))
const did = (n: number): Did => dids[n] ?? didSvc(id(n))
const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Returns the issuers and verifiers of a schema, by number. */
interface Listed {
  issuers: number[]
  verifiers: number[]
}

/** Returns schemas as the index tells them, where each issuer has so many delegates. */
function listed(schemas: readonly Listed[], delegatesOf: (issuer: number) => number): ListedSchema[] {
  const issued = new Map<number, number>()
  for (const { issuers } of schemas) for (const one of issuers) issued.set(one, (issued.get(one) ?? 0) + 1)
  return schemas.map(({ issuers, verifiers }, n) => ({
    schema: id(n),
    issuers: issuers.map((one) => ({ did: did(one), schemas: issued.get(one) ?? 0, delegates: delegatesOf(one) })),
    verifiers: verifiers.map(did),
  }))
}

/** A registry as the pallet counts in it. */
class Ledger {
  readonly schemas = new Map<Hex32, { issuers: Set<Did>; verifiers: Set<Did> }>()
  readonly delegates = new Map<Did, number>()

  constructor(schemas: readonly ListedSchema[]) {
    for (const { schema, issuers, verifiers } of schemas) {
      this.schemas.set(schema, { issuers: new Set(issuers.map((one) => one.did)), verifiers: new Set(verifiers) })
      for (const one of issuers) this.delegates.set(one.did, one.delegates)
    }
  }

  private issued = (issuer: Did): number =>
    [...this.schemas.values()].filter(({ issuers }) => issuers.has(issuer)).length

  /** Carries a call out; returns the number of entries that it reads. */
  apply(part: RemovalPart): number {
    const losing = new Map<Did, number>()
    let visited = part.size
    for (const [schema, op] of part) {
      const there = this.schemas.get(schema)
      if (there === undefined) throw new Error('NotFound')
      if (op === 'Discard') visited += new Set([...there.issuers, ...there.verifiers]).size
      const gone = op === 'Discard' ? { issuers: [...there.issuers], verifiers: [...there.verifiers] } : namedIn(op)
      if (op !== 'Discard') visited += gone.issuers.length + gone.verifiers.length
      for (const one of gone.issuers) if (there.issuers.has(one)) losing.set(one, (losing.get(one) ?? 0) + 1)
    }
    for (const [issuer, count] of losing) if (this.issued(issuer) === count) visited += this.delegates.get(issuer) ?? 0
    for (const [schema, op] of part) this.take(schema, op)
    return visited
  }

  private take(schema: Hex32, op: SchemaOp): void {
    if (op === 'Discard') this.schemas.delete(schema)
    else {
      for (const one of namedIn(op).issuers) this.schemas.get(schema)?.issuers.delete(one)
      for (const one of namedIn(op).verifiers) this.schemas.get(schema)?.verifiers.delete(one)
    }
  }
}

function namedIn(op: SchemaOp): { issuers: Did[]; verifiers: Did[] } {
  if (typeof op === 'string' || !('Modify' in op)) throw new Error('a removal takes away, and nothing else')
  const { issuers, verifiers } = op.Modify
  const named = (one: object | undefined) =>
    one && 'Modify' in one && one.Modify instanceof Map ? [...one.Modify.keys()] : []
  return { issuers: named(issuers), verifiers: named(verifiers) }
}

const numbers = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 30 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1500 }) },
)
const schemaArbitrary = fc
  .record({ issuers: numbers, verifiers: numbers, from: fc.integer({ min: 0, max: 200 }) })
  .map(({ issuers, verifiers, from }) => ({
    issuers: range(issuers).map((n) => from + n),
    verifiers: range(verifiers).map((n) => 2 * (from + n)),
  }))
const registry = fc.record({
  schemas: fc.array(schemaArbitrary, { minLength: 1, maxLength: 6 }),
  seed: fc.nat(),
})

const LIMITS = { numRuns: 40, interruptAfterTimeLimit: 20_000, endOnFailure: true }

test('no part does more than the ledger allows by its own counting, delegations that end included, and nothing is left', () => {
  fc.assert(
    fc.property(registry, fc.constantFrom<Counting>('listed', 'worst'), ({ schemas, seed }, counting) => {
      const plan = listed(schemas, (issuer) => (seed >> (issuer % 16)) % (DELEGATES_MAX + 1))
      const ledger = new Ledger(plan)
      for (const part of removalParts(plan, counting)) expect(ledger.apply(part)).toBeLessThanOrEqual(MAX_CHANGES)
      expect(ledger.schemas.size).toBe(0)
    }),
    LIMITS,
  )
})

test('a plan for the worst fits whatever issuers do until then', () => {
  fc.assert(
    fc.property(registry, fc.infiniteStream(fc.boolean()), ({ schemas }, leaves) => {
      const plan = listed(schemas, () => 0)
      const ledger = new Ledger(plan)
      for (const one of ledger.delegates.keys()) ledger.delegates.set(one, DELEGATES_MAX)
      for (const { issuers } of ledger.schemas.values())
        for (const one of issuers) if (leaves.next().value === true) issuers.delete(one)
      for (const part of removalParts(plan, 'worst')) expect(ledger.apply(part)).toBeLessThanOrEqual(MAX_CHANGES)
      expect(ledger.schemas.size).toBe(0)
    }),
    LIMITS,
  )
})

test('seventy issuers of sixteen delegates are parted by what ends with them, in one schema and in two', () => {
  const everyone = { issuers: range(70), verifiers: [] }
  const costs = (schemas: Listed[]) => {
    const plan = listed(schemas, () => DELEGATES_MAX)
    const ledger = new Ledger(plan)
    return removalParts(plan, 'listed').map((part) => ledger.apply(part))
  }
  expect(costs([everyone])).toEqual([800, 392, 1])
  expect(costs([everyone, everyone])).toEqual([786, 477, 1])
})

const sizes = (schemas: Listed[]) => {
  const plan = listed(schemas, () => 0)
  const ledger = new Ledger(plan)
  return removalParts(plan, 'listed').map((part) => ledger.apply(part))
}

test('small schemas go in one call, each with whoever is in it', () => {
  const [a, b] = [range(100), range(100).map((n) => n + 100)]
  const schemas = [
    { issuers: a, verifiers: [] },
    { issuers: a, verifiers: b },
    { issuers: [], verifiers: [] },
  ]
  expect(sizes(schemas)).toEqual([303])
})

test('participants of a large schema go before it, part by part', () => {
  expect(sizes([{ issuers: range(2000), verifiers: range(10) }])).toEqual([800, 800, 413, 1])
})

test('a removal of the largest size for one call takes one, and one more participant takes another', () => {
  expect(sizes([{ issuers: [], verifiers: range(799) }])).toEqual([800])
  expect(sizes([{ issuers: [], verifiers: range(800) }])).toEqual([800, 2, 1])
  expect(sizes([{ issuers: range(400), verifiers: range(399).map((n) => n + 400) }])).toEqual([800])
  const halves = [range(399), range(400)].map((verifiers) => ({ issuers: [], verifiers }))
  expect(sizes(halves)).toEqual([400, 401])
})

test('a plan for the worst counts the delegations of an issuer once in a call, however many of its schemas go in it', () => {
  const everyone = { issuers: range(40), verifiers: [] }
  const plan = listed([everyone, everyone, everyone], () => 0)
  expect(removalParts(plan, 'worst').map((part) => part.size)).toEqual([3])
  const one = listed([{ issuers: range(48), verifiers: [] }], () => 0)
  expect(removalParts(one, 'worst')).toHaveLength(3)
  expect(removalParts(one, 'listed')).toHaveLength(1)
})

test('those who leave a large schema are named in their roles, and a role without any is not', () => {
  const plan = listed(
    [
      { issuers: range(800), verifiers: [] },
      { issuers: [], verifiers: range(800) },
    ],
    () => 0,
  )
  const parts = removalParts(plan, 'listed')
  const discarded = <Role extends string>(role: Role, who: number[]) => ({
    Modify: { [role]: { Modify: new Map(who.map((n) => [did(n), 'Discard'])) } },
  })
  expect(parts[0]).toEqual(new Map([[id(0), discarded('issuers', range(799))]]))
  expect(parts[1]).toEqual(
    new Map([
      [id(0), discarded('issuers', [799])],
      [id(1), discarded('verifiers', range(797))],
    ]),
  )
})

test('a registry without schemas is removed in one call, and of a schema that is gone nothing is written', () => {
  expect(removalDispatches(id(9), [], { counting: 'listed' })).toHaveLength(1)
  expect(removalDispatches(id(9), [], { counting: 'listed', only: id(1) })).toEqual([])
})
