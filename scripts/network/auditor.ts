import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { messageOf, Refusal } from '../start/refusal.js'
import type { Scene } from './faults/fault.js'
import { type Authorization, authorizationPath } from './faults/judges/ecosystem.js'
import { validatorsOf } from './faults/nodes.js'
import { requireState } from './network-state.js'
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
 */
export async function auditorsWalk(scene: Scene): Promise<string> {
  const { product, ecosystem } = scene
  const then = await product.client.call<Authorization>(
    'GET',
    authorizationPath(ecosystem, ecosystem.issuer, ecosystem.suspendedAt),
  )
  const { genesisHash } = await requireState(scene.stateDir)
  const past = await walked(scene, `&at=${then.time}`, `${then.block}:${await hashAt(scene, then.block)}`)
  require(past, '"authorized":false', '"reason":"suspended"', `"block":${then.block},`)
  require(past, 'Answer     No: it is suspended.', `Block      ${then.block}, 0x`, `Time       ${then.time}`)
  require(past, 'Trusted    the known blocks: the answer follows from them')
  const now = await walked(scene, '', `0:${genesisHash}`)
  require(now, '"authorized":true', 'Answer     Yes: it is listed itself.')
  for (const told of [past, now]) require(told, 'Equal: ')
  return `by the lines of the README: at block ${then.block} the issuer was suspended, now it may issue; the runtime is that of the sources`
}

/** The hash of a block by a node of the auditor's own. */
async function hashAt(scene: Scene, height: number): Promise<string> {
  const [node] = await validatorsOf(scene)
  if (node === undefined) throw new Refusal('The network has no node.')
  return nodeRpc(node).blockHash(height)
}

/** Runs the lines for one point of time; `at` is that part of the question, `known` a block that the auditor knows. */
async function walked({ stateDir, product, ecosystem, ...place }: Scene, at: string, known: string): Promise<string> {
  const { genesisHash } = await requireState(stateDir)
  const [node] = (await validatorsOf({ stateDir, ...place })).slice(-1)
  const [, lines = ''] = LINES.exec(await readFile(README, 'utf8')) ?? []
  const values = {
    [GENESIS]: `GENESIS=${genesisHash}`,
    [POINT]: at,
    [KNOWN]: known,
    [NODE]: node ? rpcUrlOf(node) : '',
  }
  const missing = Object.keys(values).find((name) => !lines.includes(name))
  if (missing !== undefined) throw new Refusal(`The README's lines for an auditor have no '${missing}' any more.`)
  const script = Object.entries(values).reduce((text, [name, value]) => text.replace(name, value), lines)
  const { registry: REGISTRY, schema: SCHEMA, issuer: DID } = ecosystem
  const env = { ...process.env, API: product.apiUrl, REGISTRY, SCHEMA, DID }
  try {
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env })).stdout
  } catch (error) {
    throw new Refusal(`The README's lines for an auditor failed: ${messageOf(error)}`)
  }
}

function require(told: string, ...sentences: string[]): void {
  const missing = sentences.find((sentence) => !told.includes(sentence))
  if (missing !== undefined) throw new Refusal(`An auditor is not told '${missing}': ${told}`)
}
