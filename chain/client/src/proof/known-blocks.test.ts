import { describe, expect, test } from 'vitest'
import type { KnownBlock } from './known-blocks.js'
import { makeBundle } from './make-bundle.js'
import { ProofRefusal } from './refusal.js'
import { expectRefusal, refusalOf } from './testing/refusals.js'
import { FIRST, handOver, MAY_ISSUE, sampleBundle, sampleNetwork } from './testing/sample-bundle.js'
import { didNamed, sampleLedger } from './testing/sample-ledger.js'
import { justify, TestNetwork, validators } from './testing/test-network.js'
import { verifyProof } from './verify-proof.js'

const network = sampleNetwork()
const genesisHash = network.genesis.hash
const bundle = sampleBundle(MAY_ISSUE, network)
const known = (...numbers: readonly number[]): KnownBlock[] => numbers.map((number) => network.block(number))
const prove = (blocks: readonly KnownBlock[]) => verifyProof(JSON.stringify(bundle), genesisHash, { known: blocks })

test('a proof tells the blocks that it stands on, each of which is known to a later check', () => {
  const { standsOn } = prove([])
  expect(standsOn).toEqual(
    [[0, 'genesis'] as const, [2, 'handOver'] as const, [4, 'asked'] as const, [5, 'final'] as const].map(
      ([number, role]) => ({ number, hash: network.block(number).hash, role }),
    ),
  )
  expect(prove(standsOn).answer).toMatchObject({ authorized: true })
  for (const block of standsOn) expect(prove([block]).standsOn).toEqual(standsOn)
  const { number, hash } = network.block(2)
  expect(prove([{ number, hash: `0x${hash.slice(2).toUpperCase()}` }]).standsOn).toEqual(standsOn)
})

test('a later proof about something else stands on the same hand-overs', () => {
  const handOvers = prove([]).standsOn.filter(({ role }) => role === 'handOver')
  const later = JSON.stringify(sampleBundle({ kind: 'did', did: didNamed('university') }, network))
  expect(verifyProof(later, genesisHash, { known: handOvers }).answer).toMatchObject({ state: 'active' })
})

test('a proof stands on every hand-over before its block: one that leaves any out is refused', () => {
  const sets = [FIRST, validators(3, 4, 5, 6), validators(5, 6, 7, 8), FIRST]
  const changing = new TestNetwork(FIRST)
  const changes = sets.slice(1).map((next) => {
    changing.add()
    return changing.add(new Map(), { next })
  })
  const asked = changing.add(sampleLedger())
  const votesOf = (set: number) => (sets[set] ?? []).slice(0, 3)
  const all = changes.map((change, set) => handOver(change, votesOf(set), set))
  const textWith = (handOvers: typeof all) =>
    JSON.stringify(
      makeBundle(MAY_ISSUE, {
        ...changing.partsAbout(asked, justify(asked, votesOf(3), { setId: 3 })),
        handOvers,
      }),
    )
  const { hash } = changing.genesis
  const { standsOn } = verifyProof(textWith(all), hash)
  expect(standsOn.filter(({ role }) => role === 'handOver').map(({ number }) => number)).toEqual(
    changes.map(({ number }) => number),
  )
  for (const change of changes) expect(verifyProof(textWith(all), hash, { known: [change] }).standsOn).toEqual(standsOn)
  for (let some = 0; some < 2 ** all.length - 1; some += 1) {
    const left = all.filter((_, position) => some & (1 << position))
    expect(() => verifyProof(textWith(left), hash), `those of ${some.toString(2)}`).toThrow(ProofRefusal)
  }
})

test('a proof about an earlier block does not stand on later hand-overs, and trusts the sets before', () => {
  const early = new TestNetwork(FIRST)
  const asked = early.add(sampleLedger())
  early.add(new Map(), { next: validators(3, 4, 5, 6) })
  const text = JSON.stringify(makeBundle(MAY_ISSUE, early.partsAbout(asked, justify(asked, FIRST.slice(0, 3)))))
  expect(verifyProof(text, early.genesis.hash).trustedSets).toEqual({ first: 0, last: 0 })
  const refusal = refusalOf(text, early.genesis.hash, { known: [early.block(2)] })
  expectRefusal(refusal, 'known_block_not_compared', 'The known block 2 was not compared')
})

test('the sets of validators behind the last known block are trusted, and none where the block itself is known', () => {
  expect(prove([]).trustedSets).toEqual({ first: 0, last: 1 })
  expect(prove(known(0)).trustedSets).toEqual({ first: 0, last: 1 })
  expect(prove(known(2)).trustedSets).toEqual({ first: 1, last: 1 })
  expect(prove(known(2, 4)).trustedSets).toBeUndefined()
  expect(prove(known(5)).trustedSets).toBeUndefined()
})

test('a known block with another hash than the one that a proof stands on contradicts it', () => {
  const hash = `0x${'12'.repeat(32)}`
  for (const number of [0, 2, 4, 5])
    expectRefusal(
      refusalOf(bundle, genesisHash, { known: [...known(2), { number, hash }] }),
      'contradicts_known_block',
      `The proof stands on block ${number} with the hash ${network.block(number).hash}, and the known block ${number} has the hash ${hash}`,
    )
})

test('a known block that a proof does not stand on was not compared, and nothing is proved', () => {
  for (const number of [1, 3, 6, 1_000_000])
    expectRefusal(
      refusalOf(bundle, genesisHash, { known: [...known(2), { number, hash: network.block(3).hash }] }),
      'known_block_not_compared',
      `The known block ${number} was not compared: the proof stands on blocks 0, 2, 4, 5.`,
    )
})

test('a known block that is none is told in a sentence', () => {
  const { hash } = network.block(2)
  const wrong = [
    { number: 2.5, hash },
    { number: -1, hash },
    { number: Number.NaN, hash },
    { number: 2, hash: '0x12' },
    { number: 2, hash: '' },
    { number: 2, hash: hash.slice(2) },
  ]
  for (const block of wrong)
    expectRefusal(refusalOf(bundle, genesisHash, { known: [block] }), 'malformed', /^A known block has to be a whole/)
})

/** Those who hold the keys of the first validators, long after these handed over, let others take over instead. */
function forgedPast() {
  const forgers = validators(7, 8, 9)
  const forged = new TestNetwork(FIRST)
  forged.add()
  const change = forged.add(new Map(), { next: forgers })
  forged.add()
  const asked = forged.add(sampleLedger({ registryVersion: 66 }))
  return makeBundle(MAY_ISSUE, {
    genesisHash: forged.genesis.hash,
    genesis: { header: forged.genesis.header, nodes: forged.genesis.nodes },
    handOvers: [handOver(change)],
    headers: [asked.header],
    justification: justify(asked, forgers, { setId: 1 }),
    nodes: asked.nodes,
  })
}

describe('another past that former validators signed', () => {
  test('is proved to whoever knows the genesis alone', () => {
    const { answer, trustedSets } = verifyProof(JSON.stringify(forgedPast()), genesisHash)
    expect(answer).toMatchObject({ authorized: true })
    expect(trustedSets).toEqual({ first: 0, last: 1 })
  })

  test('is refused where the true hand-over, or the true block, is known', () => {
    for (const number of [2, 4])
      expectRefusal(
        refusalOf(forgedPast(), genesisHash, { known: known(number) }),
        'contradicts_known_block',
        `the known block ${number} has the hash ${network.block(number).hash}`,
      )
  })

  test('is refused where a true block is known that it does not show', () => {
    expect(refusalOf(forgedPast(), genesisHash, { known: known(5) }).reason).toBe('known_block_not_compared')
  })
})
