import { seal, unseal } from '@accredit/process/seal'
import type { Random } from '../process/random.js'
import type { TeamId } from './ids.js'
import type { OutgoingEventsTable } from './tables.js'

/** An event that the web hooks of a team will be told of. */
export interface OutgoingEvent {
  team: TeamId
  /** The name of the event: a noun and a verb, as `credential_create`. */
  event: string
  data: Record<string, unknown>
}

type SealedEvent = Pick<OutgoingEventsTable, 'team_id' | 'event' | 'sealed'>

/** Seals events while they wait in the database: only the service key can read a credential in them. */
export interface EventSealing {
  seal(event: OutgoingEvent): SealedEvent
  /**
   * @returns the JSON text of `data`
   * @throws when it was sealed under another service key, for another team or another event
   */
  open(row: SealedEvent): string
}

const boundTo = (team: TeamId, event: string): string => `${team} ${event}`

export function eventSealing(deriveKey: (label: string) => Buffer, random: Random): EventSealing {
  const key = deriveKey('outgoing-events')
  return {
    seal: ({ team, event, data }) => ({
      team_id: team,
      event,
      sealed: seal(key, Buffer.from(JSON.stringify(data)), boundTo(team, event), random.bytes),
    }),
    open: ({ team_id, event, sealed }) => unseal(key, sealed, boundTo(team_id, event)).toString(),
  }
}
