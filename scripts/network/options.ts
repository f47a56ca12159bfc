import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf, Refusal } from '../start/refusal.js'

export const COMMANDS = ['start', 'status', 'stop', 'add', 'test'] as const
export type Command = (typeof COMMANDS)[number]

export interface NetworkOptions {
  command: Command
  /** The folder of the specification, and of each node its keys, log and database. */
  stateDir: string
  /** The program of a node; undefined where none is named. */
  nodeProgram: string | undefined
  /** The number of validators of a new network. */
  validators: number
  /** SS58 addresses of the accounts that have money from the start. */
  feeAccounts: readonly string[]
}

export const usage = `npm run network -- COMMAND [options]
  start     makes the network when the state folder is empty, starts what does not run of it, waits for a final block
  status    tells of each node its best and final block, peers, the age of its final block and its memory
  add       adds a full node with the whole history: the one that a product uses
  stop      stops all nodes, and keeps what they know
  test      tries a network of its own: finality, a validator that falls, a proof; and tells what it measured
  --validators N       how many a new network has, 1 to 32; default 4
  --fee-account SS58   an account with money from the start, that of a product's signer; may be repeated
  --state FOLDER       where everything is kept; default .accredit-network
  --node FILE          the program of a node, as scripts/build-node makes it; default what ACCREDIT_NODE names
All of it runs on this machine and listens on loopback.`

/** The runtime has room for as many. */
const MOST_VALIDATORS = 32

export function parseNetworkOptions(argv: string[], projectRoot: string, env: NodeJS.ProcessEnv): NetworkOptions {
  const { values, positionals } = parse(argv)
  const [given, ...more] = positionals
  const command = COMMANDS.find((one) => one === given)
  if (command === undefined || more.length > 0)
    throw new Refusal(`network takes one of ${COMMANDS.join(', ')}, not '${positionals.join(' ')}'.\n${usage}`)
  const validators = Number(values.validators ?? 4)
  if (!Number.isInteger(validators) || validators < 1 || validators > MOST_VALIDATORS)
    throw new Refusal(`--validators is a number from 1 to ${MOST_VALIDATORS}, not '${values.validators}'.`)
  const nodeProgram = values.node ?? (env.ACCREDIT_NODE || undefined)
  return {
    command,
    stateDir: resolve(projectRoot, values.state ?? '.accredit-network'),
    nodeProgram: nodeProgram === undefined ? undefined : resolve(projectRoot, nodeProgram),
    validators,
    feeAccounts: values['fee-account'] ?? [],
  }
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        validators: { type: 'string' },
        'fee-account': { type: 'string', multiple: true },
        state: { type: 'string' },
        node: { type: 'string' },
      },
    })
  } catch (error) {
    throw new Refusal(`${messageOf(error)}\n${usage}`)
  }
}
