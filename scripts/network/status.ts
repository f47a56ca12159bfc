import type { NodeState } from './network-state.js'
import { liveProcess, memoryOf } from './node-process.js'
import { nodeRpc } from './node-rpc.js'

export interface NodeStatus {
  name: string
  rpcUrl: string
  /** Undefined where the node does not run. */
  pid: number | undefined
  /** True where it answers the methods that are for its operator alone. */
  isOpen: boolean
  /** Undefined where the node does not run, or does not answer. */
  seen: Seen | undefined
}

interface Seen {
  best: number
  final: number
  peers: number
  /** The age of the last final block by this machine's clock; undefined while that is genesis. */
  lagSeconds: number | undefined
  memoryBytes: number | undefined
}

export const rpcUrlOf = ({ ports }: Pick<NodeState, 'ports'>): string => `ws://127.0.0.1:${ports.rpc}`

export async function statusOf(stateDir: string, node: NodeState): Promise<NodeStatus> {
  const { pid, isOpen = false } = (await liveProcess(stateDir, node)) ?? {}
  const seen = pid === undefined ? undefined : await look(node, pid).catch(() => undefined)
  return { name: node.name, rpcUrl: rpcUrlOf(node), pid, isOpen, seen }
}

async function look(node: NodeState, pid: number): Promise<Seen> {
  const rpc = nodeRpc(node)
  const [{ best, final }, { peers }, time, memoryBytes] = await Promise.all([
    rpc.heads(),
    rpc.health(),
    rpc.finalHash().then((hash) => rpc.timeOf(hash)),
    memoryOf(pid),
  ])
  return { best, final, peers, lagSeconds: time === undefined ? undefined : (Date.now() - time) / 1000, memoryBytes }
}

const HEAD = ['node', 'process', 'best', 'final', 'lag', 'peers', 'memory', 'JSON-RPC']

/** Tells the state of all nodes as a table, one a line. */
export function tableOf(statuses: readonly NodeStatus[]): string {
  const rows = [HEAD, ...statuses.map(rowOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function rowOf({ name, pid, isOpen, seen, rpcUrl: url }: NodeStatus): string[] {
  const rpcUrl = isOpen ? `${url}  open to its operator (--rpc-methods unsafe)` : url
  if (pid === undefined) return [name, 'does not run', '', '', '', '', '', rpcUrl]
  if (seen === undefined) return [name, String(pid), 'no answer', '', '', '', '', rpcUrl]
  const { best, final, peers, lagSeconds, memoryBytes } = seen
  const lag = lagSeconds === undefined ? '' : `${lagSeconds.toFixed(1)} s`
  const memory = memoryBytes === undefined ? '' : `${Math.round(memoryBytes / 1e6)} MB`
  return [name, String(pid), String(best), String(final), lag, String(peers), memory, rpcUrl]
}
