import { each } from '../tour/client.js'
import { describeProcessorTime, type ProcessorMeter, type ProcessorTime } from './processor-time.js'

export interface Measured {
  title: string
  /** The rate, or the time, that it shall reach on two cores. */
  wanted?: string
  count: number
  perSecond: number
  p50: number
  p95: number
  /** Left out where other work runs beside the operations. */
  processorTime?: ProcessorTime
}

/**
 * Runs `count` operations, `width` at a time; returns how many ran a second, how long one takes in milliseconds, and
 * with a meter what it takes of the processor.
 */
export async function measure<T>(
  title: string,
  count: number,
  width: number,
  work: (index: number) => Promise<T>,
  meter?: ProcessorMeter,
): Promise<{ measured: Measured; answers: T[] }> {
  const times: number[] = []
  const metered = meter?.()
  const begun = performance.now()
  const indexes = Array.from({ length: count }, (_, index) => index)
  const answers = await each(indexes, width, async (index) => {
    const started = performance.now()
    const answer = await work(index)
    times.push(performance.now() - started)
    return answer
  })
  const seconds = (performance.now() - begun) / 1000
  const processorTime = metered && { processorTime: metered(count) }
  return { measured: { title, count, perSecond: count / seconds, ...percentiles(times), ...processorTime }, answers }
}

export function percentiles(times: number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

export const HEAD = `| what | operations | per second | wanted | p50 ms | p95 ms | processor ms an operation |
|---|---:|---:|---:|---:|---:|---|`

export function row({ title, wanted = '', count, perSecond, p50, p95, processorTime }: Measured): string {
  const rate = perSecond.toFixed(perSecond < 10 ? 1 : 0)
  return `| ${title} | ${count} | ${rate} | ${wanted} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${describeProcessorTime(processorTime)} |`
}
