import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentiles } from '../bench/measure.js'
import { Refusal } from '../start/refusal.js'
import { faults } from './faults/all.js'
import type { Fault } from './faults/fault.js'
import { Faults } from './faults/faults.js'
import { type Outcome, summaryOf } from './faults/summary.js'
import { secondsOf } from './faults/waiting.js'
import { finalityLags } from './finality-lag.js'
import type { NodeState } from './network-state.js'
import { nodeRpc } from './node-rpc.js'
import type { NetworkOptions } from './options.js'
import { addNode, networkStatus, startNetwork, stopNetwork } from './run-network.js'
import { tableOf } from './status.js'

const MEASURED_BLOCKS = 50
/** The key under which the runtime's code stands: every state has it. */
const CODE_KEY = '0x3a636f6465'
/** Validators that may fall before a third of four is gone. */
const NEEDED = 4

/** Tries a network of its own in a folder that is removed at the end, and tells what it saw and measured. */
export async function tryNetwork(
  { nodeProgram, validators, feeAccounts, faults: wanted, mayLeaveOut }: NetworkOptions,
  tell: (line: string) => void,
): Promise<void> {
  if (validators < NEEDED) throw new Refusal(`A trial needs ${NEEDED} validators: fewer bear no fault.`)
  const happening = chosen(wanted)
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
  const options = { stateDir, nodeProgram, validators, feeAccounts }
  try {
    const begun = Date.now()
    const { nodes } = await startNetwork(options)
    tell(`${validators} validators, from nothing to a final block: ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    const [first] = nodes
    if (!first) throw new Refusal('The network has no node.')
    if (wanted.length === 0) {
      await measure(first, tell)
      tell(`a full node added: it has the whole history after ${await secondsOf(() => addNode(options))} s`)
    }
    const outcomes = await tryFaults(options, happening, tell)
    tell(tableOf(await networkStatus(stateDir)))
    tell(summaryOf(outcomes, mayLeaveOut))
  } finally {
    await stopNetwork(stateDir).catch(() => {})
    await rm(stateDir, { recursive: true, force: true })
  }
}

/** Returns the faults of these names, all where none is named. */
function chosen(names: readonly string[]): readonly Fault[] {
  const unknown = names.find((name) => !faults.some((fault) => fault.name === name))
  if (unknown !== undefined)
    throw new Refusal(`--fault takes ${faults.map(({ name }) => name).join(', ')}, not '${unknown}'.`)
  return names.length === 0 ? faults : faults.filter(({ name }) => names.includes(name))
}

/** Lets faults happen, one after the other, to the network with the product on it. Throws where something does not hold. */
async function tryFaults(
  place: Pick<NetworkOptions, 'stateDir' | 'nodeProgram'>,
  happening: readonly Fault[],
  tell: (line: string) => void,
): Promise<(Outcome & Pick<Fault, 'name'>)[]> {
  const trial = await Faults.on(place)
  const outcomes: (Outcome & Pick<Fault, 'name'>)[] = []
  try {
    tell('the product runs on the network, and has an ecosystem there')
    for (const fault of happening) {
      tell(`${fault.name}: ${fault.does}. What must hold: ${fault.holds}.`)
      const outcome = await trial.happens(fault)
      outcomes.push({ ...outcome, name: fault.name })
      tell(`  ${outcome.told}`)
    }
    return outcomes
  } finally {
    await trial.close()
  }
}

async function measure(node: NodeState, tell: (line: string) => void): Promise<void> {
  const { p50, p95 } = percentiles(await finalityLags(node, MEASURED_BLOCKS))
  tell(`final after arrival: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, over ${MEASURED_BLOCKS} blocks`)
  await tryProof(node, tell)
}

async function tryProof(node: NodeState, tell: (line: string) => void): Promise<void> {
  const rpc = nodeRpc(node)
  const hash = await rpc.finalHash()
  const { proof } = await rpc.readProof([CODE_KEY], hash)
  const finality = (await rpc.justifications(hash)).find(({ engine }) => engine === 'FRNK')
  if (!finality) throw new Refusal(`The final block ${hash} has no justification.`)
  const bytes = proof.reduce((sum, part) => sum + part.length / 2 - 1, 0)
  tell(`a proof of the runtime in a final block: ${bytes} bytes, its justification ${finality.bytes.length} bytes`)
}
