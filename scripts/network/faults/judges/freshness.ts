import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../start/refusal.js'
import type { Question } from './questions.js'

const ASK_EVERY_MS = 500
const ANSWER_WITHIN_MS = 30_000
/** LEDGER_MAX_AGE_MS, which the product has from the same environment. */
const MAX_AGE_MS = Number(process.env.LEDGER_MAX_AGE_MS ?? 60_000)

/**
 * Asks all the while, one question after the other in turn: an answer stands on a block that is young enough and not
 * older than that of any answer before, or there is none, with the reason. A list of events may stand on an old block,
 * and says so.
 */
export class Freshness {
  /** Answers that were refused because the ledger's final block is too old. */
  unavailable = 0
  /** Answers that said themselves that they may be old ones. */
  private admitted = 0
  private readonly answered = new Map<string, number>()
  private readonly refused = new Map<string, number>()
  private oldestMs = 0
  private block = 0
  private problem: string | undefined
  private isOver = false
  private asking: Promise<void> | undefined

  constructor(private readonly questions: readonly Question[]) {}

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

  /** Ends it and returns what it saw. Throws where an answer was wrong, and where a question never had one. */
  async end(): Promise<string> {
    this.stop()
    await this.asking
    if (this.problem !== undefined) throw new Refusal(this.problem)
    const silent = this.questions.filter(({ name }) => !this.answered.has(name) && !this.refused.has(name))
    if (silent.length > 0)
      throw new Refusal(`No question was answered by ${silent.map(({ name }) => name).join(', ')}.`)
    const seconds = (this.oldestMs / 1000).toFixed(0)
    const counts = this.questions.map(({ name }) => `${name} ${this.answered.get(name) ?? 0}`).join(', ')
    const answers = [...this.answered.values()].reduce((sum, count) => sum + count, 0)
    return `${answers} answers (${counts}) of blocks at most ${seconds} s old, ${this.unavailable} refused and ${this.admitted} marked as too old`
  }

  private async ask(): Promise<void> {
    for (let turn = 0; !this.isOver && this.problem === undefined; turn += 1, await pause(ASK_EVERY_MS)) {
      const question = this.questions[turn % this.questions.length]
      if (question === undefined) return
      const asked = Date.now()
      const answer = await question.ask(AbortSignal.timeout(ANSWER_WITHIN_MS)).catch(() => undefined)
      // A service that is just being started again says nothing.
      const text = await answer?.text().catch(() => undefined)
      if (answer === undefined || text === undefined) continue
      this.problem = this.judge(question, answer, text, asked)
    }
  }

  private judge(
    { name, read, mayBeStale = false }: Question,
    { status, headers }: Response,
    text: string,
    asked: number,
  ) {
    const reading = read(status, text)
    if (reading === 'none') return undefined
    if (reading === 'refused') {
      this.unavailable += 1
      this.refused.set(name, (this.refused.get(name) ?? 0) + 1)
      return undefined
    }
    const told = `${status} ${text.slice(0, 500)}`
    if (reading === 'wrong') return `${name}: who is trusted was told not to be: ${told}`
    const isMarked = headers.has('accredit-stale')
    if (isMarked && !mayBeStale) return `${name}: an answer that may be an old one was given: ${told}`
    const ageMs = asked - Date.parse(headers.get('accredit-block-time') ?? '')
    if (!isMarked && !(ageMs <= MAX_AGE_MS))
      return `${name}: an answer stands on a block that was ${ageMs} ms old: ${told}`
    const block = Number(headers.get('accredit-block') ?? Number.NaN)
    if (!(block >= this.block)) return `${name}: an answer stands on block ${block}, before ${this.block}: ${told}`
    this.block = block
    this.answered.set(name, (this.answered.get(name) ?? 0) + 1)
    if (isMarked) this.admitted += 1
    else this.oldestMs = Math.max(this.oldestMs, ageMs)
    return undefined
  }
}
