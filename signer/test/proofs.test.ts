import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Bundle, MOST_BYTES } from '../../chain/client/src/proof/bundle.js'
import { bytesOf, type Hex, hexOf } from '../../chain/client/src/proof/bytes.js'
import { FIRST, MAY_ISSUE, SECOND, sampleNetwork } from '../../chain/client/src/proof/testing/sample-bundle.js'
import {
  type Barred,
  didNamed,
  listedDelegation,
  otherDid,
  REGISTRY,
  SCHEMA,
  STATUS_LIST,
  sampleLedger,
  strangeDelegation,
} from '../../chain/client/src/proof/testing/sample-ledger.js'
import { justify, TestNetwork } from '../../chain/client/src/proof/testing/test-network.js'
import { verifyProof } from '../../chain/client/src/proof/verify-proof.js'
import { type Ledger, openLedger } from '../src/actions/ledger.js'
import { openProofs } from '../src/actions/proofs.js'
import type { SignerError } from '../src/errors.js'
import type { ServedNode } from './listening.js'
import { serveNode } from './proof-node.js'
import { openSignerHere, openWorld, type TestSigner, type World } from './support.js'

describe('on a network of validators', () => {
  const network = sampleNetwork()
  const [genesis, handOver, asked, final, later] = [0, 2, 4, 5, 6].map((number) => network.block(number))
  if (!genesis || !handOver || !asked || !final || !later) throw new Error('the sample has seven blocks')
  const log = pino({ level: 'silent' })
  let node: ServedNode
  let ledger: Ledger

  beforeAll(async () => {
    const [one, two, three] = SECOND
    if (!one || !two || !three) throw new Error('the second set has four validators')
    const twice = { setId: 1, others: [[two, asked] as const] }
    const justifications = new Map([
      [handOver.hash, justify(handOver, FIRST)],
      [final.hash, justify(final, [one, two, three], twice)],
    ])
    node = await serveNode(network, justifications, final)
    ledger = await openLedger([node.url], log)
  })
  afterAll(async () => {
    await ledger.close()
    await node.close()
  })

  test('answers are proved with their hand-overs and justification, to whoever knows the genesis hash', async () => {
    const proofs = openProofs(() => ledger)
    const questions = [
      MAY_ISSUE,
      { ...MAY_ISSUE, did: didNamed('delegate') },
      { ...MAY_ISSUE, did: didNamed('stranger') },
      { kind: 'status', registryId: STATUS_LIST, index: 2_053 },
    ]
    const bundles = await Promise.all(questions.map((question) => proofs.prove(question, asked.hash, 'a')))
    const proven = bundles.map((bundle) => verifyProof(JSON.stringify(bundle), genesis.hash))
    expect(proven.map(({ answer }) => answer)).toMatchObject([
      { authorized: true, reason: 'direct' },
      { authorized: true, reason: 'delegated', via: didNamed('university') },
      { authorized: false, reason: 'not_listed' },
      { revoked: true },
    ])
    expect(proven[0]).toMatchObject({ block: { number: 4 }, finalBlock: { number: 5, setId: 1, weight: 3n } })
    expect(bundles.map(({ handOvers }) => handOvers.length)).toEqual([1, 1, 1, 1])
  })

  test('a share with many questions delays nobody else, and is refused first where too many wait', async () => {
    const proofs = openProofs(() => ledger)
    const ended: string[] = []
    const ask = async (share: string) => {
      const outcome = await proofs.prove(MAY_ISSUE, asked.hash, share).then(
        () => share,
        (error: SignerError) => `${share} ${error.status} ${error.type}`,
      )
      ended.push(outcome)
    }
    await Promise.all([...Array.from({ length: 70 }, () => ask('many')), ask('other')])
    expect(ended.filter((outcome) => outcome === 'many 503 too_busy')).toHaveLength(5)
    expect(ended.filter((outcome) => outcome === 'many')).toHaveLength(65)
    expect(ended.filter((outcome) => outcome !== 'many 503 too_busy').indexOf('other')).toBeLessThan(5)
  })

  test('a signature that only looks like one is noticed before a bundle leaves', async () => {
    const forged = Buffer.from(bytesOf(justify(final, SECOND.slice(0, 3), { setId: 1 })))
    forged[forged.length - 40] = (forged.at(-40) ?? 0) ^ 1
    const node = await serveNode(
      network,
      new Map([
        [handOver.hash, justify(handOver, FIRST)],
        [final.hash, hexOf(forged)],
      ]),
      final,
    )
    const other = await openLedger([node.url], log)
    try {
      const refused = openProofs(() => other).prove(MAY_ISSUE, asked.hash, 'a')
      await expect(refused).rejects.toMatchObject({
        status: 503,
        type: 'ledger_unavailable',
        cause: { reason: 'bad_signature' },
      })
    } finally {
      await other.close()
      await node.close()
    }
  })

  test('blocks that are not final are refused, and questions that are none', async () => {
    const proofs = openProofs(() => ledger)
    for (const hash of [later.hash, genesis.hash, SCHEMA])
      await expect(proofs.prove(MAY_ISSUE, hash, 'a')).rejects.toMatchObject({ status: 404, type: 'block_not_final' })
    await expect(proofs.prove({ kind: 'weather' }, asked.hash, 'a')).rejects.toMatchObject({ type: 'invalid_request' })
  })
})

