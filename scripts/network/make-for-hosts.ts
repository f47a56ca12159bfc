import { makeNetwork, type NewNetwork } from './make-network.js'
import {
  keyFile,
  multiaddressOf,
  type NetworkState,
  nodeFolder,
  readState,
  specificationFile,
} from './network-state.js'
import { EVERYWHERE } from './node-process.js'
import { withLock } from './run-network.js'

export interface Made {
  state: NetworkState
  /** False where the folder held a network already, which is left as it is. */
  isNew: boolean
}

/** Makes the keys and the specification of a network whose validators run on other machines. Starts nothing. */
export function makeForHosts({ stateDir, ...wanted }: NewNetwork & { stateDir: string }): Promise<Made> {
  return withLock(stateDir, async () => {
    const found = await readState(stateDir)
    return { state: found ?? (await makeNetwork(stateDir, wanted)), isNew: found === undefined }
  })
}

/** Tells what was made, and what the operator of each machine gets. */
export function madeText({ state, isNew }: Made, stateDir: string): string {
  const { id, genesisHash, nodes } = state
  const specification = `Genesis ${genesisHash}, specification ${specificationFile(stateDir)}.`
  if (!isNew) return `The network ${id} is in ${stateDir} already, and was left as it is. ${specification}`
  return `The network ${id} is made, and nothing was started. ${specification}
The machine of a validator gets the specification and the validator's own folder, and no other:
${nodes.map((node) => `  ${nodeFolder(stateDir, node)}  ${multiaddressOf(node)}`).join('\n')}
and runs there, in that folder (one that joins later makes its node.key: accredit-node key generate-node-key --chain specification.json --file node.key)
  accredit-node --chain specification.json --base-path data --keystore-path keystore --node-key-file node.key --validator \\
    --listen-addr /ip4/0.0.0.0/tcp/30333 --rpc-methods safe \\
    ${EVERYWHERE.join(' ')}
${keyFile(stateDir, '')} holds the seeds of the council and of the validators' accounts: no machine of a node needs them.
A member of the council takes its own to its own machine, and decides there: npm run council.`
}
