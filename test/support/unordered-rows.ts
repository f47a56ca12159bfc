import pg from 'pg'

type Answer = (this: { text?: unknown; _results?: unknown }, connection: unknown) => void

const NAME = 'handleReadyForQuery'
const [QUOTED, COMMENT, INNERMOST] = [/'(?:[^']|'')*'/g, /--.*/g, /\([^()]*\)/g]

/** Tells whether a statement, and not only a part of it in parentheses, says in which order its rows come. */
export function ordersRows(text: string): boolean {
  let left = text.replace(QUOTED, '').replace(COMMENT, '')
  for (let before = ''; before !== left; ) {
    before = left
    left = left.replace(INNERMOST, ' ')
  }
  return /\border\s+by\b/i.test(left)
}

/**
 * Turns round the rows of every statement that does not order them. The database may give these in any order, and gives
 * them in one order until its plan changes: what rests on it fails here each time, and not one day.
 */
function turnRound(answer: Answer): Answer {
  return function (connection) {
    if (typeof this.text === 'string' && !ordersRows(this.text))
      for (const result of [this._results].flat()) if (result instanceof pg.Result) result.rows.reverse()
    answer.call(this, connection)
  }
}

const TURNED = Symbol.for('accredit.unordered-rows')
const prototype: object = pg.Query.prototype
const isAnswer = (value: unknown): value is Answer => typeof value === 'function'
// The files of a project share loaded modules.
if (!Reflect.has(prototype, TURNED)) {
  const answer: unknown = Reflect.get(prototype, NAME)
  if (!isAnswer(answer)) throw new Error('this version of pg has other queries')
  Reflect.set(prototype, NAME, turnRound(answer))
  Reflect.set(prototype, TURNED, true)
}
