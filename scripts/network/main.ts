import { resolve } from 'node:path'
import { endWith } from '../start/command.js'
import { asksForHelp } from '../start/options.js'
import { fundAccount } from './fund.js'
import { madeText, makeForHosts } from './make-for-hosts.js'
import { type NetworkState, nodeFolder, specificationFile } from './network-state.js'
import { type Command, type NetworkOptions, parseNetworkOptions, usage } from './options.js'
import { addNode, networkStatus, startNetwork, stopNetwork } from './run-network.js'
import { rpcUrlOf, tableOf } from './status.js'
import { tryNetwork } from './try-network.js'
import { upgradeNetwork } from './upgrade.js'
import { type Added, addValidator, removeValidator } from './validators.js'

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
      return console.log(`${addedText(added, options.stateDir, begun)}\n\n${onItsOwnHost(added)}`)
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
    await tryNetwork(options, (line) => console.log(line))
  },
}

const addedText = ({ node }: Added, stateDir: string, begun: number): string =>
  `${node.name} is a validator after ${((Date.now() - begun) / 1000).toFixed(1)} s: ${rpcUrlOf(node)}\nIts folder is ${nodeFolder(stateDir, node)}.`

/** Tells what the operator of one validator does where each has a host and keys of its own. */
const onItsOwnHost = ({ node, keys, proof }: Added): string => `On a host of its own, its operator does the same:
  1. makes an account (accredit-node key generate), and starts the node with --validator --rpc-methods unsafe
  2. asks the node for session keys, with the public key of the account:
     curl -H 'content-type: application/json' http://127.0.0.1:<port> \\
       -d '{"jsonrpc":"2.0","id":1,"method":"author_rotateKeysWithOwner","params":["0x<public key>"]}'
  3. starts the node again with --rpc-methods safe
  4. sends governance.setKeys(keys, proof) from the account, which needs a little money for it; here that was
     keys ${keys.slice(0, 18)}… and proof ${proof.slice(0, 18)}…
  5. tells the council the account (here ${node.account}): a member proposes governance.setValidators with the
     accounts of all validators, two thirds vote (council.vote), and anyone of them closes the motion (council.close).
  The node is a validator after two sessions, a minute at most.`

const told = ({ id, genesisHash }: NetworkState, stateDir: string): string =>
  `The network ${id} runs. Genesis ${genesisHash}, specification ${specificationFile(stateDir)}.`
