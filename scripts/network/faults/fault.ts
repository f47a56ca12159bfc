import type { Answers } from './judges/answers.js'
import type { Ecosystem } from './judges/ecosystem.js'
import type { Freshness } from './judges/freshness.js'
import type { Product } from './product.js'

/** A network with the product on it, and what was made there before anything happened. */
export interface Scene {
  readonly stateDir: string
  readonly nodeProgram: string | undefined
  /** Tells a person what happens. */
  readonly tell: (line: string) => void
  readonly product: Product
  readonly ecosystem: Ecosystem
}

/** The scene while a fault happens to it. */
export interface Trial extends Scene {
  /** The watch over the product's answers meanwhile. */
  readonly freshness: Freshness
}

/** Something that happens to a network or to the product on it, while the product is written to. */
export interface Fault {
  /** The name by which the command line asks for it. */
  name: string
  does: string
  /** The guarantee, beside those of every fault: all that was accepted is final exactly once, and no answer is stale. */
  holds: string
  /**
   * The time for which the ledger or the product stands still, in milliseconds: for so long a question may be refused as
   * the final block is too old, or find nobody. Undefined: it does not, and none is refused.
   */
  mayBeAwayMs?: number
  /**
   * The time for which the product may say nothing while the ledger goes on. Undefined: nothing stops the service that
   * answers, which reads the index whatever becomes of nodes and signer, and one answer may fail to come.
   */
  silentMs?: number
  /** Returns what this machine lacks for it; undefined: nothing. */
  lacks?(): Promise<string | undefined>
  /** Returns the answers of the ecosystem as they are after it, where it changes any on purpose. */
  changed?(answers: Answers): Answers
  /** Brings the fault about and takes it back again. Returns what it saw. Throws where it does not hold. */
  run(trial: Trial): Promise<string>
}
