import { CODE_KEY } from '@accredit/embedded-ledger/network'
import { percentiles } from '../../bench/measure.js'
import { Refusal } from '../../start/refusal.js'
import { finalityLags } from '../finality-lag.js'
import type { NodeState } from '../network-state.js'
import { nodeRpc } from '../node-rpc.js'
import type { Figure } from './figure.js'

const MEASURED_BLOCKS = 50

/** Measures how long blocks wait at a node until they are final. */
export async function finalityOf(node: NodeState): Promise<Figure[]> {
  const { p50, p95 } = percentiles(await finalityLags(node, MEASURED_BLOCKS))
  const note = `p95 ${(p95 / 1000).toFixed(1)} s, over ${MEASURED_BLOCKS} blocks`
  return [{ what: 'final after arrival, p50', value: p50 / 1000, unit: 's', wanted: { below: 2 }, note }]
}

/** Measures a proof of the runtime, as a node gives it. */
export async function proofSizes(node: NodeState): Promise<Figure[]> {
  const rpc = nodeRpc(node)
  const hash = await rpc.finalHash()
  const { proof } = await rpc.readProof([CODE_KEY], hash)
  const finality = (await rpc.justifications(hash)).find(({ engine }) => engine === 'FRNK')
  if (!finality) throw new Refusal(`The final block ${hash} has no justification.`)
  const bytes = proof.reduce((sum, part) => sum + part.length / 2 - 1, 0)
  return [
    { what: 'a proof of the runtime in a final block', value: bytes, unit: 'bytes' },
    { what: 'its justification', value: finality.bytes.length, unit: 'bytes' },
  ]
}
