/** The last turn of each share. A restart forgets it, which costs nobody more than one turn. */
export interface Turns {
  lastTurn(share: string): number
  /** Records the shares that have an action in a new batch. */
  took(shares: Iterable<string>): void
}

const mostRemembered = 10_000

export function openTurns(): Turns {
  /** Returns the shares, first the one whose turn was the longest ago. */
  const turns = new Map<string, number>()
  let batch = 0
  return {
    /** A new share comes after those that wait since earlier batches. */
    lastTurn(share) {
      const turn = turns.get(share) ?? batch
      turns.set(share, turn)
      return turn
    },
    took(shares) {
      batch += 1
      for (const share of shares) {
        turns.delete(share)
        turns.set(share, batch)
      }
      for (const [share] of turns) {
        if (turns.size <= mostRemembered) break
        turns.delete(share)
      }
    },
  }
}
