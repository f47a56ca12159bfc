import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { CODE_KEY } from '@accredit/embedded-ledger/network'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { codeOf, Refusal } from '../start/refusal.js'
import { settingsFile, writePrivately } from '../start/state/settings.js'

const Port = Type.Integer({ minimum: 1, maximum: 65_535 })

const Node = Type.Object({
  name: Type.String({ pattern: '^[a-z]+-[0-9]+$' }),
  role: Type.Union([Type.Literal('validator'), Type.Literal('full')]),
  /** The name by which other nodes know it. */
  peerId: Type.String(),
  /** The name or the address of the machine where it runs; none where that is this one. */
  host: Type.Optional(Type.String()),
  ports: Type.Object({ peers: Port, rpc: Port, metrics: Port }),
  /** The account of a validator, for which the council votes. */
  account: Type.Optional(Type.String()),
})

const State = Type.Object({
  id: Type.String(),
  genesisHash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  nodes: Type.Array(Node),
})

export type NodeState = Static<typeof Node>
export type NetworkState = Static<typeof State>

const PROTOCOLS: Readonly<Record<number, string>> = { 0: 'dns4', 4: 'ip4', 6: 'ip6' }

/** The multiaddress at which other nodes reach a node. */
export function multiaddressOf({ host = '127.0.0.1', ports, peerId }: NodeState): string {
  return `/${PROTOCOLS[isIP(host)]}/${host}/tcp/${ports.peers}/p2p/${peerId}`
}

export const stateFile = (stateDir: string) => join(stateDir, 'network.json')
export const specificationFile = (stateDir: string) => join(stateDir, 'specification.json')
/** A secret of an account, or the folder of all of them. */
export const keyFile = (stateDir: string, name: string) => join(stateDir, 'keys', name)
export const nodeFolder = (stateDir: string, { name }: Pick<NodeState, 'name'>) => join(stateDir, 'nodes', name)
export const keystoreFolder = (stateDir: string, node: Pick<NodeState, 'name'>) =>
  join(nodeFolder(stateDir, node), 'keystore')
export const nodeKeyFile = (stateDir: string, node: Pick<NodeState, 'name'>) =>
  join(nodeFolder(stateDir, node), 'node.key')
/** The process of a node, which writes the file itself before it becomes the node. */
export const processFile = (stateDir: string, node: Pick<NodeState, 'name'>) =>
  join(nodeFolder(stateDir, node), 'process')
export const logFile = (stateDir: string, node: Pick<NodeState, 'name'>) => join(nodeFolder(stateDir, node), 'log')

/** Reads what is kept of a network; undefined where there is none yet. */
export async function readState(stateDir: string): Promise<NetworkState | undefined> {
  const text = await textOf(stateFile(stateDir))
  if (text === undefined) {
    if (existsSync(settingsFile(stateDir)))
      throw new Refusal(`${stateDir} holds an installation of npm start, not a network: name another folder (--state).`)
    return undefined
  }
  const state = parsed(text)
  if (!Check(State, state))
    throw new Refusal(`${stateFile(stateDir)} is damaged: restore it, or begin a new network in another folder.`)
  await requireSpecification(stateDir)
  return state
}

export async function requireState(stateDir: string): Promise<NetworkState> {
  const state = await readState(stateDir)
  if (!state) throw new Refusal(`No network is in ${stateDir}: npm run network -- start makes one.`)
  requireHere(stateDir, state)
  return state
}

/** Refuses a network that was made for other machines. */
export function requireHere(stateDir: string, { nodes }: NetworkState): void {
  const hosts = nodes.flatMap(({ host }) => host ?? [])
  if (hosts.length > 0)
    throw new Refusal(
      `The nodes of the network in ${stateDir} run elsewhere: ${hosts.join(', ')}. What its council decides goes through one of them: npm run council.`,
    )
}

export const saveState = (stateDir: string, state: NetworkState): Promise<void> =>
  writePrivately(stateFile(stateDir), `${JSON.stringify(state, null, 2)}\n`)

const Hex = '^0x([0-9a-f]{2})*$'
const Specification = Type.Object({
  name: Type.String({ minLength: 1 }),
  id: Type.String({ minLength: 1 }),
  genesis: Type.Object({ raw: Type.Object({ top: Type.Record(Type.String(), Type.String({ pattern: Hex })) }) }),
})

/** Refuses a specification that no node could start with. */
async function requireSpecification(stateDir: string): Promise<void> {
  const file = specificationFile(stateDir)
  const text = await textOf(file)
  const remedy = 'Take the file from another node of the network.'
  if (text === undefined) throw new Refusal(`The specification ${file} is missing. ${remedy}`)
  const found = parsed(text)
  if (found === undefined) throw new Refusal(`The specification ${file} is no JSON. ${remedy}`)
  if (!Check(Specification, found)) throw new Refusal(`The specification ${file} has no raw genesis. ${remedy}`)
  if (found.genesis.raw.top[CODE_KEY] === undefined)
    throw new Refusal(`The genesis of ${file} has no runtime. ${remedy}`)
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new Refusal(`${file} cannot be read: ${codeOf(error)}.`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
