import { Turns } from './rpc-turns.js'

const MIB = 1024 * 1024
/** A caller for which so many characters are held is cut off: only one that reads nothing comes to it. */
const MOST_OF_ONE = 64 * MIB
/** When so many are held for all callers, the one with the most of them is cut off. */
const MOST_OF_ALL = 256 * MIB

/** All who ask one server: they take turns, and share the memory for their messages and for answers that they have not read. */
export class Callers {
  readonly turns = new Turns()
  readonly #present = new Set<Caller>()

  /** `cutOff` ends the caller's connection at once. */
  enter(cutOff: () => void): Caller {
    const caller = new Caller(this, cutOff)
    this.#present.add(caller)
    return caller
  }

  leave(caller: Caller): void {
    this.#present.delete(caller)
    this.turns.leave(caller)
  }

  /** Cuts off whoever holds more than there is room for. */
  makeRoom(): void {
    let held = 0
    let largest: Caller | undefined
    for (const caller of this.#present) {
      held += caller.held
      if (caller.held > (largest?.held ?? 0)) largest = caller
    }
    if (largest && (held > MOST_OF_ALL || largest.held > MOST_OF_ONE)) largest.cutOff()
  }
}

/** A connection, or a request over plain HTTP. */
export class Caller {
  readonly #callers: Callers
  readonly #end: () => void
  #held = 0
  #hasLeft = false

  constructor(callers: Callers, end: () => void) {
    this.#callers = callers
    this.#end = end
  }

  /** Characters of messages that arrive, wait or are in work, and of answers that were made and not read. */
  get held(): number {
    return this.#held
  }

  /** Nothing more is begun for a caller that has left. */
  get hasLeft(): boolean {
    return this.#hasLeft
  }

  hold(characters: number): void {
    this.#held += characters
    this.#callers.makeRoom()
  }

  release(characters: number): void {
    this.#held -= characters
  }

  /** Does a call when its turn comes; rejects when the caller leaves before. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#callers.turns.run(this, work)
  }

  /** What was held for it counts no more; calls that wait for their turn are refused. */
  leave(): void {
    this.#hasLeft = true
    this.#callers.leave(this)
  }

  cutOff(): void {
    this.leave()
    this.#end()
  }
}
