import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeBase58 } from '@accredit/chain/base58'
import {
  accountOf,
  ed25519Public,
  type KeyPair,
  makeSpecification,
  randomSessionKeys,
  type SessionKeys,
} from '@accredit/embedded-ledger/network'
import { keepSeed, randomSeed } from '../council/key-file.js'
import { freePort } from '../start/processes/ports.js'
import { messageOf, Refusal } from '../start/refusal.js'
import { writePrivately } from '../start/state/settings.js'
import {
  keyFile,
  keystoreFolder,
  multiaddressOf,
  type NetworkState,
  type NodeState,
  nodeKeyFile,
  saveState,
  specificationFile,
} from './network-state.js'

export interface NewNetwork {
  validators: number
  feeAccounts: readonly string[]
  /** The name or the address of a machine for each validator; none where all of them run on this one. */
  hosts?: readonly string[]
}

/** The members of a new council, of whom two thirds decide. */
const COUNCIL_MEMBERS = 3

/** Makes the keys and the specification of a network. Its state is written last: a broken attempt leaves none. */
export async function makeNetwork(stateDir: string, wanted: NewNetwork): Promise<NetworkState> {
  const { validators, feeAccounts, hosts = [] } = wanted
  const id = `accredit-${randomBytes(4).toString('hex')}`
  const secrets = { council: secretsOf(COUNCIL_MEMBERS), validators: secretsOf(validators) }
  const withAccounts = await Promise.all(
    secrets.validators.map(async (secret) => ({
      account: await accountOf(secret),
      session: await randomSessionKeys(),
    })),
  )
  const nodes = await Promise.all(
    withAccounts.map(({ account }, at) => newNode(`validator-${at + 1}`, 'validator', { account, host: hosts[at] })),
  )
  const made = await makeSpecification({
    name: 'Accredit',
    id,
    validators: withAccounts.map(({ account, session: { aura, grandpa } }) => ({
      account,
      aura: aura.public,
      grandpa: grandpa.public,
    })),
    council: await Promise.all(secrets.council.map(accountOf)),
    feeAccounts,
    bootNodes: nodes.filter(({ node }) => node.host !== undefined).map(({ node }) => multiaddressOf(node)),
  }).catch((error) => {
    throw new Refusal(`No genesis could be made: ${messageOf(error)}.`)
  })
  for (const [role, ofRole] of [['council', secrets.council] as const, ['validator', secrets.validators] as const])
    for (const [at, secret] of ofRole.entries()) await keepKey(stateDir, `${role}-${at + 1}`, secret)
  await writeFile(specificationFile(stateDir), JSON.stringify(made.specification))
  for (const [at, { session }] of withAccounts.entries()) {
    const own = nodes[at]
    if (own === undefined) continue
    await keepNode(stateDir, own)
    await putIntoKeystore(stateDir, own.node, session)
  }
  const state = { id, genesisHash: made.genesisHash, nodes: nodes.map(({ node }) => node) }
  await saveState(stateDir, state)
  return state
}

/** Makes a node's folder, ports and the key by which other nodes know it. */
export async function makeNode(stateDir: string, name: string, role: NodeState['role']): Promise<NodeState> {
  const made = await newNode(name, role)
  await keepNode(stateDir, made)
  return made.node
}

/** A node, and the secret by which it shows the others that it is itself. */
interface NewNode {
  node: NodeState
  secret: KeyPair['secret']
}

/** The ports of a node that has a machine of its own: those of every node of this kind of chain. */
const USUAL_PORTS = { peers: 30_333, rpc: 9944, metrics: 9615 }

async function newNode(
  name: string,
  role: NodeState['role'],
  { account, host }: { account?: string; host?: string | undefined } = {},
): Promise<NewNode> {
  const secret = randomSeed()
  const ports =
    host === undefined ? { peers: await freePort(), rpc: await freePort(), metrics: await freePort() } : USUAL_PORTS
  const peerId = peerIdOf(ed25519Public(secret))
  const node = {
    name,
    role,
    peerId,
    ports,
    ...(host !== undefined && { host }),
    ...(account !== undefined && { account }),
  }
  return { node, secret }
}

async function keepNode(stateDir: string, { node, secret }: NewNode): Promise<void> {
  await mkdir(keystoreFolder(stateDir, node), { recursive: true, mode: 0o700 })
  await writePrivately(nodeKeyFile(stateDir, node), secret.slice(2))
}

/** Keeps the seed of an account where its owner alone reads it. */
export async function keepKey(stateDir: string, name: string, secret: KeyPair['secret']): Promise<void> {
  await mkdir(keyFile(stateDir, ''), { recursive: true, mode: 0o700 })
  await keepSeed(keyFile(stateDir, `${name}.key`), secret)
}

const secretsOf = (count: number) => Array.from({ length: count }, randomSeed)

/** The four letters by which a keystore tells what a key is for. */
const KEY_TYPES = { aura: 'aura', grandpa: 'gran' } as const

/** Writes the keys as a node's keystore has them: the name tells type and public key, the content is the secret. */
async function putIntoKeystore(stateDir: string, node: NodeState, keys: SessionKeys): Promise<void> {
  for (const name of ['aura', 'grandpa'] as const) {
    const file = Buffer.from(KEY_TYPES[name]).toString('hex') + keys[name].public.slice(2)
    await writePrivately(join(keystoreFolder(stateDir, node), file), JSON.stringify(keys[name].secret))
  }
}

/** An identity multihash of 36 bytes, which are libp2p's message of an Ed25519 public key. */
const PEER_ID_PREFIX = Buffer.from('002408011220', 'hex')

function peerIdOf(publicKey: KeyPair['public']): string {
  return encodeBase58(Buffer.concat([PEER_ID_PREFIX, Buffer.from(publicKey.slice(2), 'hex')]))
}
