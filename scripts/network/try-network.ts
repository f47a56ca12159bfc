import { Refusal } from '../start/refusal.js'
import { withCleanUp } from './clean-up.js'
import { faults } from './faults/all.js'
import type { Fault } from './faults/fault.js'
import { Faults } from './faults/faults.js'
import { summaryOf, type Told } from './faults/summary.js'
import { secondsOf } from './faults/waiting.js'
import { catchUp } from './figures/catch-up.js'
import { diskGrowth } from './figures/disk-growth.js'
import { type Figure, figureText } from './figures/figure.js'
import { manyDids } from './figures/many-dids.js'
import { nodeCost } from './figures/node-cost.js'
import { proofTimes } from './figures/proof-times.js'
import { finalityOf, proofSizes } from './figures/quiet-network.js'
import type { NodeState } from './network-state.js'
import type { NetworkOptions } from './options.js'
import { addNode, networkStatus, type Start, startNetwork } from './run-network.js'
import { tableOf } from './status.js'
import { withTrialNetwork } from './trial-network.js'

/** Validators that may fall before a third of four is gone. */
const NEEDED = 4

type Tell = (line: string) => void

/** Tries a network of its own in a folder that is removed at the end, and tells what it saw and measured. */
export async function tryNetwork(
  { nodeProgram, validators, feeAccounts, faults: wanted, acceptance, mayLeaveOut }: NetworkOptions,
  tell: Tell,
): Promise<void> {
  if (validators < NEEDED) throw new Refusal(`A trial needs ${NEEDED} validators: fewer bear no fault.`)
  const happening = chosen(wanted)
  await withTrialNetwork(tell, async (stateDir) => {
    const options = { stateDir, nodeProgram, validators, feeAccounts, acceptance }
    const begun = Date.now()
    const { nodes } = await startNetwork(options)
    tell(`${validators} validators, from nothing to a final block: ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    const outcomes =
      wanted.length === 0
        ? await tryWhole(options, nodes, tell)
        : await withProduct(options, tell, (trial) => tryFaults(trial, happening, tell))
    tell(tableOf(await networkStatus(stateDir)))
    if (acceptance === undefined) tell('No program of a client accepted the product: --acceptance names one.')
    tell(summaryOf(outcomes, mayLeaveOut))
  })
}

/** Returns the faults of these names, all where none is named. */
function chosen(names: readonly string[]): readonly Fault[] {
  const unknown = names.find((name) => !faults.some((fault) => fault.name === name))
  if (unknown !== undefined)
    throw new Refusal(`--fault takes ${faults.map(({ name }) => name).join(', ')}, not '${unknown}'.`)
  return names.length === 0 ? faults : faults.filter(({ name }) => names.includes(name))
}

/** A network, and the client's program that accepts the product on it. */
type Place = Start & Pick<NetworkOptions, 'acceptance'>

const IDLE = 'a validator of an idle network'

/** Measures the network without and with the product, and lets all faults happen. */
async function tryWhole(options: Place, nodes: readonly NodeState[], tell: Tell): Promise<Told[]> {
  const tellAll = (figures: readonly Figure[]) => figures.map(figureText).forEach(tell)
  const [first, second] = nodes
  if (first === undefined || second === undefined) throw new Refusal('The network has no node.')
  const disk = await diskGrowth(options, second.name, IDLE)
  const others = nodes.filter((node) => node !== second)
  const cost = await nodeCost(options.stateDir, others, IDLE)
  tellAll(await finalityOf(first))
  tellAll([...(await cost()), ...(await disk())])
  tellAll(await proofSizes(first))
  let full = first
  const following = async () => {
    full = await addNode(options)
  }
  tell(`a full node added: it has the whole history after ${await secondsOf(following)} s`)
  const diskOfTrial = await diskGrowth(options, full.name, 'a node that keeps the whole history, in this trial')
  return withProduct(options, tell, async (trial) => {
    tellAll(await manyDids(trial.scene))
    tellAll(await proofTimes(trial.scene))
    const outcomes = await tryFaults(trial, faults, tell)
    tellAll(await diskOfTrial())
    tellAll(await proofTimes(trial.scene))
    tellAll(await catchUp(trial.scene, full))
    return outcomes
  })
}

async function withProduct<T>(place: Place, tell: Tell, work: (trial: Faults) => Promise<T>): Promise<T> {
  const trial = await Faults.on({ ...place, tell }, place.acceptance)
  tell('the product runs on the network, and has an ecosystem there')
  return withCleanUp(
    () => work(trial),
    () => trial.close(),
    tell,
  )
}

/** Lets faults happen, one after the other, to the network with the product on it. Throws where something does not hold. */
async function tryFaults(trial: Faults, happening: readonly Fault[], tell: Tell): Promise<Told[]> {
  const outcomes: Told[] = []
  for (const fault of happening) {
    tell(`${fault.name}: ${fault.does}. What must hold: ${fault.holds}.`)
    const outcome = await trial.happens(fault)
    outcomes.push({ ...outcome, name: fault.name })
    tell(`  ${outcome.told}`)
  }
  return outcomes
}
