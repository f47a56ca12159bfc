import { connectionEnded } from './errors.js'
import { Turns } from './turns.js'

const MIB = 1024 * 1024

export interface MemoryBounds {
  /** The characters held for one caller at which it is cut off: it reads nothing, or subscribes to everything. */
  readonly ofOne: number
  /** The characters held for all callers at which the one with the most of them is cut off. */
  readonly ofAll: number
}

const USUAL_MEMORY: MemoryBounds = { ofOne: 64 * MIB, ofAll: 256 * MIB }

/**
 * The calls in work: the database is read over fewer connections. Addresses take turns, and at each of them its
 * connections.
 */
const CALLS = { running: 16, ofOne: 8 }
const CALLS_OF_ADDRESS = { running: 8, ofOne: 4 }
/** The checks of extrinsics, one at a time: each keeps the only thread busy. */
const SUBMISSIONS = { running: 1, ofOne: 1 }

/** The origin of a request. */
export interface Origin {
  /** The address, as bounds count it. */
  readonly network: string
  /** True for a process of the product, which waits for nobody else. */
  readonly isOwn: boolean
  /** True for a stranger where only processes of the product submit extrinsics. */
  readonly isReader?: boolean
}

/** All callers of one address, kept while one of its calls is in work: a new connection brings no further turns. */
class Address {
  readonly calls = new Turns(CALLS_OF_ADDRESS)
  readonly submissions = new Turns(SUBMISSIONS)
  callers = 0
  unfinished = 0
}

/**
 * All callers of one server: they take turns, and share the memory for their messages and for answers that they have
 * not read.
 */
export class Callers {
  readonly #memory: MemoryBounds
  readonly #present = new Set<Caller>()
  readonly #addresses = new Map<string, Address>()
  readonly #calls = new Turns(CALLS)
  readonly #submissions = new Turns(SUBMISSIONS)

  constructor(memory = USUAL_MEMORY) {
    this.#memory = memory
  }

  /** `cutOff` ends the caller's connection at once. */
  enter(cutOff: () => void, origin: Origin): Caller {
    const address = this.#addresses.get(origin.network) ?? new Address()
    this.#addresses.set(origin.network, address)
    address.callers++
    const caller = new Caller(this, cutOff, origin)
    this.#present.add(caller)
    return caller
  }

  leave(caller: Caller): void {
    const address = this.#addresses.get(caller.network)
    if (!this.#present.delete(caller) || !address) return
    address.calls.leave(caller)
    address.submissions.leave(caller)
    address.callers--
    if (address.callers > 0) return
    this.#calls.leave(address)
    this.#submissions.leave(address)
    this.#forgetUnused(caller.network, address)
  }

  call<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#inTurns(caller, work, this.#calls, ({ calls }) => calls)
  }

  submission<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    return this.#inTurns(caller, work, this.#submissions, ({ submissions }) => submissions)
  }

  /** Waits for a turn at the caller's address first, then for one among all addresses. */
  async #inTurns<T>(
    caller: Caller,
    work: () => Promise<T>,
    amongAll: Turns,
    atAddress: (address: Address) => Turns,
  ): Promise<T> {
    const address = this.#addresses.get(caller.network)
    if (caller.isOwn || !address) return work()
    const workUnlessLeft = async () => {
      if (caller.hasLeft) throw connectionEnded()
      return work()
    }
    address.unfinished++
    try {
      return await atAddress(address).run(caller, async () => {
        if (caller.hasLeft) throw connectionEnded()
        return amongAll.run(address, workUnlessLeft)
      })
    } finally {
      address.unfinished--
      this.#forgetUnused(caller.network, address)
    }
  }

  #forgetUnused(network: string, { callers, unfinished }: Address): void {
    if (callers === 0 && unfinished === 0) this.#addresses.delete(network)
  }

  /** Cuts off callers that hold more than there is room for; the product's own calls take none of that room. */
  makeRoom(): void {
    let held = 0
    let largest: Caller | undefined
    for (const caller of this.#present) {
      if (caller.isOwn) continue
      held += caller.held
      if (caller.held > (largest?.held ?? 0)) largest = caller
    }
    if (largest && (held > this.#memory.ofAll || largest.held > this.#memory.ofOne)) largest.cutOff()
  }
}

/** A connection, or a request over plain HTTP. */
export class Caller {
  readonly network: string
  readonly isOwn: boolean
  readonly isReader: boolean
  readonly #callers: Callers
  readonly #end: () => void
  #held = 0
  #hasLeft = false

  constructor(callers: Callers, end: () => void, { network, isOwn, isReader = false }: Origin) {
    this.#callers = callers
    this.#end = end
    this.network = network
    this.isOwn = isOwn
    this.isReader = isReader
  }

  /**
   * The characters of messages that arrive, wait or are in work, of answers that were made and not read, and of
   * subscriptions.
   */
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
    return this.#hasLeft ? Promise.reject(connectionEnded()) : this.#callers.call(this, work)
  }

  /** Reads and checks an extrinsic when its turn comes; rejects when the caller leaves before. */
  inSubmissionTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#hasLeft ? Promise.reject(connectionEnded()) : this.#callers.submission(this, work)
  }

  /** Releases everything that was held for it, and refuses its calls that wait for their turn. */
  leave(): void {
    this.#hasLeft = true
    this.#callers.leave(this)
  }

  cutOff(): void {
    this.leave()
    this.#end()
  }
}
