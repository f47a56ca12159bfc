import { resolve } from 'node:path'
import { endWith } from '../start/command.js'
import { asksForHelp } from '../start/options.js'
import { fundAccount } from './fund.js'
import { endOnSignals } from './interruption.js'
import { madeText, makeForHosts } from './make-for-hosts.js'
import { type NetworkState, type NodeState, nodeFolder, specificationFile } from './network-state.js'
import { type Command, type NetworkOptions, parseNetworkOptions, usage } from './options.js'
import { addNode, networkStatus, startNetwork, stopNetwork } from './run-network.js'
import { rpcUrlOf, tableOf } from './status.js'
import { tryNetwork } from './try-network.js'
import { upgradeNetwork } from './upgrade.js'
import { addValidator, removeValidator } from './validators.js'

/** Runs one command on the network of a state folder. */
export async function network(argv: string[], projectRoot: string): Promise<void> {
  if (asksForHelp(argv)) return console.log(usage)
  await endWith(async () => {
    const options = parseNetworkOptions(argv, projectRoot, process.env)
    await RUN[options.command](options)
    return 0
  })
}

const RUN: Record<Command, (options: NetworkOptions) => Promise<void>> = {
  async make(options) {
    console.log(madeText(await makeForHosts(options), options.stateDir))
  },
  async start(options) {
    const begun = Date.now()
    const state = await startNetwork(options)
    console.log(`${told(state, options.stateDir)}\nFinal after ${((Date.now() - begun) / 1000).toFixed(1)} s.`)
    console.log(tableOf(await networkStatus(options.stateDir)))
  },
  async status({ stateDir }) {
    console.log(tableOf(await networkStatus(stateDir)))
  },
  async add(options) {
    if (options.isValidator) {
      const begun = Date.now()
      const added = await addValidator(options)
      return console.log(`${addedText(added, options.stateDir, begun)}\n\n${onItsOwnHost}`)
    }
    const node = await addNode(options)
    console.log(`${node.name} follows the network, with its whole history: ${rpcUrlOf(node)}`)
    console.log(`Its folder is ${nodeFolder(options.stateDir, node)}.`)
  },
  async remove({ stateDir, subject }) {
    const node = await removeValidator(stateDir, subject)
    console.log(`${node.name} is no validator any more, and its node has ended.`)
    console.log(`Its folder ${nodeFolder(stateDir, node)} is not needed: the operator of a host removes it there.`)
  },
  async fund({ stateDir, subject, amount }) {
    const { account, balance, left } = await fundAccount(stateDir, subject, amount)
    console.log(`${account} has ${balance} now, and the treasury ${left}.`)
  },
  async upgrade({ stateDir, subject }) {
    const { from, to, codeHash } = await upgradeNetwork(stateDir, resolve(subject))
    console.log(`The network has runtime ${to}, and had ${from}. The council voted for ${codeHash}.`)
    console.log('No host does anything for it: each node runs the runtime that the chain holds.')
  },
  async stop({ stateDir }) {
    const count = await stopNetwork(stateDir)
    console.log(count === 0 ? 'No node ran.' : `Stopped ${count} nodes. npm run network -- start brings them back.`)
  },
  async test(options) {
    endOnSignals((line) => console.error(line))
    await tryNetwork(options, (line) => console.log(line))
  },
}

const addedText = (node: NodeState, stateDir: string, begun: number): string =>
  `${node.name} is a validator after ${((Date.now() - begun) / 1000).toFixed(1)} s: ${rpcUrlOf(node)}\nIts folder is ${nodeFolder(stateDir, node)}.`

/** Tells what the operator of one validator does where each has a host and keys of its own. */
const onItsOwnHost = `On a host of its own, its operator does the same:
  1. makes the node's own key (accredit-node key generate-node-key --chain specification.json --file node.key), and starts it as make prints it,
     with --rpc-methods unsafe
  2. makes an account, which the council pays (npm run council -- propose fund <account>):
     npm run council -- account --key validator.key
  3. lets the node make its session keys, and names them:
     npm run council -- session-keys --url ws://127.0.0.1:9944 --key validator.key
  4. starts the node again with --rpc-methods safe
  5. tells the council the account. A member proposes it, the others vote, each where its key is:
     npm run council -- propose add-validator <account> --url ws://<node> --key member.key
     npm run council -- vote <motion> --url ws://<node> --key member.key
  The node is a validator after two sessions, a minute at most.`

const told = ({ id, genesisHash }: NetworkState, stateDir: string): string =>
  `The network ${id} runs. Genesis ${genesisHash}, specification ${specificationFile(stateDir)}.`
