import { expect, test } from 'vitest'
import type { Bundle } from './bundle.js'
import type { Hex } from './bytes.js'
import { makeBundle } from './make-bundle.js'
import type { Question } from './question.js'
import type { RefusalReason } from './refusal.js'
import { expectRefusal as expectReason, refusalOf as refusalOfAny } from './testing/refusals.js'
import { FIRST, handOver, MAY_ISSUE, SECOND, sampleBundle, sampleNetwork } from './testing/sample-bundle.js'
import { didNamed, REGISTRY, sampleLedger } from './testing/sample-ledger.js'
import { type Change, justify, TestNetwork, validators } from './testing/test-network.js'
import { verifyProof } from './verify-proof.js'

const network = sampleNetwork()
const sample = sampleBundle(MAY_ISSUE, network)
const [genesis, block, final, later] = [network.genesis, network.block(4), network.block(5), network.block(6)]

const refusalOf = (bundle: unknown, genesisHash: Hex = genesis.hash) => refusalOfAny(bundle, genesisHash)

function expectRefusal(bundle: unknown, reason: RefusalReason, message: string | RegExp): void {
  expectReason(refusalOf(bundle), reason, message)
}

const changed = (change: Partial<Bundle>): Bundle => ({ ...sample, ...change })
const without = <Item>(items: readonly Item[], position: number): Item[] => items.filter((_, at) => at !== position)

test('a bundle of another genesis is refused, even from the same validators', () => {
  expect(refusalOf(sample, `0x${'12'.repeat(32)}`)).toMatchObject({ reason: 'other_genesis' })
  const other = new TestNetwork(FIRST, new Map([['0x1234', '0x01']]))
  const there = { header: other.genesis.header, nodes: other.genesis.nodes }
  expectRefusal(changed({ genesis: there }), 'wrong_genesis_header', 'is not that of the genesis')
  // Both ledgers have the same validators, and block 1 of the other one is made final by them.
  const foreign = other.add(sampleLedger())
  const own = new TestNetwork(FIRST)
  const bundle = makeBundle(MAY_ISSUE, other.partsAbout(foreign, justify(foreign, FIRST)))
  expect(verifyProof(JSON.stringify(bundle), other.genesis.hash).answer).toMatchObject({ authorized: true })
  const moved: Bundle = {
    ...bundle,
    genesisHash: own.genesis.hash,
    genesis: { header: own.genesis.header, nodes: own.genesis.nodes },
  }
  expect(refusalOf(moved, own.genesis.hash)).toMatchObject({
    reason: 'other_genesis',
    message: expect.stringContaining('The block is of a ledger with another genesis'),
  })
})

test('validators at genesis come from the proven state only', () => {
  const { header, nodes } = sample.genesis
  expectRefusal(changed({ genesis: { header, nodes: [] } }), 'missing_node', 'does not begin at its state root')
  expectRefusal(
    changed({ genesis: { header, nodes: [...nodes, '0x01'] } }),
    'unused_node',
    'the state at genesis holds',
  )
})

test('a missing header and one of another block are refused', () => {
  expectRefusal(changed({ headers: [] }), 'broken_header_chain', 'The bundle has no header.')
  expectRefusal(changed({ headers: [final.header] }), 'other_block', /^The first header is of block 5/)
  expectRefusal(
    changed({ headers: [block.header] }),
    'justifies_other_block',
    'The justification of block 4 is for block 5',
  )
  const gap = changed({ headers: [block.header, later.header], justification: justify(later, SECOND, { setId: 1 }) })
  expectRefusal(gap, 'broken_header_chain', 'The header behind that of block 4 is not that of a child of this block.')
  const renamed = changed({ block: { number: 5, hash: block.hash } })
  expectRefusal(renamed, 'other_block', 'not of the block that the bundle names')
})

test('the state of another block is refused', () => {
  const other = sampleNetwork(sampleLedger({ registryVersion: 8 })).block(4)
  expectRefusal(
    changed({ nodes: other.nodes }),
    'missing_node',
    'the state of block 4 does not begin at its state root',
  )
  const mixed = changed({ headers: [other.header, final.header], block: { number: 4, hash: other.hash } })
  expectRefusal(mixed, 'broken_header_chain', 'not that of a child of this block')
})

