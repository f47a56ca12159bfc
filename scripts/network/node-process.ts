import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf, messageOf, Refusal } from '../start/refusal.js'
import { birthOf, isAlive } from '../start/state/lock.js'
import { waitUntil } from '../start/wait-until.js'
import { allEnded } from './clean-up.js'
import { interruption } from './interruption.js'
import {
  keystoreFolder,
  logFile,
  multiaddressOf,
  type NetworkState,
  type NodeState,
  nodeFolder,
  nodeKeyFile,
  processFile,
  specificationFile,
} from './network-state.js'

/** The memory for the state of a node, in bytes: the default of a gigabyte is for chains of another size. */
const STATE_CACHE_BYTES = 64 * 1024 * 1024
const STOP_WITHIN_MS = 20_000
/** A killed node ends when its disk, which may be slow and busy, has taken what it still had to write. */
const KILLED_WITHIN_MS = 20_000
/** A process has written itself down in less, on a busy machine too. */
const WRITTEN_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50

/** Refuses what is not the program of a node, and returns its path. */
export async function requireNodeProgram(program: string | undefined): Promise<string> {
  const remedy = 'scripts/build-node makes one.'
  if (program === undefined) throw new Refusal(`No node program is named: give --node FILE or ACCREDIT_NODE. ${remedy}`)
  await access(program, constants.X_OK).catch(() => {
    throw new Refusal(`${program} is missing, or may not be executed. ${remedy}`)
  })
  const told = await promisify(execFile)(program, ['--version'], { timeout: 30_000 }).catch((error) => {
    throw new Refusal(`${program} does not run here: ${messageOf(error).split('\n')[0]}. ${remedy}`)
  })
  if (!told.stdout.startsWith('accredit-node ')) throw new Refusal(`${program} is not the node of Accredit. ${remedy}`)
  return program
}

/** Choices of a start, beside what a node always has. */
export interface Launch {
  /** The methods that it answers: `unsafe` has what is for its operator alone, as the making of session keys. */
  methods?: 'safe' | 'unsafe'
  /** The number of final blocks of which it keeps the state; without it, all. */
  keptBlocks?: number
  /** Further options of the program. */
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
}

/**
 * The first words of a node's process, before it becomes the node: it writes down its number, the methods that it will
 * answer, and its birth, in clock ticks since boot. So there is no node that is written down nowhere, whenever a command is killed.
 */
const WRITES_ITSELF_DOWN =
  'echo "$$ $1 $(cut -d " " -f 22 /proc/$$/stat 2>/dev/null)" > "$0.new" && mv "$0.new" "$0" && shift && exec "$@"'

/** Starts a node that outlives this process. One that has not written itself down is ended: nobody else would find it. */
export async function startNode(
  program: string,
  stateDir: string,
  network: Pick<NetworkState, 'nodes'>,
  node: NodeState,
  launch: Launch = {},
): Promise<void> {
  const file = processFile(stateDir, node)
  const log = openSync(logFile(stateDir, node), 'a', 0o600)
  const argv = [file, launch.methods ?? 'safe', program, ...argumentsOf(stateDir, network, node, launch)]
  const child = spawn('/bin/sh', ['-c', WRITES_ITSELF_DOWN, ...argv], {
    detached: true,
    env: { ...process.env, ...launch.env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Refusal(`${program} cannot be started: ${messageOf(error)}.`)))
  })
  child.unref()
  const isWritten = async () => {
    // One that ended right after it had written itself down has begun.
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if ((await knownProcess(stateDir, node))?.pid === child.pid) return true
    if (hasEnded) throw new Refusal(`${node.name} could not write down its process: see ${logFile(stateDir, node)}.`)
    return false
  }
  try {
    const times = { withinMs: WRITTEN_WITHIN_MS, everyMs: LOOK_EVERY_MS, signal: interruption }
    if (!(await waitUntil(isWritten, times)))
      throw new Refusal(`${node.name} does not begin: see ${logFile(stateDir, node)}.`)
  } catch (error) {
    child.ref()
    if (child.kill('SIGKILL')) await once(child, 'exit')
    throw error
  }
}

/** The number of blocks that a node keeps, with their states. */
const keeping = (blocks: number | 'archive'): string[] => [
  ...['--state-pruning', String(blocks)],
  ...['--blocks-pruning', String(blocks)],
]

/** The options of every node, however much it keeps. */
const COMMON: readonly string[] = [
  ...['--trie-cache-size', String(STATE_CACHE_BYTES)],
  ...['--offchain-worker', 'never', '--no-mdns', '--no-telemetry'],
]

