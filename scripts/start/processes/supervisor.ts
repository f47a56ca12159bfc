import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Writable } from 'node:stream'
import { Refusal } from '../refusal.js'
import { giveWay } from './give-way.js'
import { logLine, sentenceOf } from './log-lines.js'

export interface ProcessSpec {
  name: string
  command: string
  args: string[]
  env?: Record<string, string>
  /** The pattern of the line on standard output that means ready: its content goes to the waiting code. */
  readyLine(line: string): Record<string, unknown> | undefined
  readyWithinMs?: number
  stopSignal?: NodeJS.Signals
  /** Another system user to run as; only root may. */
  runAs?: { uid: number; gid: number }
  /** Runs before each start, the first and every later one. */
  before?(): Promise<void>
  pidOf?(child: ChildProcess): Promise<number | undefined>
  /** True for a process with a lower priority than the others, once it is ready. */
  givesWay?: boolean
}

type Ready = Record<string, unknown>
type Line = { process: string; text: string }

const firstStartTries = 3
const backOffMs = [250, 500, 1000, 2000, 5000, 10_000, 30_000]
const settledAfterMs = 60_000
const stopWithinMs = 10_000
const lastWordsWithinMs = 2_000

/**
 * Starts processes in order, restarts those that fall, stops them in the opposite order. execa would save none of it:
 * ready lines, back-off, order, signals for a server behind a shell and last words within a bound would stand over its
 * promises instead of over Node's events.
 */
export class Supervisor {
  private readonly running: Supervised[] = []
  private stopped: Promise<void> | undefined

  constructor(
    private readonly log: Writable,
    private readonly tell: (sentence: string) => void,
    private readonly changed: () => void = () => {},
    /** The longest wait before a process that fell is started again, in milliseconds. */
    private readonly longestBackOffMs = Math.max(...backOffMs),
  ) {}

  async start(spec: ProcessSpec): Promise<Ready> {
    if (this.stopped) throw new Refusal('The start was broken off.')
    const supervised = new Supervised(
      spec,
      (line) => this.write(line),
      (sentence) => this.say(sentence),
      this.changed,
      this.longestBackOffMs,
    )
    this.running.push(supervised)
    return supervised.startFirst()
  }

  pids(): Record<string, number> {
    const pids: Record<string, number> = {}
    for (const { spec, pid } of this.running) if (pid !== undefined) pids[spec.name] = pid
    return pids
  }

  /** Each process is stopped once, however often that is asked for, when those that were started after it are gone. */
  stop(): Promise<void> {
    this.stopped ??= this.stopAll()
    return this.stopped
  }

  private async stopAll(): Promise<void> {
    for (const supervised of this.running) supervised.leaveFallen()
    for (const supervised of this.running.toReversed()) await supervised.stop()
    this.running.length = 0
  }

  private write({ process: name, text }: Line): void {
    this.log.write(`${logLine(name, text)}\n`)
  }

  private say(sentence: string): void {
    this.write({ process: 'supervisor', text: sentence })
    this.tell(sentence)
  }
}

class Supervised {
  pid: number | undefined
  private child: ChildProcess | undefined
  private stopping = false
  private falls = 0
  private lastLines: string[] = []
  private retry: NodeJS.Timeout | undefined
  private settled: NodeJS.Timeout | undefined

  constructor(
    readonly spec: ProcessSpec,
    private readonly write: (line: Line) => void,
    private readonly tell: (sentence: string) => void,
    private readonly changed: () => void,
    private readonly longestBackOffMs: number,
  ) {}