const justified = (...[voters, options]: [Parameters<typeof justify>[1], Parameters<typeof justify>[2]?]): Bundle =>
  changed({ justification: justify(final, voters, { setId: 1, ...options }) })

test('votes count once, of validators of the set, over this round and set, and from more than two thirds', () => {
  const [one, two, three] = SECOND
  if (!one || !two || !three) throw new Error('the second set has four validators')
  expectRefusal(justified([one, two]), 'too_few_votes', 'has votes of weight 2; 3 of 4 are needed.')
  expectRefusal(justified([]), 'too_few_votes', 'has votes of weight 0')
  expectRefusal(justified([one, two, two]), 'voter_twice', `has two votes of ${two.publicKey}.`)
  expectRefusal(justified([one, two, three, ...validators(1)]), 'unknown_voter', 'which is not in validator set 1.')
  expectRefusal(justified(SECOND, { setId: 0 }), 'bad_signature', 'is not over this vote, round 4 and validator set 1.')
  const otherRound = sample.justification.replace(/^0x04/, '0x05')
  expectRefusal({ ...sample, justification: otherRound }, 'bad_signature', 'round 5 and validator set 1')
})

test('a vote counts for a block that is shown to descend from the final one', () => {
  const { answer } = verifyProof(JSON.stringify(justified(SECOND, { descendants: [later] })), genesis.hash)
  expect(answer).toMatchObject({ authorized: true })
  const stripped = justify(final, SECOND, { setId: 1, descendants: [later] })
  const cut = stripped.slice(0, -(later.header.length - 2) - 2)
  expectRefusal(
    changed({ justification: `0x${cut.slice(2)}00` }),
    'vote_for_other_block',
    'is not shown to descend from it',
  )
  const unused = `0x${sample.justification.slice(2, -2)}04${later.header.slice(2)}` as const
  expectRefusal(changed({ justification: unused }), 'unused_header', 'holds headers that no vote needs.')
  const fork = sampleNetwork(sampleLedger({ registryVersion: 9 })).block(6)
  const elsewhere = justify(final, SECOND, { setId: 1, descendants: [fork] })
  expectRefusal(changed({ justification: elsewhere }), 'vote_for_other_block', 'is not shown to descend from it')
})

test('each hand-over is shown, in order, by the validators before it', () => {
  const [first] = sample.handOvers
  if (!first) throw new Error('the sample has a hand-over')
  expectRefusal(changed({ handOvers: [] }), 'unknown_voter', 'which is not in validator set 0.')
  expectRefusal(changed({ handOvers: [first, first] }), 'hand_over_out_of_order', 'in block 2 is not behind block 2.')
  expectRefusal(
    changed({ handOvers: [handOver(network.block(3))] }),
    'hand_over_without_change',
    'names no other validators.',
  )
  expectRefusal(
    changed({ handOvers: [handOver(network.block(2), SECOND)] }),
    'unknown_voter',
    'not in validator set 0.',
  )
  expectRefusal(
    changed({ handOvers: [handOver(network.block(2), FIRST.slice(1, 3))] }),
    'too_few_votes',
    'of block 2 has votes of weight 2',
  )
  expectRefusal(changed({ handOvers: [handOver(network.block(2), FIRST, 1)] }), 'bad_signature', 'validator set 0')
})

/** A bundle about block 1 of a network in which block 2 tells a change of validators. */
function crossing(change: Change): { bundle: Bundle; hash: Hex } {
  const own = new TestNetwork(FIRST)
  const asked = own.add(sampleLedger())
  const between = own.add(new Map(), change)
  const last = own.add()
  const bundle = makeBundle(MAY_ISSUE, {
    ...own.partsAbout(asked, justify(last, FIRST)),
    headers: [asked, between, last].map(({ header }) => header),
  })
  return { bundle, hash: own.genesis.hash }
}

