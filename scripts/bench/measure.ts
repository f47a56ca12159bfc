import { each } from '../tour/client.js'

export interface Measured {
  title: string
  count: number
  perSecond: number
  p50: number
  p95: number
}

/**
 * Runs `count` operations, `width` at a time; returns how many ran a second, and how long one takes in milliseconds.
 */
export async function measure<T>(
  title: string,
  count: number,
  width: number,
  work: (index: number) => Promise<T>,
): Promise<{ measured: Measured; answers: T[] }> {
  const times: number[] = []
  const begun = performance.now()
  const indexes = Array.from({ length: count }, (_, index) => index)
  const answers = await each(indexes, width, async (index) => {
    const started = performance.now()
    const answer = await work(index)
    times.push(performance.now() - started)
    return answer
  })
  const seconds = (performance.now() - begun) / 1000
  return { measured: { title, count, perSecond: count / seconds, ...percentiles(times) }, answers }
}

export function percentiles(times: number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

export function row({ title, count, perSecond, p50, p95 }: Measured): string {
  return `| ${title} | ${count} | ${perSecond.toFixed(perSecond < 10 ? 1 : 0)} | ${p50.toFixed(0)} | ${p95.toFixed(0)} |`
}
