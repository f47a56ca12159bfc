import { endWith } from '../start/command.js'
import { asksForHelp } from '../start/options.js'
import { type NetworkState, nodeFolder, specificationFile } from './network-state.js'
import { type Command, type NetworkOptions, parseNetworkOptions, usage } from './options.js'
import { addNode, networkStatus, startNetwork, stopNetwork } from './run-network.js'
import { rpcUrlOf, tableOf } from './status.js'
import { tryNetwork } from './try-network.js'

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
    const node = await addNode(options)
    console.log(`${node.name} follows the network, with its whole history: ${rpcUrlOf(node)}`)
    console.log(`Its folder is ${nodeFolder(options.stateDir, node)}.`)
  },
  async stop({ stateDir }) {
    const count = await stopNetwork(stateDir)
    console.log(count === 0 ? 'No node ran.' : `Stopped ${count} nodes. npm run network -- start brings them back.`)
  },
  async test(options) {
    await tryNetwork(options, (line) => console.log(line))
  },
}

const told = ({ id, genesisHash }: NetworkState, stateDir: string): string =>
  `The network ${id} runs. Genesis ${genesisHash}, specification ${specificationFile(stateDir)}.`
