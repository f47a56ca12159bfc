import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseAmount } from '../council/options.js'
import { messageOf, Refusal } from '../start/refusal.js'

export const COMMANDS = ['make', 'start', 'status', 'stop', 'add', 'remove', 'fund', 'upgrade', 'test'] as const
export type Command = (typeof COMMANDS)[number]

export interface NetworkOptions {
  command: Command
  /** The subject of the command: the validator to remove, the account to fund, the file to upgrade to. */
  subject: string
  /** True where `add` is to add a validator. */
  isValidator: boolean
  /** The amount that `fund` pays. */
  amount: bigint
  /** The folder of the specification, and of each node its keys, log and database. */
  stateDir: string
  /** The program of a node; undefined where none is named. */
  nodeProgram: string | undefined
  /** The number of validators of a new network. */
  validators: number
  /** SS58 addresses of the accounts that have money from the start. */
  feeAccounts: readonly string[]
  /** `make`: the machines of the validators, by name or address. */
  hosts: readonly string[]
  /** `test`: the names of the faults that happen; none: all. */
  faults: readonly string[]
  /** `test`: a client's program that accepts the product, and looks after each fault; undefined: none is named. */
  acceptance: string | undefined
  /** `test`: true where a fault that this machine cannot bring about is no failure. */
  mayLeaveOut: boolean
}

/** The runtime has room for as many. */
const MOST_VALIDATORS = 32

export const usage = `npm run network -- COMMAND [options]
  make --host NAME [--host NAME …]     makes keys and specification of a network whose validators run on these machines,
            and starts nothing; a folder that holds one is left alone
  start     makes the network when the state folder is empty, starts what does not run of it, waits for a final block
  status    tells of each node its best and final block, peers, the age of its final block and its memory
  add       adds a full node with the whole history: the one that a product uses; with --validator a validator, which the
            council votes for
  remove VALIDATOR     removes a validator by a vote of the council, and ends its node
  fund SS58            pays an account from the council's treasury, that of a product's signer
  upgrade FILE         upgrades the runtime of the network to that of a file, by a vote of the council on its hash
  stop      stops all nodes, and keeps what they know
  test      tries a network of its own with the product on it: finality, a proof, and one fault after the other while it
            is written to; and tells what it saw and measured
  --validators N       how many a new network has, 1 to 32; default 4
  --fee-account SS58   an account with money from the start, that of a product's signer; may be repeated
  --host NAME          make: the name or the address at which the others reach a validator; one for each, 1 to ${MOST_VALIDATORS}
  --fault NAME         test: this fault alone, and nothing is measured; may be repeated
  --acceptance FILE    test: a client's program, run as node FILE READY --save STATE before the faults, and with --check STATE
            after each; READY tells apiUrl and apiKey, and the last line is to be 'N passed, 0 failed'
  --allow-not-run      test: ends with 0 also where this machine lacks what a fault needs, which then did not happen
  --validator          add: a validator
  --amount N           fund: what the account gets; default 10^18
  --state FOLDER       where everything is kept; default .accredit-network
  --node FILE          the program of a node, as scripts/build-node makes it; default what ACCREDIT_NODE names
All but what make makes runs on this machine and listens on loopback.`

/** The commands that need a subject, and what it is. */
const SUBJECTS: Partial<Record<Command, string>> = {
  remove: 'the name of a validator',
  fund: 'the address of an account',
  upgrade: 'the file of a runtime',
}

export function parseNetworkOptions(argv: string[], projectRoot: string, env: NodeJS.ProcessEnv): NetworkOptions {
  const { values, positionals } = parse(argv)
  const [given, subject, ...more] = positionals
  const command = COMMANDS.find((one) => one === given)
  if (command === undefined || more.length > 0 || (subject !== undefined && SUBJECTS[command] === undefined))
    throw new Refusal(`network takes one of ${COMMANDS.join(', ')}, not '${positionals.join(' ')}'.\n${usage}`)
  if (SUBJECTS[command] !== undefined && subject === undefined)
    throw new Refusal(`network ${command} needs ${SUBJECTS[command]}.`)
  const hosts = hostsOf(command, values)
  const nodeProgram = values.node ?? (env.ACCREDIT_NODE || undefined)
  return {
    command,
    subject: subject ?? '',
    isValidator: values.validator === true,
    amount: parseAmount(values.amount),
    stateDir: resolve(projectRoot, values.state ?? '.accredit-network'),
    nodeProgram: nodeProgram === undefined ? undefined : resolve(projectRoot, nodeProgram),
    validators: hosts.length > 0 ? hosts.length : validatorsOf(values.validators),
    feeAccounts: values['fee-account'] ?? [],
    hosts,
    faults: ofTest(command, 'fault', values.fault) ?? [],
    acceptance: acceptanceOf(ofTest(command, 'acceptance', values.acceptance), projectRoot),
    mayLeaveOut: ofTest(command, 'allow-not-run', values['allow-not-run']) ?? false,
  }
}

function validatorsOf(given = '4'): number {
  const validators = Number(given)
  if (!Number.isInteger(validators) || validators < 1 || validators > MOST_VALIDATORS)
    throw new Refusal(`--validators is a number from 1 to ${MOST_VALIDATORS}, not '${given}'.`)
  return validators
}

/** Labels of letters, digits and hyphens; a name whose last one is a number would be a wrong address. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

function hostsOf(command: Command, given: { host?: string[]; validators?: string }): string[] {
  const hosts = (given.host ?? []).map((host) => host.toLowerCase())
  if (command !== 'make') {
    if (hosts.length > 0) throw new Refusal(`--host belongs to make, not to ${command}.`)
    return []
  }
  if (given.validators !== undefined) throw new Refusal('make takes no --validators: each --host is one.')
  if (hosts.length < 1 || hosts.length > MOST_VALIDATORS)
    throw new Refusal(
      `network make needs --host once for each validator, 1 to ${MOST_VALIDATORS} times, not ${hosts.length}.`,
    )
  for (const [at, host] of hosts.entries()) {
    // An address with a zone means something on one machine alone.
    if ((isIP(host) === 0 || host.includes('%')) && !NAME.test(host))
      throw new Refusal(`--host is the name or the address of a machine, not '${host}'.`)
    if (hosts.indexOf(host) !== at)
      throw new Refusal(`--host names another machine for each validator, and ${host} stands twice.`)
  }
  return hosts
}

/** Returns the value of an option that `test` alone takes. */
function ofTest<T>(command: Command, name: string, value: T | undefined): T | undefined {
  if (command !== 'test' && value !== undefined) throw new Refusal(`--${name} belongs to test, not to ${command}.`)
  return value
}

function acceptanceOf(given: string | undefined, projectRoot: string): string | undefined {
  if (given === undefined) return undefined
  const file = resolve(projectRoot, given)
  if (!existsSync(file)) throw new Refusal(`--acceptance names a program that is there, not '${given}'.`)
  return file
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        validators: { type: 'string' },
        host: { type: 'string', multiple: true },
        validator: { type: 'boolean' },
        fault: { type: 'string', multiple: true },
        acceptance: { type: 'string' },
        'allow-not-run': { type: 'boolean' },
        amount: { type: 'string' },
        'fee-account': { type: 'string', multiple: true },
        state: { type: 'string' },
        node: { type: 'string' },
      },
    })
  } catch (error) {
    throw new Refusal(`${messageOf(error)}\n${usage}`)
  }
}