  async startFirst(): Promise<Ready> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.launch()
      if (outcome.ready) return outcome.ready
      if (attempt === firstStartTries || this.stopping)
        throw new Refusal(`${this.spec.name} did not start: ${outcome.reason}. ${this.lastWords()}`)
    }
  }

  /** Keeps it from being started again when it falls. */
  leaveFallen(): void {
    this.stopping = true
    clearTimeout(this.retry)
  }

  async stop(): Promise<void> {
    const child = this.child
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const pid = this.pid ?? child.pid
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const signal = (name: NodeJS.Signals) => signalOf(pid, child, name)
    signal(this.spec.stopSignal ?? 'SIGTERM')
    const impatience = setTimeout(signal, stopWithinMs, 'SIGKILL')
    await ended
    child.stdin?.destroy()
    clearTimeout(impatience)
  }

  private async launch(): Promise<{ ready?: Ready; reason: string }> {
    await this.spec.before?.()
    if (this.stopping) return { reason: 'it was stopped' }
    const { command, args, env, runAs } = this.spec
    const environment = { ...baseEnvironment(), ...env }
    // The process has a group of its own: Ctrl-C in a terminal reaches only the supervisor, which then stops everything
    // in order.
    const child = spawn(command, args, { ...runAs, env: environment, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    this.child = child
    this.lastLines = []
    child.stdin.on('error', () => {})
    const outcome = await this.awaitReady(child)
    if (!outcome.ready) return outcome
    this.pid = (await this.spec.pidOf?.(child)) ?? child.pid
    if (this.spec.givesWay && this.pid !== undefined) await giveWay(this.pid)
    this.changed()
    child.once('exit', (code, signal) => this.fell(signal ?? `exit code ${code}`))
    // The process may have fallen between its ready line and this one.
    if (child.exitCode !== null || child.signalCode !== null)
      this.fell(child.signalCode ?? `exit code ${child.exitCode}`)
    else this.settled = setTimeout(() => (this.falls = 0), settledAfterMs).unref()
    return outcome
  }

  private awaitReady(child: ChildProcess): Promise<{ ready?: Ready; reason: string }> {
    return new Promise((resolve) => {
      const limit = this.spec.readyWithinMs ?? 60_000
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        resolve({ reason: `it was not ready within ${limit / 1000} s` })
      }, limit)
      let isSettled = false
      const settle = (outcome: { ready?: Ready; reason: string }) => {
        isSettled = true
        clearTimeout(timer)
        resolve(outcome)
      }
      child.once('error', (error) => settle({ reason: error.message }))
      child.once('exit', (code, signal) => {
        const outcome = { reason: `it ended with ${signal ?? `exit code ${code}`}` }
        // The last words come with the end of its output, unless a process that it started holds that open.
        child.once('close', () => settle(outcome))
        setTimeout(settle, lastWordsWithinMs, outcome).unref()
      })
      for (const stream of [child.stdout, child.stderr]) {
        if (!stream) continue
        createInterface({ input: stream }).on('line', (text) => {
          this.hear(text)
          const ready = isSettled ? undefined : this.spec.readyLine(text)
          if (ready) settle({ ready, reason: '' })
        })
      }
    })
  }

  private hear(text: string): void {
    this.write({ process: this.spec.name, text })
    this.lastLines.push(text)
    if (this.lastLines.length > 40) this.lastLines.shift()
  }

  private fell(how: string): void {
    if (this.stopping) return
    this.pid = undefined
    this.changed()
    clearTimeout(this.settled)
    this.child?.stdin?.destroy()
    const wait = Math.min(backOffMs[this.falls] ?? this.longestBackOffMs, this.longestBackOffMs)
    this.falls++
    this.tell(`${this.spec.name} ended (${how}); starting it again in ${wait / 1000} s.`)
    this.retry = setTimeout(() => void this.relaunch(), wait)
  }

  private async relaunch(): Promise<void> {
    if (this.stopping) return
    const outcome = await this.launch().catch((error: unknown) => ({ ready: undefined, reason: String(error) }))
    if (outcome.ready) this.tell(`${this.spec.name} is back.`)
    else this.fell(outcome.reason)
  }

  private lastWords(): string {
    const words = this.lastLines.map(sentenceOf).filter((line) => line !== '')
    return words.at(-1) ?? ''
  }
}

/** Sends a signal to the process that is to end, or, where it is gone, to the one that was started for it. */
function signalOf(pid: number, child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    child.kill(signal)
  }
}

/** Returns the environment that every process gets: nothing of the caller's that could change its behaviour. */
function baseEnvironment(): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'SystemRoot', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']) {
    const value = process.env[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}
