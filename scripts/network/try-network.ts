import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { percentiles } from '../bench/measure.js'
import { Refusal } from '../start/refusal.js'
import { finalityLags } from './finality-lag.js'
import type { NodeState } from './network-state.js'
import { stopNode } from './node-process.js'
import { nodeRpc } from './node-rpc.js'
import type { NetworkOptions } from './options.js'
import { addNode, networkStatus, restartNodes, startNetwork, stopNetwork } from './run-network.js'
import { tableOf } from './status.js'
import { upgradeNetwork } from './upgrade.js'
import { addValidator, removeValidator } from './validators.js'

const MEASURED_BLOCKS = 50
const GOES_ON_WITHIN_MS = 60_000
/** A runtime that comes after any release; the command runs in the project's folder. */
const NEXT_RUNTIME = resolve('chain/artifact/testing/next.wasm')
/** The key under which the runtime's code stands: every state has it. */
const CODE_KEY = '0x3a636f6465'
/** Validators that may fall before a third of four is gone. */
const NEEDED = 4

/** Tries a network of its own in a folder that is removed at the end, and tells what it saw and measured. */
export async function tryNetwork(
  { nodeProgram, validators, feeAccounts }: NetworkOptions,
  tell: (line: string) => void,
): Promise<void> {
  if (validators < NEEDED) throw new Refusal(`A trial needs ${NEEDED} validators: fewer bear no fault.`)
  const stateDir = await mkdtemp(join(tmpdir(), 'accredit-network-'))
  const options = { stateDir, nodeProgram, validators, feeAccounts }
  try {
    const begun = Date.now()
    const { nodes } = await startNetwork(options)
    tell(`${validators} validators, from nothing to a final block: ${((Date.now() - begun) / 1000).toFixed(1)} s`)
    const [first, second, third] = nodes
    if (!first || !second || !third) throw new Refusal('The network has too few nodes.')
    const { p50, p95 } = percentiles(await finalityLags(first, MEASURED_BLOCKS))
    tell(`final after arrival: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms, over ${MEASURED_BLOCKS} blocks`)
    await tryProof(first, tell)
    await stopNode(second, 'SIGKILL')
    tell(
      `one of ${validators} killed: three more blocks final after ${await secondsOf(() => untilFinalGrows(first))} s`,
    )
    await stopNode(third)
    await requireStandstill(first, validators)
    tell(`two of ${validators} stopped: final stands, best grows`)
    const back = () => restartNodes(options, [second.name, third.name])
    tell(`both started again: a new block is final on each after ${await secondsOf(back)} s`)
    tell(`a full node added: it has the whole history after ${await secondsOf(() => addNode(options))} s`)
    await tryGovernance(options, tell)
    tell(tableOf(await networkStatus(stateDir)))
  } finally {
    await stopNetwork(stateDir).catch(() => {})
    await rm(stateDir, { recursive: true, force: true })
  }
}

/** A validator comes and another one goes by votes of the council, and the runtime that tests upgrade to is set. */
async function tryGovernance(
  { stateDir, nodeProgram }: Pick<NetworkOptions, 'stateDir' | 'nodeProgram'>,
  tell: (line: string) => void,
): Promise<void> {
  const adding = await secondsOf(() => addValidator({ stateDir, nodeProgram }))
  tell(`a validator added by a vote: it is one after ${adding} s`)
  const removing = await secondsOf(() => removeValidator(stateDir, 'validator-1'))
  tell(`a validator removed by a vote: it is none after ${removing} s`)
  const upgrading = await secondsOf(() => upgradeNetwork(stateDir, NEXT_RUNTIME))
  tell(`a runtime whose hash the council voted for: it runs after ${upgrading} s`)
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

async function secondsOf(work: () => Promise<unknown>): Promise<string> {
  const begun = Date.now()
  await work()
  return ((Date.now() - begun) / 1000).toFixed(1)
}

/** Waits until three more blocks are final. */
async function untilFinalGrows(node: NodeState): Promise<void> {
  const rpc = nodeRpc(node)
  const begun = Date.now()
  const { final } = await rpc.heads()
  while ((await rpc.heads()).final < final + 3) {
    if (Date.now() > begun + GOES_ON_WITHIN_MS) throw new Refusal(`Finality stands at block ${final}.`)
    await new Promise((next) => setTimeout(next, 100))
  }
}

/** Watches while the best block grows by as many as there are validators; what was voted before may still be final. */
async function requireStandstill(node: NodeState, validators: number): Promise<void> {
  const rpc = nodeRpc(node)
  const begun = Date.now()
  const before = await rpc.heads()
  let now = before
  while (now.best < before.best + validators) {
    if (Date.now() > begun + GOES_ON_WITHIN_MS) throw new Refusal(`The best block stands at ${now.best}.`)
    await new Promise((next) => setTimeout(next, 100))
    now = await rpc.heads()
  }
  if (now.final > before.best) throw new Refusal('Blocks became final without two thirds of the validators.')
}
