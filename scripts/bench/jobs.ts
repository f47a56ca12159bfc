import { readFileSync } from 'node:fs'
import type { Stack } from '../start/stack.js'
import { type Client, connect } from '../tour/client.js'
import { didToFinal } from './dids.js'
import type { MailCounter } from './mail-counter.js'
import { type Measured, percentiles } from './measure.js'

/** The most rows of one batch. */
const BATCH = 10_000
const QUEUED = 100_000
const BUSY_DOMAIN = 'busy.example'

interface Jobs {
  stack: Stack
  mail: MailCounter
  print: (measured: Measured) => void
  /** The number of jobs; default 100,000. */
  queued: number | undefined
}

/**
 * One team queues very many jobs, each the mail of a credential. Measures how fast they are done, what another team
 * waits meanwhile, and the most memory of the worker, which is killed halfway.
 */
export async function measureJobs({ stack, mail, print, queued = QUEUED }: Jobs): Promise<void> {
  const busy = connect(stack.apiUrl, stack.apiKey)
  const calm = connect(stack.apiUrl, await stack.newTeam('Calm'))
  const issuers = { busy: await newIssuer(busy), calm: await newIssuer(calm) }
  await queue(busy, issuers.busy, queued, print)
  const memory = watchMemory(() => stack.pids().worker)
  const begun = performance.now()
  mail.open()
  const isDone = () => mail.reached(BUSY_DOMAIN) >= queued
  const killing = until(() => mail.reached(BUSY_DOMAIN) >= queued / 2).then(() => {
    const { worker } = stack.pids()
    if (worker !== undefined) process.kill(worker, 'SIGKILL')
  })
  const neighbours = Promise.all([mailsOf(calm, issuers.calm, mail, isDone), didsOf(calm, isDone)])
  await Promise.all([killing, until(isDone)])
  const seconds = (performance.now() - begun) / 1000
  const twice = [...mail.counts.values()].filter((count) => count > 1).length
  const title = `Mails of one team, its worker killed halfway (at most ${memory.stop()} MB; ${twice} came twice)`
  print({ title, count: queued, perSecond: queued / seconds, p50: 0, p95: 0 })
  for (const measured of await neighbours) print(measured)
}

async function newIssuer(client: Client): Promise<string> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  return did
}

const mailed = (issuer: string, recipientEmail: string) => ({
  format: 'jwt',
  distribute: true,
  recipientEmail,
  credential: { issuer, type: ['DegreeCredential'], subject: { degree: 'M.Sc. Physics' } },
})

async function queue(client: Client, issuer: string, count: number, print: Jobs['print']): Promise<void> {
  const begun = performance.now()
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from)
    const rows = Array.from({ length }, (_, index) => mailed(issuer, `holder-${from + index}@${BUSY_DOMAIN}`))
    const { id } = await client.call<{ id: string }>('POST', '/credentials/batch', { rows })
    await client.finished(id, 600_000)
  }
  const perSecond = count / ((performance.now() - begun) / 1000)
  print({ title: 'Jobs queued by batches of credentials', count, perSecond, p50: 0, p95: 0 })
}

/** Another team sends one mail after the other, each from its request to its arrival. */
async function mailsOf(client: Client, issuer: string, mail: MailCounter, isOver: () => boolean): Promise<Measured> {
  return repeated('A mail of another team, to its arrival', isOver, async (index) => {
    const to = `neighbour-${index}@calm.example`
    await client.call('POST', '/credentials', mailed(issuer, to))
    await until(() => mail.counts.has(to))
  })
}

const didsOf = (client: Client, isOver: () => boolean): Promise<Measured> =>
  repeated('A DID of another team, to final', isOver, () => didToFinal(client))

async function repeated(
  title: string,
  isOver: () => boolean,
  work: (index: number) => Promise<unknown>,
): Promise<Measured> {
  const times: number[] = []
  do {
    const begun = performance.now()
    await work(times.length)
    times.push(performance.now() - begun)
  } while (!isOver())
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000
  const longest = Math.max(...times).toFixed(0)
  return {
    title: `${title} (at most ${longest} ms)`,
    count: times.length,
    perSecond: times.length / seconds,
    ...percentiles(times),
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Looks at the memory of a process each second; returns the most of it in MB, 0 where the system does not tell. */
function watchMemory(pid: () => number | undefined): { stop(): number } {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, residentMb(pid()))
  }, 1000)
  return {
    stop: () => {
      clearInterval(timer)
      return most
    },
  }
}

function residentMb(pid: number | undefined): number {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes ?? 0) / 1024)
  } catch {
    return 0
  }
}