test('a block before a change of validators is not made final by votes behind it', () => {
  const { bundle, hash } = crossing({ next: SECOND })
  expect(refusalOf(bundle, hash)).toMatchObject({
    reason: 'crosses_hand_over',
    message: 'The validators changed in block 2, and its own finality is not shown.',
  })
})

test('a change without votes is refused, and so is one that comes later', () => {
  const forced = crossing({ next: SECOND, isForced: true })
  expect(refusalOf(forced.bundle, forced.hash)).toMatchObject({ reason: 'forced_change' })
  const own = new TestNetwork(FIRST)
  const asked = own.add(new Map(), { next: SECOND, delay: 3 })
  const { bundle } = crossing({ next: SECOND })
  const delayed: Bundle = {
    ...bundle,
    genesisHash: own.genesis.hash,
    genesis: { header: own.genesis.header, nodes: own.genesis.nodes },
    handOvers: [handOver(asked)],
  }
  expect(refusalOf(delayed, own.genesis.hash)).toMatchObject({ reason: 'delayed_change' })
})

test('a block before the last hand-over is not answered for by those who came later', () => {
  const late = changed({ headers: [network.block(2).header], block: network.block(2) })
  const { number, hash } = network.block(2)
  expectRefusal({ ...late, block: { number, hash } }, 'hand_over_out_of_order', 'block 2 is not behind it.')
})

test('the value of another key, and a value that is not the proven one, are refused', () => {
  const { storage } = sample
  const [time, ...rest] = storage
  if (!time || !('key' in time)) throw new Error('the sample begins with its time')
  const other: Bundle = sampleBundle({ kind: 'registry', registryId: REGISTRY }, network)
  expectRefusal(changed({ storage: other.storage }), 'other_storage', 'The question is answered by the storage key')
  const earlier = { ...time, value: '0x0000000000000000' as const }
  expectRefusal(
    changed({ storage: [earlier, ...rest] }),
    'other_storage',
    /^The bundle tells another value of the storage key/,
  )
  expectRefusal(changed({ storage: [{ ...time, value: null }, ...rest] }), 'other_storage', 'another value')
  expectRefusal(changed({ storage: [...storage, time] }), 'other_storage', 'that the question does not need.')
  expectRefusal(changed({ storage: storage.slice(0, -1) }), 'other_storage', 'the bundle tells nothing in its place')
})

test('another question than the one that was proved is refused', () => {
  const others: Question[] = [
    { ...MAY_ISSUE, did: didNamed('stranger') },
    { ...MAY_ISSUE, role: 'verifier' },
    { kind: 'did', did: didNamed('university') },
  ]
  for (const question of others)
    expect(['missing_node', 'other_storage', 'other_text', 'unused_node']).toContain(
      refusalOf(changed({ question })).reason,
    )
  expectRefusal(changed({ text: 'May anyone issue?' }), 'other_text', 'does not say what the question asks')
})

test('each node of the proof is needed, and nothing more is let in', () => {
  for (const position of sample.nodes.keys())
    expectRefusal(changed({ nodes: without(sample.nodes, position) }), 'missing_node', /lacks the node|does not begin/)
  expectRefusal(changed({ nodes: [...sample.nodes, '0x00'] }), 'unused_node', 'the question does not need')
})

test('a ledger whose layout this verifier does not know is refused', () => {
  const newer = sampleNetwork(sampleLedger({ layoutVersion: 2 }))
  expect(() => sampleBundle(MAY_ISSUE, newer)).toThrow('The ledger keeps TrustRegistry in another layout')
})

test('an issuer that is left out of a proof of delegations is missed', () => {
  const question: Question = { ...MAY_ISSUE, did: didNamed('delegate') }
  const whole = sampleBundle(question, network)
  const scan = whole.storage.findIndex((entry) => 'prefix' in entry)
  const entry = whole.storage[scan]
  if (!entry || !('prefix' in entry)) throw new Error('delegations are read by their beginning')
  expect(entry.keys).toHaveLength(2)
  const storage = whole.storage.with(scan, { ...entry, keys: entry.keys.slice(1) })
  expectRefusal({ ...whole, storage }, 'other_storage', 'another value of the storage key')
})
