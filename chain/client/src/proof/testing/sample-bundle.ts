import type { Bundle } from '../bundle.js'
import { makeBundle } from '../make-bundle.js'
import type { Question } from '../question.js'
import { didNamed, REGISTRY, SCHEMA, sampleLedger } from './sample-ledger.js'
import { justify, type TestBlock, TestNetwork, type Validator, validators } from './test-network.js'

export const FIRST = validators(1, 2, 3, 4)
export const SECOND = validators(3, 4, 5, 6)

export const MAY_ISSUE: Extract<Question, { kind: 'authorization' }> = {
  kind: 'authorization',
  registryId: REGISTRY,
  schemaId: SCHEMA,
  did: didNamed('university'),
  role: 'issuer',
}

/**
 * Blocks 1 to 6: in block 2 the second validators take over from the first, and block 4 is the one that questions are
 * about.
 */
export function sampleNetwork(state = sampleLedger()): TestNetwork {
  const network = new TestNetwork(FIRST)
  network.add()
  network.add(new Map(), { next: SECOND })
  network.add()
  network.add(state)
  network.add()
  network.add()
  return network
}

export const handOver = (
  block: TestBlock,
  voters: readonly Validator[] = FIRST,
  setId = 0,
): Bundle['handOvers'][number] => ({
  header: block.header,
  justification: justify(block, voters, { setId }),
})

/** Puts a bundle about block 4 together, which is final with block 5, by three of the second validators. */
export function sampleBundle(question: Question = MAY_ISSUE, network = sampleNetwork()): Bundle {
  const [asked, final] = [network.block(4), network.block(5)]
  return makeBundle(question, {
    ...network.partsAbout(asked, justify(final, SECOND.slice(0, 3), { setId: 1 })),
    handOvers: [handOver(network.block(2))],
    headers: [asked.header, final.header],
  })
}
