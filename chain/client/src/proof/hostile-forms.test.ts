import { expect, test } from 'vitest'
import { type Bundle, MOST_BYTES } from './bundle.js'
import type { RefusalReason } from './refusal.js'
import { expectRefusal as expectReason, refusalOf } from './testing/refusals.js'
import { MAY_ISSUE, sampleBundle, sampleNetwork } from './testing/sample-bundle.js'
import { didNamed, REGISTRY } from './testing/sample-ledger.js'
import { verifyProof } from './verify-proof.js'

const network = sampleNetwork()
const sample = sampleBundle(MAY_ISSUE, network)
const [genesis, block] = [network.genesis, network.block(4)]

function expectRefusal(bundle: unknown, reason: RefusalReason, message: string | RegExp): void {
  expectReason(refusalOf(bundle, genesis.hash), reason, message)
}

const changed = (change: Partial<Bundle>): Bundle => ({ ...sample, ...change })

test('a bundle that is too long is refused before it is read', () => {
  const long = new Uint8Array(10_000_000).fill(0x5b)
  expect(() => verifyProof(long, genesis.hash)).toThrow('more than 1000000 bytes, and none of them was read')
  for (const text of [' '.repeat(MOST_BYTES + 1), 'é'.repeat(MOST_BYTES / 2 + 1)])
    expect(() => verifyProof(text, genesis.hash)).toThrow('more than 1000000 bytes, and none of them was read')
  expectRefusal('['.repeat(MOST_BYTES), 'not_json', 'not JSON')
  expectRefusal(`${'['.repeat(MOST_BYTES / 2)}${']'.repeat(MOST_BYTES / 2)}`, 'malformed', 'has to be an object')
})

test('anything that is no bundle is refused by its form', () => {
  expectRefusal('', 'not_json', 'The bundle is not JSON.')
  expect(() => verifyProof(Uint8Array.of(0xff), genesis.hash)).toThrow('The bundle is not in UTF-8.')
  expectRefusal([], 'malformed', 'The bundle has to be an object.')
  expectRefusal({ ...sample, format: 'accredit-proof-2' }, 'unknown_format', 'not of the format accredit-proof-1')
  expectRefusal({ ...sample, more: 1 }, 'malformed', 'The bundle has to be an object of format, genesisHash')
  const { handOvers: _, ...less } = sample
  expectRefusal(less, 'malformed', 'and nothing else')
  expectRefusal({ ...sample, nodes: ['0xAB'] }, 'malformed', 'Each of `nodes` has to be 0x and lower-case hexadecimal.')
  expectRefusal({ ...sample, block: { number: 4.5, hash: block.hash } }, 'malformed', 'a whole number')
  expectRefusal(
    { ...sample, block: { number: '4', hash: block.hash } },
    'malformed',
    '`block.number` has to be a whole number.',
  )
  const questions = [
    null,
    {},
    { kind: 'toString' },
    { kind: 'registry', registryId: '0x12' },
    { kind: 'registry', registryId: REGISTRY, did: didNamed('university') },
    { kind: 'did', did: didNamed('employer') },
    { kind: 'key', did: didNamed('university'), keyNumber: 2 ** 32 },
    { ...MAY_ISSUE, role: 'owner' },
  ]
  for (const question of questions)
    expectRefusal({ ...sample, question }, 'malformed', /^The question of the bundle is/)
})

/** Two readers of one of these read different things: one keeps the first member of a name, the other the last one. */
test.each([
  ['text', (text: string) => text.replace('"text":', '"text":"May anyone issue?","text":')],
  ['text', (text: string) => text.replace('"text":', String.raw`"t\u0065xt":"May anyone issue?","text":`)],
  ['format', (text: string) => text.replace(/\}$/, ',"format":"accredit-proof-1"}')],
  ['did', (text: string) => text.replace('"question":{', `"question":{"did":"${didNamed('stranger')}",`)],
  ['number', (text: string) => text.replace('"block":{', '"block":{ "number" : 4, ')],
  ['value', (text: string) => text.replace('"value":', '"value":null,"value":')],
  ['nodes', (text: string) => text.replace('"genesis":{', '"genesis":{"nodes":[],')],
  ['justification', (text: string) => text.replace('"handOvers":[{', '"handOvers":[{"justification":"0x",')],
  ['deep', (text: string) => text.replace('"question":{', '"question":{"more":[[{"a":[{"deep":1,"deep":{}}]}]],')],
  ['__proto__', (text: string) => text.replace('{', '{"__proto__":1,"__proto__":2,')],
])('a bundle with the member %s twice in one object is refused by its name', (name, doubled) => {
  const text = doubled(JSON.stringify(sample))
  expect(JSON.parse(text)).toBeDefined()
  expectRefusal(text, 'duplicate_member', `The member "${name}" stands twice in one object of the bundle.`)
})

test('the same name in two objects, and braces and quotes in texts, are no duplicates', () => {
  const texts = ['{"a":1,"a":2}', '","text":"', String.raw`\\","text":"`, '\\']
  for (const text of texts) expectRefusal(changed({ text }), 'other_text', 'does not say what the question asks')
})

test('a name of any length that stands twice is told by its beginning', () => {
  const name = 'n'.repeat(MOST_BYTES / 4)
  const { message } = refusalOf(`{"${name}":1,"${name}":2}`, genesis.hash)
  expect(message).toBe(`The member "${'n'.repeat(64)}" stands twice in one object of the bundle.`)
})

test('a number that doubles round, or that is written otherwise than in digits, is refused', () => {
  const text = JSON.stringify(sample)
  for (const number of ['4.0', '4e0', '40E-1', '4.00000000000000000001'])
    expectRefusal(text.replace('"number":4', `"number":${number}`), 'malformed', 'written in digits alone')
  expectRefusal(text.replace('"number":4', '"number":-0'), 'malformed', 'written in digits alone')
})
