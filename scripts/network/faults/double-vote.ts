import { cp } from 'node:fs/promises'
import { storedAccounts } from '../../council/ledger-client.js'
import { Refusal } from '../../start/refusal.js'
import { onLedger } from '../council.js'
import { makeNode } from '../make-network.js'
import { keystoreFolder, type NodeState, requireState, saveState } from '../network-state.js'
import { withLock } from '../run-network.js'
import { removeValidator } from '../validators.js'
import type { Fault, Trial } from './fault.js'
import { fourOf, headsOf, relaunch, untilFinalGrows } from './nodes.js'
import { provenAt, requireProofs } from './proofs.js'
import { accepted } from './requests.js'
import { BEGUN_WITHIN_MS, secondsOf, TOLD_WITHIN_MS, timeOfBlocks, until } from './waiting.js'

const TWIN = 'twin-1'
/** The double vote is reported in a block of another validator, once the second node has begun. */
const REPORTED_WITHIN_MS = BEGUN_WITHIN_MS + TOLD_WITHIN_MS
/** A change of the list takes effect after two sessions of ten blocks. */
const LEFT_WITHIN_MS = TOLD_WITHIN_MS + timeOfBlocks(20)

export const doubleVote: Fault = {
  name: 'double-vote',
  does: 'runs a second node with the session keys of a validator, so that it votes for two blocks in one round',
  holds:
    'the history tells that it voted twice, it is off the list and no validator any more, the others go on, and what they make final is proved',
  async run(trial) {
    const [first, , , culprit] = await fourOf(trial)
    const { account } = culprit
    if (account === undefined) throw new Refusal(`${culprit.name} has no account.`)
    const before = await eventsOf(trial)
    const { final } = await headsOf(first)
    const twin = await addTwin(trial, { ...culprit, account })
    const reported = await secondsOf(() =>
      until('the history tells of a double vote', async () => (await eventsOf(trial)) > before, REPORTED_WITHIN_MS),
    )
    const left = await secondsOf(() => untilNoValidator(first, account))
    await untilFinalGrows(first)
    // Neither is on the list: their nodes end without a vote.
    for (const { name } of [twin, culprit]) await removeValidator(trial.stateDir, name)
    const { final: after } = await headsOf(first)
    await untilFinalGrows(first)
    const proved = await requireProofs(trial, { before: final, after, handOvers: 1 })
    // A justification may hold both votes of one, of which a proof has one.
    for (let block = final; block <= after; block += 1) await provenAt(trial, block)
    return `told after ${reported} s, off the list, and no validator ${left} s later; ${proved}, and each of ${after - final + 1} blocks meanwhile`
  },
}

/** Returns how many double votes the product's history knows. */
async function eventsOf({ product }: Trial): Promise<number> {
  return (await accepted<{ total: number }>(product, 'GET', '/ledger/events?event=Governance.Equivocated')).total
}

/** Adds a node of its own name to the others, which has the session keys of another one. */
async function addTwin(trial: Trial, of: NodeState & { account: string }): Promise<NodeState> {
  const { stateDir } = trial
  const made = { ...(await makeNode(stateDir, TWIN, 'validator')), account: of.account }
  await cp(keystoreFolder(stateDir, of), keystoreFolder(stateDir, made), { recursive: true })
  await withLock(stateDir, async () => {
    const state = await requireState(stateDir)
    await saveState(stateDir, { ...state, nodes: [...state.nodes, made] })
  })
  await relaunch(trial, [made])
  return made
}

/** Waits until an account is off the list of validators, and then until the validators are others. */
function untilNoValidator(node: NodeState, account: string): Promise<void> {
  return onLedger(node, async (api) => {
    for (const [pallet, what] of [
      ['governance', 'it is off the list'],
      ['session', 'it is no validator'],
    ] as const)
      await until(
        what,
        async () => !(await storedAccounts(api, pallet, 'validators')).includes(account),
        LEFT_WITHIN_MS,
      )
  })
}
