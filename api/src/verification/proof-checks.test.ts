import { setImmediate } from 'node:timers'
import { expect, it } from 'vitest'
import { passed } from '../formats/check.js'
import type { Checking, Proof } from '../formats/credential-format.js'
import type { JsonObject } from '../formats/json.js'
import { testKey } from '../formats/json-ld/testing.js'
import { resolveAt } from '../ledger/read/at.js'
import { forAllTests } from '../platform/testing/for-all-tests.js'
import { checkProofs } from './proof-checks.js'
import { hex32, TestVerifier, timeOf } from './testing.js'

const world = forAllTests(() => TestVerifier.open())

type Check = Extract<Checking, { by: 'keys' }>['check']

/** A proof that needs the public half of a key. */
const proofOf = (check: Check): Proof => ({
  shown: {},
  created: timeOf(50).toISOString(),
  expires: [],
  challenge: undefined,
  domain: undefined,
  checking: {
    by: 'keys',
    keys: [{ id: testKey().keyId, purpose: 'assertionMethod', kind: 'Ed25519', half: 'public' }],
    check,
  },
})
const checked = async (...proofs: Proof[]) => {
  const at = await resolveAt(world().ledger.index, undefined, { now: () => timeOf(100) })
  return checkProofs(world().door(), proofs, { ownerOf: () => undefined, at })
}

it('others have their turn before each of several proofs', async () => {
  let turns = 0
  const seen: number[] = []
  const proof = proofOf(async () => {
    seen.push(turns)
    setImmediate(() => {
      turns += 1
    })
    return { proof: passed() }
  })
  await checked(proof, proof, proof)
  expect(seen).toEqual([0, 1, 2])
})

it('a proof that names the public half of its key asks nothing of the private one', async () => {
  const proof = proofOf(async ([{ ask }]) => {
    await ask('sign', [])
    return { proof: passed() }
  })
  await expect(checked(proof)).rejects.toThrow('a private half that it did not need')
})

it.each<[string, JsonObject]>([
  ['of an unknown kind', { type: 'OwnStatus' }],
  ['of a kind without keys', { type: 'StatusList2021Entry', statusListCredential: 'https://v.example/', id: 'urn:x' }],
  [
    'of an accumulator that is not on this ledger',
    {
      type: 'DockVBAccumulator2022',
      id: `dock:accumulator:${hex32(0xe1)}`,
      revocationCheck: 'membership',
      revocationId: '1',
    },
  ],
])('a status entry %s has no key of an accumulator', async (_, entry) => {
  const found: unknown[] = []
  await checked(
    proofOf(async (_, { accumulatorKey }) => {
      found.push(await accumulatorKey(entry))
      return { proof: passed() }
    }),
  )
  expect(found).toEqual([undefined])
})
