import { isBatch, MAX_MESSAGE_BYTES } from './message.js'

const MOST_MESSAGES = 64
/** The characters of all waiting messages are bounded by those of the largest one; the last one may go beyond. */
const MOST_CHARACTERS = MAX_MESSAGE_BYTES

/** The messages of a connection that wait or are in work. */
export class Backlog {
  readonly #calls: string[] = []
  readonly #batches: string[] = []
  #inWork = 0
  #hasBatchInWork = false
  #characters = 0

  /** True while nothing more should be read. */
  get isFull(): boolean {
    return this.#messages >= MOST_MESSAGES || this.#characters >= MOST_CHARACTERS
  }

  get isEmpty(): boolean {
    return this.#messages === 0
  }

  get #messages(): number {
    return this.#inWork + this.#calls.length + this.#batches.length
  }

  add(message: string): void {
    const line = isBatch(message) ? this.#batches : this.#calls
    line.push(message)
    this.#characters += message.length
  }

  /**
   * Returns the message to begin with now. Batches come one after the other: their answers are kept until they are
   * done.
   */
  begin(): string | undefined {
    if (this.#inWork >= MOST_MESSAGES) return undefined
    const batch = this.#hasBatchInWork ? undefined : this.#batches.shift()
    const message = batch ?? this.#calls.shift()
    if (message === undefined) return undefined
    this.#inWork++
    if (batch !== undefined) this.#hasBatchInWork = true
    return message
  }

  end(message: string): void {
    this.#inWork--
    this.#characters -= message.length
    if (isBatch(message)) this.#hasBatchInWork = false
  }
}
