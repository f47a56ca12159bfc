import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../start/refusal.js'
import { interruption } from '../../interruption.js'
import { Agreement } from './agreement.js'
import type { Question, Reading } from './questions.js'

const ANSWER_WITHIN_MS = 30_000
/** LEDGER_MAX_AGE_MS, which the product has from the same environment. */
const MAX_AGE_MS = Number(process.env.LEDGER_MAX_AGE_MS ?? 60_000)
/** The time by which a validator's clock may be fast. */
const AHEAD_MS = 10_000
/** A question to which no answer came is asked again in less, on a busy machine too. */
const ROUND_WITHIN_MS = 15_000

interface Watch {
  askEveryMs?: number
  /**
   * The time for which the fault explains that a question is refused, answered by a history that may be an old one, or
   * not at all; undefined: the ledger goes on, nothing is refused, and each question is answered again in `silentMs`.
   */
  mayBeAwayMs?: number | undefined
  /** The time for which a product may say nothing whose ledger goes on; by default a round of questions alone. */
  silentMs?: number
  /** When everything is over, each question is answered in less. */
  rightWithinMs?: number
}

/**
 * Asks all the while, one question after the other in turn: an answer stands on a block that is young enough and not
 * older than that of any answer before, or there is none, with the reason. A list of events may stand on an old block,
 * and says so. No question is without an answer about the present for longer than the fault explains.
 */
export class Freshness {
  /** Answers that were refused because the ledger's final block is too old. */
  unavailable = 0
  /** Answers that said themselves that they may be old ones. */
  admitted = 0
  private readonly answered = new Map<string, number>()
  private oldestMs = 0
  /** The age of the oldest block on which a history stood that said so. */
  private oldestMarkedMs = 0
  /** The questions that have no answer about the present, each with the time since when. */
  private readonly awaySince = new Map<string, number>()
  private longest = { name: '', ms: 0 }
  private readonly agreement = new Agreement(MAX_AGE_MS)
  private block = 0
  private problem: string | undefined
  private isOver = false
  private asking: Promise<void> | undefined

  private readonly watch: Required<Watch>

  constructor(
    private readonly questions: readonly Question[],
    { askEveryMs = 500, mayBeAwayMs, silentMs = ROUND_WITHIN_MS, rightWithinMs = 60_000 }: Watch = {},
  ) {
    this.watch = { askEveryMs, mayBeAwayMs, silentMs, rightWithinMs }
  }

  /** True when an answer was wrong: nothing more is asked then. */
  get isWrong(): boolean {
    return this.problem !== undefined
  }

  begin(): void {
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
    this.requireUnrefused()
    for (const question of this.questions) await this.untilRight(question)
    this.requireService()
    const counts = this.questions.map(({ name }) => `${name} ${this.answered.get(name) ?? 0}`).join(', ')
    const answers = [...this.answered.values()].reduce((sum, count) => sum + count, 0)
    const marked = this.admitted === 0 ? '' : ` (of blocks at most ${seconds(this.oldestMarkedMs)} old)`
    return `${answers} answers (${counts}) of blocks at most ${seconds(this.oldestMs)} old, ${this.unavailable} refused and ${this.admitted} marked as too old${marked}, each answered again after ${seconds(this.longest.ms)} at most`
  }

  private requireUnrefused(): void {
    const tooOld = this.unavailable + this.admitted
    if (this.watch.mayBeAwayMs === undefined && tooOld > 0)
      throw new Refusal(`The ledger went on, and of ${tooOld} questions the answer was that it is too old.`)
  }

  private requireService(): void {
    const { mayBeAwayMs, silentMs } = this.watch
    const { name, ms } = this.longest
    if (ms > (mayBeAwayMs ?? silentMs))
      throw new Refusal(
        `${name} had no answer about the present for ${ms / 1000} s, and ${(mayBeAwayMs ?? silentMs) / 1000} s are explained.`,
      )
  }

  /** Asks one question until it is answered: what a fault took away is back after it. */
  private async untilRight(question: Question): Promise<void> {
    const answered = () => this.answered.get(question.name) ?? 0
    const before = answered()
    const { rightWithinMs } = this.watch
    const deadline = Date.now() + rightWithinMs
    for (; answered() === before; await pause(this.watch.askEveryMs)) {
      interruption.throwIfAborted()
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
    const before = this.answered.get(question.name)
    if (reading === 'none') this.agreement.forget()
    else if (reading === 'refused') this.refused(question)
    else if (isAnswered) this.problem ??= this.judge(question, reading, answer, text, asked)
    this.noteTime(question.name, asked, this.answered.get(question.name) !== before)
  }

  private refused(question: Question): void {
    this.unavailable += 1
    this.problem ??= this.agreement.problemWith(question, { is: 'too old', at: Date.now() })
  }

  /** Keeps for how long a question has had no answer about the present. */
  private noteTime(name: string, asked: number, isFresh: boolean): void {
    const known = this.awaySince.get(name)
    if (isFresh && known === undefined) return
    const since = known ?? asked
    if (isFresh) this.awaySince.delete(name)
    else this.awaySince.set(name, since)
    const ms = Date.now() - since
    if (ms > this.longest.ms) this.longest = { name, ms }
  }

  private judge(
    question: Question,
    reading: Exclude<Reading, 'none' | 'refused'>,
    { status, headers }: Response,
    text: string,
    asked: number,
  ) {
    const { name, mayBeStale = false } = question
    const told = `${status} ${text.slice(0, 500)}`
    if (reading === 'wrong') return `${name}: who is trusted was told not to be: ${told}`
    const isMarked = headers.has('accredit-stale')
    if (isMarked && !mayBeStale) return `${name}: an answer that may be an old one was given: ${told}`
    const time = Date.parse(headers.get('accredit-block-time') ?? '')
    const ageMs = asked - time
    // The last answer about the present was of a young block. A mark that nothing explains is told at the end.
    const oldestMs = isMarked ? MAX_AGE_MS + (this.watch.mayBeAwayMs ?? Number.POSITIVE_INFINITY) : MAX_AGE_MS
    if (!(ageMs >= -AHEAD_MS && ageMs <= oldestMs))
      return `${name}: ${isMarked ? 'a marked' : 'an'} answer stands on a block that was ${ageMs} ms old: ${told}`
    const block = Number(headers.get('accredit-block') ?? Number.NaN)
    if (!(block >= this.block)) return `${name}: an answer stands on block ${block}, before ${this.block}: ${told}`
    this.block = block
    if (isMarked) {
      this.admitted += 1
      this.oldestMarkedMs = Math.max(this.oldestMarkedMs, ageMs)
      return this.agreement.problemWith(question, { is: 'too old', at: Date.now() })
    }
    this.answered.set(name, (this.answered.get(name) ?? 0) + 1)
    this.oldestMs = Math.max(this.oldestMs, ageMs)
    return this.agreement.problemWith(question, { is: 'fresh', block, time })
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(0)} s`
