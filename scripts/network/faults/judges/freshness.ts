import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../start/refusal.js'
import type { Question, Reading } from './questions.js'

const ANSWER_WITHIN_MS = 30_000
/** LEDGER_MAX_AGE_MS, which the product has from the same environment. */
const MAX_AGE_MS = Number(process.env.LEDGER_MAX_AGE_MS ?? 60_000)
/** The time by which a validator's clock may be fast. */
const AHEAD_MS = 10_000

interface Watch {
  askEveryMs?: number
  /** True where the ledger or the product stands still meanwhile, on purpose. */
  standsStill?: boolean | undefined
  /** The product is back in less after a death or a restart. */
  silentMs?: number
  /** When everything is over, each question is answered in less. */
  rightWithinMs?: number
}

/**
 * Asks all the while, one question after the other in turn: an answer stands on a block that is young enough and not
 * older than that of any answer before, or there is none, with the reason. A list of events may stand on an old block,
 * and says so. While the ledger and the product go on, neither happens, and nobody is left without an answer for long.
 */
export class Freshness {
  /** Answers that were refused because the ledger's final block is too old. */
  unavailable = 0
  /** Answers that said themselves that they may be old ones. */
  admitted = 0
  private readonly answered = new Map<string, number>()
  private oldestMs = 0
  /** When something was last told, and the longest time for which nothing was. */
  private heard = Date.now()
  private silentMs = 0
  private block = 0
  private problem: string | undefined
  private isOver = false
  private asking: Promise<void> | undefined

  private readonly watch: Required<Watch>

  constructor(
    private readonly questions: readonly Question[],
    { askEveryMs = 500, standsStill = false, silentMs = 30_000, rightWithinMs = 60_000 }: Watch = {},
  ) {
    this.watch = { askEveryMs, standsStill, silentMs, rightWithinMs }
  }

  /** True when an answer was wrong: nothing more is asked then. */
  get isWrong(): boolean {
    return this.problem !== undefined
  }

  begin(): void {
    this.heard = Date.now()
    this.asking = this.ask()
  }

  stop(): void {
    this.isOver = true
  }

  /** Ends it and returns what it saw. Throws where an answer was wrong or missing, and where a question has none now. */
  async end(): Promise<string> {
    this.stop()
    await this.asking
    if (this.problem !== undefined) throw new Refusal(this.problem)
    this.requireService()
    for (const question of this.questions) await this.untilRight(question)
    const seconds = (this.oldestMs / 1000).toFixed(0)
    const counts = this.questions.map(({ name }) => `${name} ${this.answered.get(name) ?? 0}`).join(', ')
    const answers = [...this.answered.values()].reduce((sum, count) => sum + count, 0)
    return `${answers} answers (${counts}) of blocks at most ${seconds} s old, ${this.unavailable} refused and ${this.admitted} marked as too old, none for ${(this.silentMs / 1000).toFixed(0)} s at most`
  }

  private requireService(): void {
    if (this.watch.standsStill) return
    const tooOld = this.unavailable + this.admitted
    if (tooOld > 0)
      throw new Refusal(`The ledger went on, and of ${tooOld} questions the answer was that it is too old.`)
    if (this.silentMs > this.watch.silentMs)
      throw new Refusal(`The product was to be there, and told nothing for ${this.silentMs / 1000} s.`)
  }

  /** Asks one question until it is answered: what a fault took away is back after it. */
  private async untilRight(question: Question): Promise<void> {
    const answered = () => this.answered.get(question.name) ?? 0
    const before = answered()
    const { rightWithinMs } = this.watch
    const deadline = Date.now() + rightWithinMs
    for (; answered() === before; await pause(this.watch.askEveryMs)) {
      await this.askOnce(question)
      if (this.problem !== undefined) throw new Refusal(this.problem)
      if (Date.now() > deadline)
        throw new Refusal(`${question.name} was not answered within ${rightWithinMs / 1000} s after the fault.`)
    }
  }

  private async ask(): Promise<void> {
    for (let turn = 0; !this.isOver && this.problem === undefined; turn += 1, await pause(this.watch.askEveryMs)) {
      const question = this.questions[turn % this.questions.length]
      if (question === undefined) return
      await this.askOnce(question)
    }
  }

  private async askOnce(question: Question): Promise<void> {
    const asked = Date.now()
    const answer = await question.ask(AbortSignal.timeout(ANSWER_WITHIN_MS)).catch(() => undefined)
    const text = await answer?.text().catch(() => undefined)
    // A service that is just being started again says nothing.
    const isAnswered = answer !== undefined && text !== undefined
    const reading = isAnswered ? question.read(answer.status, text) : 'none'
    const now = Date.now()
    this.silentMs = Math.max(this.silentMs, now - this.heard)
    if (!isAnswered || reading === 'none') return
    this.heard = now
    if (reading === 'refused') this.unavailable += 1
    else this.problem ??= this.judge(question, reading, answer, text, asked)
  }

  private judge(
    { name, mayBeStale = false }: Question,
    reading: Exclude<Reading, 'none' | 'refused'>,
    { status, headers }: Response,
    text: string,
    asked: number,
  ) {
    const told = `${status} ${text.slice(0, 500)}`
    if (reading === 'wrong') return `${name}: who is trusted was told not to be: ${told}`
    const isMarked = headers.has('accredit-stale')
    if (isMarked && !mayBeStale) return `${name}: an answer that may be an old one was given: ${told}`
    const ageMs = asked - Date.parse(headers.get('accredit-block-time') ?? '')
    if (!isMarked && !(ageMs >= -AHEAD_MS && ageMs <= MAX_AGE_MS))
      return `${name}: an answer stands on a block that was ${ageMs} ms old: ${told}`
    const block = Number(headers.get('accredit-block') ?? Number.NaN)
    if (!(block >= this.block)) return `${name}: an answer stands on block ${block}, before ${this.block}: ${told}`
    this.block = block
    if (isMarked) {
      this.admitted += 1
      return undefined
    }
    this.answered.set(name, (this.answered.get(name) ?? 0) + 1)
    this.oldestMs = Math.max(this.oldestMs, ageMs)
    return undefined
  }
}
