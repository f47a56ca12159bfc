import { calculateStateRoot, createProof, destroyWorker } from '@acala-network/chopsticks-core/wasm-executor/index'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import { StateProof } from './state-proof.js'
import { buildTrie } from './testing/trie-builder.js'

afterAll(destroyWorker)

/** Keys that share beginnings, and are one another's beginnings; values on both sides of the 32 bytes of a hash. */
const key = fc
  .oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.array(fc.constantFrom(0, 1, 16, 17, 255), { maxLength: 140 }).map((bytes) => Uint8Array.from(bytes)),
  )
  .map(hexOf)
const value = fc.oneof(fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ minLength: 31, maxLength: 34 })).map(hexOf)
const entries = fc.uniqueArray(fc.tuple(key, value), { minLength: 1, maxLength: 30, selector: ([name]) => name })
const others = fc.array(key, { minLength: 5, maxLength: 20 })

const proofOf = (root: Hex, nodes: readonly Hex[]): StateProof => new StateProof(bytesOf(root), nodes, 'the state')
const valueIn = (proof: StateProof, name: Hex): Hex | undefined => {
  const found = proof.value(bytesOf(name))
  return found && hexOf(found)
}

function expectState(root: Hex, nodes: readonly Hex[], state: ReadonlyMap<Hex, Hex>, asked: readonly Hex[]): void {
  const names = [...state.keys()].sort()
  for (const name of [...names, ...asked]) {
    expect(valueIn(proofOf(root, nodes), name), name).toBe(state.get(name))
    const below = proofOf(root, nodes).keysUnder(bytesOf(name)).map(hexOf)
    expect(below, name).toEqual(names.filter((each) => each.startsWith(name)))
  }
}

test('values, absences and all keys below others are read from another implementation’s proofs', async () => {
  await fc.assert(
    fc.asyncProperty(entries, others, async (pairs, asked) => {
      const { trieRootHash, nodes } = await createProof([], pairs)
      expectState(trieRootHash, nodes, new Map(pairs), asked)
    }),
    { numRuns: 25 },
  )
})

test('they are read from tries of version 1, whose roots are those of another implementation', async () => {
  await fc.assert(
    fc.asyncProperty(entries, others, async (pairs, asked) => {
      const { root, nodes } = buildTrie(new Map(pairs), 1)
      expect(root).toBe(await calculateStateRoot(pairs, 1))
      expectState(root, nodes, new Map(pairs), asked)
    }),
    { numRuns: 25 },
  )
})

test('the nodes that were used prove the same, and without any one of them nothing is proved', () => {
  fc.assert(
    fc.property(entries, key, (pairs, other) => {
      const { root, nodes } = buildTrie(new Map(pairs), 1)
      for (const name of [pairs[0]?.[0] ?? '0x', other]) {
        const whole = proofOf(root, nodes)
        const answer = valueIn(whole, name)
        const used = whole.usedNodes()
        const small = proofOf(root, used)
        expect(valueIn(small, name)).toBe(answer)
        small.refuseUnused()
        for (const left of used) {
          const less = used.filter((node) => node !== left)
          expect(() => valueIn(proofOf(root, less), name)).toThrow(expect.objectContaining({ reason: 'missing_node' }))
        }
      }
    }),
    { numRuns: 25 },
  )
})

test('an empty state has no value', () => {
  const { root, nodes } = buildTrie(new Map(), 1)
  expectState(root, nodes, new Map(), ['0x', '0x01'])
})

test('a proof with more than was asked for is refused, and one that holds a node twice', () => {
  const { root, nodes } = buildTrie(new Map<Hex, Hex>([['0x01', `0x${'11'.repeat(40)}`]]), 1)
  const proof = proofOf(root, [...nodes, '0x1234'])
  proof.value(bytesOf('0x01'))
  expect(() => proof.refuseUnused()).toThrow('The proof of the state holds nodes that the question does not need.')
  expect(() => proofOf(root, [...nodes, ...nodes])).toThrow('The proof of the state holds a node twice.')
})
