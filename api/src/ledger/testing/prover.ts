import { isSignedByOpenssl } from '@accredit/chain/openssl-signatures'
import { makeBundle } from '../../../../chain/client/src/proof/make-bundle.js'
import type { Question } from '../../../../chain/client/src/proof/question.js'
import { justify, TestNetwork, validators } from '../../../../chain/client/src/proof/testing/test-network.js'
import { verifyProof } from '../../../../chain/client/src/proof/verify-proof.js'

const VALIDATORS = validators(1)

/** Returns what proves answers about a state: a network that has it in a block of its own. */
export function proverOf(state: Parameters<TestNetwork['add']>[0]): (question: Question) => object {
  const network = new TestNetwork(VALIDATORS)
  const { genesis } = network
  const block = network.add(state)
  const parts = network.partsAbout(block, justify(block, VALIDATORS))
  return (question) =>
    verifyProof(JSON.stringify(makeBundle(question, parts)), genesis.hash, { isSigned: isSignedByOpenssl }).answer
}
