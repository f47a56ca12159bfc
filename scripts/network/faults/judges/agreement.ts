import type { Question } from './questions.js'

/** The ledger is too old for an answer, or the answer is of a young block. */
export type Told =
  | { readonly is: 'too old'; readonly at: number }
  | { readonly is: 'fresh'; readonly block: number; readonly time: number }

interface Reading {
  readonly question: Question
  readonly told: Told
}

/**
 * Compares what a history says of its age with the questions that are asked right before and after it: all of them stand
 * on the same ledger, and the service may not call it young in one answer and too old in the others.
 */
export class Agreement {
  private last: readonly Reading[] = []

  /** @param maxAgeMs the age from which a block is too old */
  constructor(private readonly maxAgeMs: number) {}

  /** Forgets what was told: nothing was for a while. */
  forget(): void {
    this.last = []
  }

  /** Notes what a question was told. Returns in a sentence where a history says another thing than its neighbours. */
  problemWith(question: Question, told: Told): string | undefined {
    this.last = [...this.last, { question, told }].slice(-3)
    const [before, history, after] = this.last
    if (!before || !history?.question.mayBeStale || !after) return undefined
    if (before.question.mayBeStale || after.question.mayBeStale) return undefined
    const neighbours = `${before.question.name} and ${after.question.name}`
    if (this.isFreshBetween(before.told, history.told, after.told))
      return `${history.question.name} was told as of now, and ${neighbours} right before and after were refused as too old.`
    if (isOldBetween(before.told, history.told, after.told))
      return `${history.question.name} said that it may be an old one, and ${neighbours} right before and after were answered of one block.`
    return undefined
  }

  /** A block that became too old meanwhile, or became known at that moment, explains two answers that differ. */
  private isFreshBetween(before: Told, history: Told, after: Told): boolean {
    const areRefused = before.is === 'too old' && after.is === 'too old'
    return areRefused && history.is === 'fresh' && after.at - history.time <= this.maxAgeMs
  }
}

const isOldBetween = (before: Told, history: Told, after: Told): boolean =>
  history.is === 'too old' && before.is === 'fresh' && after.is === 'fresh' && before.block === after.block
