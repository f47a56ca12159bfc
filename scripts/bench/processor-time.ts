import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of a processor that one operation took, by process; empty where the system does not tell. */
export type ProcessorTime = Readonly<Record<string, number>>

/** Begins to measure; what it returns ends that and shares what was used among so many operations. */
export type ProcessorMeter = () => (operations: number) => ProcessorTime

/** Linux counts processor time in hundredths of a second. */
const MS_A_TICK = 10

/**
 * Measures the processes of a product, each with the processes that it started: what a rate says of a busy machine this
 * says of the product.
 */
export const processorMeter =
  (pids: () => Record<string, number>): ProcessorMeter =>
  () => {
    const before = usedBy(pids())
    return (operations) => {
      const after = usedBy(pids())
      return Object.fromEntries(
        Object.entries(before).flatMap(([name, begun]) => {
          const ended = after[name]
          return ended === undefined ? [] : [[name, (ended - begun) / operations]]
        }),
      )
    }
  }

/** Returns the whole and its parts, the dearest first: `36.1: postgres 12.4, signer 11.4`. */
export function describeProcessorTime(time: ProcessorTime = {}): string {
  const parts = Object.entries(time).sort(([, one], [, other]) => other - one)
  if (parts.length === 0) return ''
  const whole = parts.reduce((sum, [, ms]) => sum + ms, 0)
  const shown = parts.map(([name, ms]) => [name, milliseconds(ms)] as const).filter(([, ms]) => Number(ms) > 0)
  return `${milliseconds(whole)}: ${shown.map(([name, ms]) => `${name} ${ms}`).join(', ')}`
}

const milliseconds = (ms: number): string => ms.toFixed(ms < 10 ? 2 : 1)

function usedBy(pids: Record<string, number>): Record<string, number> {
  const processes = new Map(processIds().flatMap((pid) => statOf(pid) ?? []))
  const treeOf = (pid: number): number => {
    const own = processes.get(pid)
    const children = [...processes].filter(([, { parent }]) => parent === pid)
    return (own?.used ?? 0) + children.reduce((sum, [child]) => sum + treeOf(child), 0)
  }
  return Object.fromEntries(
    Object.entries(pids).flatMap(([name, pid]) => (processes.has(pid) ? [[name, treeOf(pid)]] : [])),
  )
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

interface ProcessStat {
  parent: number
  /** Milliseconds, with those of its children that have ended. */
  used: number
}

function statOf(pid: number): [[number, ProcessStat]] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // user and system time, own and of ended children
    const ticks = fields.slice(9, 13).reduce((sum, field) => sum + Number(field), 0)
    return [[pid, { parent: Number(parent), used: ticks * MS_A_TICK }]]
  } catch {
    return undefined
  }
}
