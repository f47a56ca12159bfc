import { type Bundle, FORMAT } from './bundle.js'
import { bytesOf, type Hex, hexOf } from './bytes.js'
import { readHeader } from './header.js'
import { type Question, questionText } from './question.js'
import { StateProof } from './state-proof.js'
import { readAnswer } from './verify-proof.js'

/** All that a node of the ledger gives for a bundle. `nodes` may hold more than the question needs. */
export interface BundleParts extends Pick<Bundle, 'headers' | 'justification' | 'genesis' | 'handOvers' | 'nodes'> {
  readonly genesisHash: Hex
}

/** Puts a bundle together: what the question reads, and of the nodes those that it needs. */
export function makeBundle(question: Question, parts: BundleParts): Bundle {
  const block = readHeader(bytesOf(parts.headers[0] ?? '0x'), 'The first header')
  const state = new StateProof(block.stateRoot, [...new Set(parts.nodes)], `the state of block ${block.number}`)
  const { storage } = readAnswer(question, parts.genesisHash, state)
  return {
    format: FORMAT,
    genesisHash: parts.genesisHash,
    question,
    text: questionText(question),
    block: { number: block.number, hash: hexOf(block.hash) },
    storage,
    headers: parts.headers,
    justification: parts.justification,
    genesis: parts.genesis,
    handOvers: parts.handOvers,
    nodes: state.usedNodes(),
  }
}
