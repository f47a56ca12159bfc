/** The places of deliveries that are under way in this process. */
export const PLACES = {
  all: 128,
  /** The places for web hooks that have not proved to answer: they leave room for those that do. */
  unproven: 64,
  team: 32,
  /** The most places of a web hook, and those that it begins with. */
  most: 16,
  first: 2,
} as const

/** Free places, in the form that the claim takes. */
export interface FreePlaces {
  all: number
  unproven: number
  webhooks: { id: string; places: number; proven: boolean }[]
  teams: { id: number; places: number }[]
}

interface Standing {
  allowed: number
  running: number
}

/**
 * Counts the places that web hooks and teams take. A web hook gets more with every success and one after a failure, so
 * that receivers that are slow or never answer hold a few places only. `FairQueue` lets callers of this process in;
 * here the next work is chosen in the database, and the counts decide how much of it is taken.
 */
export class Places {
  private readonly standings = new Map<string, Standing>()
  private readonly teams = new Map<number, number>()
  private running = 0
  private unproven = 0

  take(webhook: string, team: number): void {
    const standing = this.standingOf(webhook)
    standing.running++
    this.running++
    if (!isProven(standing)) this.unproven++
    this.teams.set(team, (this.teams.get(team) ?? 0) + 1)
  }

  giveBack(webhook: string, team: number, isSuccess: boolean): void {
    const standing = this.standingOf(webhook)
    const wasProven = isProven(standing)
    if (!wasProven) this.unproven--
    standing.running--
    this.running--
    standing.allowed = isSuccess ? Math.min(standing.allowed * 2, PLACES.most) : 1
    // Its other deliveries are counted by what is known of it.
    if (wasProven !== isProven(standing)) this.unproven += wasProven ? standing.running : -standing.running
    const left = (this.teams.get(team) ?? 1) - 1
    if (left > 0) this.teams.set(team, left)
    else this.teams.delete(team)
    if (standing.running === 0 && standing.allowed === PLACES.first) this.standings.delete(webhook)
    this.forgetSome()
  }

  free(): FreePlaces {
    return {
      all: PLACES.all - this.running,
      unproven: Math.max(0, PLACES.unproven - this.unproven),
      webhooks: [...this.standings].map(([id, standing]) => ({
        id,
        places: standing.allowed - standing.running,
        proven: isProven(standing),
      })),
      teams: [...this.teams].map(([id, taken]) => ({ id, places: PLACES.team - taken })),
    }
  }

  get isFull(): boolean {
    return this.running >= PLACES.all
  }

  private standingOf(webhook: string): Standing {
    const known = this.standings.get(webhook)
    if (known) {
      this.standings.delete(webhook)
      this.standings.set(webhook, known)
      return known
    }
    const standing = { allowed: PLACES.first, running: 0 }
    this.standings.set(webhook, standing)
    return standing
  }

  /** The ones that were not used for longest begin anew. */
  private forgetSome(): void {
    if (this.standings.size <= MOST_KNOWN) return
    for (const [id, { running }] of this.standings) {
      if (running > 0) continue
      this.standings.delete(id)
      return
    }
  }
}

const MOST_KNOWN = 1000

const isProven = ({ allowed }: Standing): boolean => allowed > PLACES.first
