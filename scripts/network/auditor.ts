import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { KnownBlock } from '@accredit/chain/proof'
import { messageOf, Refusal } from '../start/refusal.js'
import type { Scene } from './faults/fault.js'
import { type Authorization, authorizationPath } from './faults/judges/ecosystem.js'
import { validatorsOf } from './faults/nodes.js'
import { provenAt } from './faults/proofs.js'
import { interruption } from './interruption.js'
import { type NodeState, requireState } from './network-state.js'
import { nodeRpc } from './node-rpc.js'
import { rpcUrlOf } from './status.js'

/** The command runs in the project's folder. */
const README = resolve('README.md')
const LINES = /^### Who could issue this in March[^\n]*\n.*?^```sh\n(.*?)^```$/ms
/** The words for which a reader puts others: the genesis, the point of the past, a node. */
const GENESIS = 'GENESIS=0x…'
const POINT = '&at=2026-03-31'
const KNOWN = 'NUMBER:HASH'
const NODE = 'ws://a-node-of-the-auditors-choice:9944'

/**
 * Runs the lines of the README by which an auditor has an answer of the past proved, and one of now, with the names of
 * this network. Returns what was proved. Throws where the README is wrong, or something does not hold.
 *
 * @param handOver a change of validators that the auditor wrote down at an earlier proof: that of now has to stand on it
 */
export async function auditorsWalk(scene: Scene, handOver: KnownBlock): Promise<string> {
  const { product, ecosystem } = scene
  const then = await product.client.call<Authorization>(
    'GET',
    authorizationPath(ecosystem, ecosystem.issuer, ecosystem.suspendedAt),
  )
  const past = await walked(scene, `&at=${then.time}`, { number: then.block, hash: await hashAt(scene, then.block) })
  require(past, '"authorized":false', '"reason":"suspended"', `"block":${then.block},`)
  require(past, 'Answer     No: it is suspended.', `Block      ${then.block}, 0x`, `Time       ${then.time}`)
  require(past, 'Trusted    the known blocks: the answer follows from them')
  const now = await walked(scene, '', handOver)
  require(now, '"authorized":true', 'Answer     Yes: it is listed itself.')
  require(now, `${textOf(handOver)}  hand-over to other validators, known`)
  require(now, 'Trusted    the known blocks, and that no two thirds of ')
  for (const told of [past, now]) require(told, 'Equal: ')
  await requireContradiction(scene, handOver)
  return `by the lines of the README: at block ${then.block} the issuer was suspended, now it may issue, which stands on the known hand-over of block ${handOver.number}; the runtime is that of the sources`
}

/**
 * Has the present proved as an auditor does for the first time, and returns the last change of validators that the proof
 * stands on, which the auditor writes down. A node of the auditor's own has to have the same block.
 */
export async function lastHandOver(scene: Scene): Promise<KnownBlock> {
  const { standsOn } = (await provenAt(scene)).proven
  const last = standsOn.findLast(({ role }) => role === 'handOver')
  if (last === undefined) throw new Refusal('The proof of now stands on no change of validators.')
  const own = await hashAt(scene, last.number)
  if (own !== last.hash)
    throw new Refusal(`The proof of now stands on ${textOf(last)}, and a node of the auditor has ${own} there.`)
  return last
}

/** Refuses a walk to which it is all the same what the auditor knows: with another hash the proof of now is refused. */
async function requireContradiction(scene: Scene, { number, hash }: KnownBlock): Promise<void> {
  const other = hash.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))
  const refusal = await walked(scene, '', { number, hash: other }).then(
    () => 'nothing',
    (error) => messageOf(error),
  )
  if (!refusal.includes('contradicts_known_block'))
    throw new Refusal(`An auditor who knows another block ${number} is told ${refusal}.`)
}

const textOf = ({ number, hash }: KnownBlock): string => `${number}:${hash}`

/** A node of the auditor's own. */
async function auditorsNode(scene: Scene): Promise<NodeState> {
  const node = (await validatorsOf(scene)).at(-1)
  if (node === undefined) throw new Refusal('The network has no node.')
  return node
}

/** The hash of a block by a node of the auditor's own. */
const hashAt = async (scene: Scene, height: number): Promise<string> =>
  nodeRpc(await auditorsNode(scene)).blockHash(height)

/** Runs the lines for one point of time; `at` is that part of the question, `known` a block that the auditor knows. */
async function walked(scene: Scene, at: string, known: KnownBlock): Promise<string> {
  const { product, ecosystem } = scene
  const { genesisHash } = await requireState(scene.stateDir)
  const [, lines = ''] = LINES.exec(await readFile(README, 'utf8')) ?? []
  const values = {
    [GENESIS]: `GENESIS=${genesisHash}`,
    [POINT]: at,
    [KNOWN]: textOf(known),
    [NODE]: rpcUrlOf(await auditorsNode(scene)),
  }
  const missing = Object.keys(values).find((name) => !lines.includes(name))
  if (missing !== undefined) throw new Refusal(`The README's lines for an auditor have no '${missing}' any more.`)
  const script = Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), lines)
  const { registry: REGISTRY, schema: SCHEMA, issuer: DID } = ecosystem
  const env = { ...process.env, API: product.apiUrl, REGISTRY, SCHEMA, DID }
  try {
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env, signal: interruption })).stdout
  } catch (error) {
    interruption.throwIfAborted()
    throw new Refusal(`The README's lines for an auditor failed: ${messageOf(error)}`)
  }
}

function require(told: string, ...sentences: string[]): void {
  const missing = sentences.find((sentence) => !told.includes(sentence))
  if (missing !== undefined) throw new Refusal(`An auditor is not told '${missing}': ${told}`)
}
