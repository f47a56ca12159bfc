import { expect, test } from 'vitest'
import type { Hex } from './bytes.js'
import { encodeHeader } from './header.js'
import { neededReads } from './needed-reads.js'
import type { Question } from './question.js'
import { headerJson } from './testing/runtime-types.js'
import { FIRST, MAY_ISSUE, SECOND, sampleBundle, sampleNetwork } from './testing/sample-bundle.js'
import { didNamed, listedDelegation } from './testing/sample-ledger.js'
import { justify } from './testing/test-network.js'
import { trimJustification } from './trim-justification.js'
import { verifyProof } from './verify-proof.js'

const network = sampleNetwork()
const [block, final, later] = [network.block(4), network.block(5), network.block(6)]

test('a header is written from its JSON as it was', () => {
  for (const { header } of network.blocks) expect(encodeHeader(headerJson(header))).toBe(header)
})

test('a justification with both votes of a validator that voted twice proves as much without the second one', () => {
  const [one, two, three] = SECOND
  if (!one || !two || !three) throw new Error('the second set has four validators')
  const options = { setId: 1, others: [[two, block] as const] }
  const whole = justify(final, [one, two, three], options)
  const bundle = { ...sampleBundle(MAY_ISSUE, network), justification: whole }
  expect(() => verifyProof(JSON.stringify(bundle), network.genesis.hash)).toThrow('has two votes of')
  const trimmed = { ...bundle, justification: trimJustification(whole) }
  expect(verifyProof(JSON.stringify(trimmed), network.genesis.hash).finalBlock).toMatchObject({ weight: 3n })
  expect(trimJustification(trimmed.justification)).toBe(trimmed.justification)
})

test('votes for descendants keep the headers that show it', () => {
  const justification = justify(final, FIRST, { descendants: [later] })
  expect(trimJustification(justification)).toBe(justification)
})

/** Reads from a whole state, round by round. */
function readsOf(question: Question, { state } = block) {
  const values = new Map<Hex, Hex | null>()
  const keysUnder = new Map<Hex, readonly Hex[]>()
  for (let rounds = 0; ; rounds += 1) {
    const { keys, prefixes, answeredBy } = neededReads(question, network.genesis.hash, { values, keysUnder })
    if (keys.length + prefixes.length === 0) return { values, keysUnder, answeredBy, rounds }
    for (const key of keys) values.set(key, state.get(key) ?? null)
    for (const prefix of prefixes)
      keysUnder.set(prefix, [...state.keys()].filter((key) => key.startsWith(prefix)).sort())
  }
}

test('one round reads what bars the delegators, however many, and only what the answer reads has to be shown', () => {
  const barring = ['suspended', 'deactivated'] as const
  const delegations = (isBarred: boolean) =>
    Array.from({ length: 100 }, (_, number) =>
      listedDelegation(number, (isBarred && barring[number % 2]) || 'free'),
    ).flat()
  const roundsWith = (isBarred: boolean) => {
    const state = new Map([...block.state, ...delegations(isBarred)])
    const { rounds, answeredBy } = readsOf({ ...MAY_ISSUE, did: didNamed('delegate') }, { ...block, state })
    return { rounds, shown: answeredBy.length }
  }
  const [barred, free] = [roundsWith(true), roundsWith(false)]
  expect([barred.rounds, free.rounds]).toEqual([4, 4])
  // Half of them is suspended, which two values tell, and half deactivated, which one tells: with an entry each.
  expect(barred.shown - free.shown).toBe(100 + 50)
})

test('the reads that a question needs are found from what was read before', () => {
  const questions: Question[] = [
    MAY_ISSUE,
    { ...MAY_ISSUE, did: didNamed('delegate') },
    { ...MAY_ISSUE, did: didNamed('stranger'), role: 'verifier' },
    { kind: 'key', did: didNamed('university'), keyNumber: 3 },
  ]
  for (const question of questions) {
    const { values, keysUnder } = readsOf(question)
    for (const entry of sampleBundle(question, network).storage) {
      if ('key' in entry) expect(values.get(entry.key)).toBe(entry.value)
      else expect(keysUnder.get(entry.prefix)).toEqual(entry.keys)
    }
    expect(values.size).toBeLessThan(20)
  }
})