/** The options of every node, wherever it runs: a fresh index and a proof of the past need the state of every block. */
export const EVERYWHERE: readonly string[] = [...keeping('archive'), ...COMMON]

function argumentsOf(
  stateDir: string,
  { nodes }: Pick<NetworkState, 'nodes'>,
  node: NodeState,
  { methods = 'safe', keptBlocks, args = [] }: Launch,
): string[] {
  const others = nodes.filter(({ name }) => name !== node.name)
  const { peers, rpc, metrics } = node.ports
  return [
    ...['--chain', specificationFile(stateDir)],
    ...['--base-path', join(nodeFolder(stateDir, node), 'data')],
    ...['--keystore-path', keystoreFolder(stateDir, node)],
    ...['--node-key-file', nodeKeyFile(stateDir, node)],
    ...['--name', node.name],
    ...(node.role === 'validator' ? ['--validator'] : []),
    ...['--listen-addr', `/ip4/127.0.0.1/tcp/${peers}`],
    ...['--rpc-port', String(rpc), '--rpc-methods', methods],
    ...['--prometheus-port', String(metrics)],
    ...(keptBlocks === undefined ? EVERYWHERE : [...keeping(keptBlocks), ...COMMON]),
    ...(others.length === 0 ? ['--force-authoring'] : ['--bootnodes', ...others.map(multiaddressOf)]),
    ...args,
  ]
}

/** The process of a node that ran last. */
interface NodeProcess {
  pid: number
  /** True where it answers the methods that are for its operator alone. */
  isOpen: boolean
  /** When it was born: numbers are used again. */
  birth: string
}

async function knownProcess(stateDir: string, node: Pick<NodeState, 'name'>): Promise<NodeProcess | undefined> {
  const text = await readFile(processFile(stateDir, node), 'utf8').catch(() => '')
  const [, pid, methods, birth = ''] = /^(\d+) (safe|unsafe) (\d*)\n$/.exec(text) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), isOpen: methods === 'unsafe', birth }
}

/** Returns the process of a node while it runs, and whether it is open to what is for its operator alone. */
export async function liveProcess(
  stateDir: string,
  node: Pick<NodeState, 'name'>,
): Promise<Omit<NodeProcess, 'birth'> | undefined> {
  const known = await knownProcess(stateDir, node)
  if (known === undefined || !isAlive(known.pid) || (await isZombie(known.pid))) return undefined
  return (await birthOf(known.pid)) === known.birth ? known : undefined
}

/** Returns the number of a node's process while it runs. */
export const runningProcess = async (stateDir: string, node: Pick<NodeState, 'name'>): Promise<number | undefined> =>
  (await liveProcess(stateDir, node))?.pid

/**
 * Asks a node to end and waits until it has; one that does not end is killed. Refuses where it is there even then, as a
 * process that waits for a broken disk may be.
 */
export async function stopNode(
  stateDir: string,
  node: Pick<NodeState, 'name'>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  const pid = await runningProcess(stateDir, node)
  if (pid === undefined) return
  const endsWithin = (withinMs: number) =>
    waitUntil(async () => (await runningProcess(stateDir, node)) === undefined, { withinMs, everyMs: LOOK_EVERY_MS })
  if (signal !== 'SIGKILL') {
    sendSignal(pid, signal)
    if (await endsWithin(STOP_WITHIN_MS)) return
  }
  sendSignal(pid, 'SIGKILL')
  if (!(await endsWithin(KILLED_WITHIN_MS)))
    throw new Refusal(`${node.name} does not end: process ${pid} was killed, and is still there.`)
}

/** Stops nodes at once, and throws where one refuses, when it is known of all whether they have ended. */
export const stopNodes = (stateDir: string, nodes: readonly NodeState[], signal?: NodeJS.Signals): Promise<void> =>
  allEnded(nodes.map((node) => stopNode(stateDir, node, signal)))

/** Sends a signal to a process, unless it has ended meanwhile. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

/** Returns what the system tells of a process; nothing where it tells nothing. */
const statusOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')

/**
 * True for a process that has ended and keeps its number, since its parent takes no note of it, as in a container whose
 * first process does not. While one of its threads waits for a disk it has not ended.
 */
const isZombie = async (pid: number): Promise<boolean> => /^State:\s+Z[\s\S]*^Threads:\s+1$/m.test(await statusOf(pid))

/** The memory that a process holds, in bytes; undefined where the system does not tell. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await statusOf(pid)) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}
