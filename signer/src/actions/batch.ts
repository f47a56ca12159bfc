/** Chooses the queued actions that travel in the next extrinsic. Pure. */
import type { Candidate } from './pipeline.store.js'

export interface BatchLimits {
  items: number
  bytes: number
  /** Bytes that may be on the way to the ledger at once, beside what each share may always have there. */
  window: number
  /** Bytes that each share may have on the way, whatever the others have. */
  small: number
}

export interface Traffic {
  /** Bytes on the way to the ledger, by share. */
  onTheWay: ReadonlyMap<string, number>
  /** The batch in which a share had its last turn, as a number that grows from batch to batch. */
  lastTurn(share: string): number
}

/**
 * Shares take turns, one action at a time; the one whose last turn was the longest ago begins. A share with many bytes
 * sends them one window after the other, and a share whose turn has come waits for room in it before any other takes
 * more; a share with few bytes sends at once. So nobody waits behind more than a window of the others. An action that
 * is too heavy for company travels alone.
 */
export function chooseBatch(candidates: readonly Candidate[], limits: BatchLimits, traffic: Traffic): Candidate[] {
  const batch = new Batch(limits, traffic.onTheWay)
  let turns = inTurn(readyByShare(candidates), traffic)
  while (turns.length > 0) turns = turns.filter((turn) => batch.take(turn))
  return batch.chosen
}

/**
 * Returns the actions of each share whose turn has come in their DID, in order of arrival, each DID's own in order of
 * its sequence. A DID's turn has not come while an earlier action of it is missing, or a later one is in flight (that
 * one was signed for a nonce which this one now takes).
 */
export function readyByShare(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const byShare = groupBy(candidates, ({ share }) => share)
  return new Map([...byShare].map(([share, own]) => [share, readyOf(own)]))
}

function readyOf(candidates: readonly Candidate[]): Candidate[] {
  const byDid = groupBy(candidates, ({ action }) => action.did)
  for (const own of byDid.values()) own.sort((left, right) => left.action.sequence - right.action.sequence)
  const ready: Candidate[] = []
  const last = new Map<string, number>()
  for (const { action: arrived } of candidates) {
    const candidate = byDid.get(arrived.did)?.shift()
    if (candidate === undefined || !isItsTurn(candidate, last.get(arrived.did))) {
      byDid.delete(arrived.did)
      continue
    }
    ready.push(candidate)
    last.set(arrived.did, candidate.action.sequence)
  }
  return ready
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

function isItsTurn({ action, before, inFlight }: Candidate, lastChosen: number | undefined): boolean {
  if (lastChosen !== undefined) return action.sequence === lastChosen + 1
  if (inFlight !== undefined && inFlight.sequence > action.sequence) return false
  return action.sequence === 0 || (before !== undefined && before !== 'queued')
}

interface Turn {
  share: string
  ready: Candidate[]
}

/**
 * The shares that had their last turn in the same batch begin with the one that brings less, so that both find room.
 */
function inTurn(ready: Map<string, Candidate[]>, { lastTurn }: Traffic): Turn[] {
  const first = ({ share, ready: [candidate] }: Turn) => ({
    turn: lastTurn(share),
    size: candidate?.action.size ?? 0,
    ordinal: candidate?.action.ordinal ?? 0,
  })
  return [...ready]
    .map(([share, own]) => ({ share, ready: own }))
    .map((turn) => ({ turn, first: first(turn) }))
    .sort(
      ({ first: left }, { first: right }) =>
        left.turn - right.turn || left.size - right.size || left.ordinal - right.ordinal,
    )
    .map(({ turn }) => turn)
}

class Batch {
  readonly chosen: Candidate[] = []
  readonly #limits: BatchLimits
  readonly #onTheWay: Map<string, number>
  readonly #served = new Set<string>()
  #bytes = 0
  /** A share that is to have its turn waits for the window, which nobody else uses meanwhile. */
  #isWindowReserved = false

  constructor(limits: BatchLimits, onTheWay: ReadonlyMap<string, number>) {
    this.#limits = limits
    this.#onTheWay = new Map(onTheWay)
  }

  /** Takes the share's next action. Returns whether it may have another turn. */
  take({ share, ready }: Turn): boolean {
    const [candidate] = ready
    if (candidate === undefined) return false
    const mine = this.#onTheWay.get(share) ?? 0
    const size = candidate.action.is_solo ? Math.max(candidate.action.size, this.#limits.window) : candidate.action.size
    if (!this.#hasPlace(candidate, size) || !this.#hasRoom(mine, size)) {
      if (!this.#served.has(share)) this.#isWindowReserved = true
      return false
    }
    ready.shift()
    this.chosen.push(candidate)
    this.#served.add(share)
    this.#bytes += size
    this.#onTheWay.set(share, mine + size)
    return true
  }

  #hasPlace({ action }: Candidate, size: number): boolean {
    const [first] = this.chosen
    if (first === undefined) return true
    if (action.is_solo || first.action.is_solo || this.chosen.length >= this.#limits.items) return false
    return this.#bytes + size <= this.#limits.bytes
  }

  #hasRoom(mine: number, size: number): boolean {
    const { small, window } = this.#limits
    if (mine + size <= small) return true
    if (this.#isWindowReserved) return false
    const beyond = (bytes: number) => Math.max(bytes - small, 0)
    const used = [...this.#onTheWay.values()].reduce((sum, bytes) => sum + beyond(bytes), 0)
    return used === 0 || used + beyond(mine + size) - beyond(mine) <= window
  }
}