test('every hand-over is found, and a block in which validators change is made final by those before', async () => {
  const network = new TestNetwork(FIRST)
  network.add()
  const first = network.add(new Map(), { next: SECOND })
  network.add()
  const second = network.add(sampleLedger(), { next: FIRST })
  network.add()
  const last = network.add(sampleLedger())
  const justifications = new Map([
    [first.hash, justify(first, FIRST)],
    [second.hash, justify(second, SECOND, { setId: 1 })],
    [last.hash, justify(last, FIRST, { setId: 2 })],
  ])
  const node = await serveNode(network, justifications, last)
  const ledger = await openLedger([node.url], pino({ level: 'silent' }))
  try {
    const proofs = openProofs(() => ledger)
    const proven = async (hash: string) =>
      verifyProof(JSON.stringify(await proofs.prove(MAY_ISSUE, hash, 'a')), network.genesis.hash)
    expect(await proven(last.hash)).toMatchObject({ block: { number: 6 }, finalBlock: { number: 6, setId: 2 } })
    const handOvers = (await proven(last.hash)).standsOn.filter(({ role }) => role === 'handOver')
    expect(handOvers.map(({ hash }) => hash)).toEqual([first.hash, second.hash])
    expect(await proven(second.hash)).toMatchObject({ block: { number: 4 }, finalBlock: { number: 4, setId: 1 } })
    // The state of this block holds none of our pallets.
    await expect(proofs.prove(MAY_ISSUE, first.hash, 'a')).rejects.toMatchObject({ type: 'proofs_not_available' })
  } finally {
    await ledger.close()
    await node.close()
  }
})

/** Proves an answer about block 1 with this state, by validators that never change. */
async function proveIn(state: ReadonlyMap<Hex, Hex>, question: object): Promise<Bundle> {
  const network = new TestNetwork(FIRST)
  const asked = network.add(state)
  const node = await serveNode(network, new Map([[asked.hash, justify(asked, FIRST)]]), asked)
  const ledger = await openLedger([node.url], pino({ level: 'silent' }))
  try {
    return await openProofs(() => ledger).prove(question, asked.hash, 'a')
  } finally {
    await ledger.close()
    await node.close()
  }
}

