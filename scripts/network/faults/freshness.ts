import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../start/refusal.js'

const ASK_EVERY_MS = 500
const ANSWER_WITHIN_MS = 30_000
/** LEDGER_MAX_AGE_MS, which the product has from the same environment. */
const MAX_AGE_MS = Number(process.env.LEDGER_MAX_AGE_MS ?? 60_000)

/**
 * Asks all the while who is authorised, of an issuer that is: an answer stands on a block that is young enough and not
 * older than that of the answer before, or there is none, with the reason.
 */
export class Freshness {
  /** Answers that were refused because the ledger's final block is too old. */
  unavailable = 0
  private answers = 0
  private oldestMs = 0
  private block = 0
  private problem: string | undefined
  private isOver = false
  private asking: Promise<void> | undefined

  /** @param url the address of a question of authorisation whose answer is yes */
  constructor(private readonly url: string) {}

  begin(): void {
    this.asking = this.ask()
  }

  stop(): void {
    this.isOver = true
  }

  /** Ends it and returns what it saw. Throws where an answer was wrong. */
  async end(): Promise<string> {
    this.stop()
    await this.asking
    if (this.problem !== undefined) throw new Refusal(this.problem)
    if (this.answers === 0) throw new Refusal('No question was answered.')
    const seconds = (this.oldestMs / 1000).toFixed(0)
    return `${this.answers} answers of blocks at most ${seconds} s old, ${this.unavailable} refused as too old`
  }

  private async ask(): Promise<void> {
    for (; !this.isOver && this.problem === undefined; await pause(ASK_EVERY_MS)) {
      const asked = Date.now()
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
      const answer = await fetch(this.url, { signal }).catch(() => undefined)
      // A service that is just being started again says nothing.
      const text = await answer?.text().catch(() => undefined)
      if (answer === undefined || text === undefined) continue
      this.problem = this.judge(answer, text, asked)
    }
  }

  private judge({ status, headers }: Response, text: string, asked: number): string | undefined {
    const { type, authorized, block } = readAnswer(text)
    if (status === 503 && type === 'ledger_unavailable') {
      this.unavailable += 1
      return undefined
    }
    // A service that is being stopped says no more than that.
    if (status === 503 && type === undefined) return undefined
    if (status !== 200) return `A question of authorisation was answered ${status} ${text}`
    const ageMs = asked - Date.parse(headers.get('accredit-block-time') ?? '')
    if (!(ageMs <= MAX_AGE_MS)) return `An answer stands on a block that was ${ageMs} ms old: ${text}`
    if (authorized !== true) return `An issuer that is authorised was told not to be: ${text}`
    if (block === undefined || block < this.block) return `An answer stands on a block before ${this.block}: ${text}`
    this.block = block
    this.answers += 1
    this.oldestMs = Math.max(this.oldestMs, ageMs)
    return undefined
  }
}

interface Answer {
  type?: string
  authorized?: boolean
  block?: number
}

/** Reads an answer; one that is no JSON, as of a proxy, tells nothing of these. */
function readAnswer(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