describe('the right of a DID to which many listed issuers delegate', () => {
  const question = { ...MAY_ISSUE, did: didNamed('delegate') }
  const proveBehind = (count: number, barred: Barred, otherDids = 0) => {
    const delegations = Array.from({ length: count }, (_, number) => listedDelegation(number, barred))
    const others = Array.from({ length: otherDids }, (_, number) => otherDid(number))
    return proveIn(new Map([...sampleLedger(), ...delegations.flat(), ...others]), question)
  }

  // The descriptions name the first two as examples.
  test.each([
    [800, 'free', 850],
    [400, 'suspended', 450],
    [600, 'deactivated', 650],
  ] as const)('is proved behind %i that are %s, and refused for good behind %i', async (most, barred, tooMany) => {
    const bundle = await proveBehind(most, barred)
    const { answer } = verifyProof(JSON.stringify(bundle), bundle.genesisHash)
    expect(answer).toMatchObject({ authorized: true, reason: 'delegated' })
    // The university comes after all of them.
    expect('via' in answer && answer.via === didNamed('university')).toBe(barred !== 'free')
    await expect(proveBehind(tooMany, barred)).rejects.toMatchObject({ status: 422, type: 'proof_too_large' })
  })

  test('takes more beside many other DIDs, where the same number may be too many', async () => {
    await expect(proveBehind(400, 'suspended', 5_000)).rejects.toMatchObject({ status: 422, type: 'proof_too_large' })
  })
})

describe('a proof that is longer than what verifiers read', () => {
  const refusal = { status: 422, type: 'proof_too_large' }
  const named = (length: number) =>
    proveIn(sampleLedger({ registryName: 'a'.repeat(length) }), { kind: 'registry', registryId: REGISTRY })
  const lengthOf = (bundle: Bundle) => JSON.stringify(bundle).length

  test('is refused from the first byte beyond the limit on, for good', async () => {
    // Each character of the name stands in the value and in a node, as two digits.
    const longest = 200_000 + Math.floor((MOST_BYTES - lengthOf(await named(200_000))) / 4)
    expect(lengthOf(await named(longest))).toBeGreaterThan(MOST_BYTES - 4)
    await expect(named(longest + 1)).rejects.toMatchObject(refusal)
  })

  test.each([
    [
      1_100,
      /1000000 bytes, .* 0 hand-overs of validators and \d{4} nodes of the state\. Another question, or another block,/,
    ],
    [1_500, /it takes 1\d{3} values of the state and 1502 delegations\. Another question, or another block,/],
    [3_000, /it takes \d{1,2} values of the state and 3002 delegations\. Another question, or another block,/],
  ])('tells what it is made of: %i delegations to one DID', async (count, why) => {
    const delegations = Array.from({ length: count }, (_, number) => strangeDelegation(number))
    const question = { ...MAY_ISSUE, did: didNamed('delegate') }
    const proven = proveIn(new Map([...sampleLedger(), ...delegations]), question)
    await expect(proven).rejects.toMatchObject({ ...refusal, message: expect.stringMatching(why) })
  })

  test('is made for 850 delegations of issuers that are not listed', async () => {
    const delegations = Array.from({ length: 850 }, (_, number) => strangeDelegation(number))
    const question = { ...MAY_ISSUE, did: didNamed('delegate') }
    const bundle = await proveIn(new Map([...sampleLedger(), ...delegations]), question)
    expect(lengthOf(bundle)).toBeGreaterThan(0.8 * MOST_BYTES)
  })
})

describe('on an embedded ledger', () => {
  let world: World
  let signer: TestSigner
  beforeAll(async () => {
    world = await openWorld()
    signer = await openSignerHere(world)
  })
  afterAll(async () => {
    await signer?.stop()
    await world?.close()
  })

  test('nothing is proved, and the reason is told', async () => {
    const { final } = await signer.client.chainStatus()
    await expect(signer.client.prove(MAY_ISSUE, final.hash)).rejects.toMatchObject({
      status: 501,
      type: 'proofs_not_available',
      message: expect.stringContaining('This ledger gives no proofs'),
    })
  })
})
