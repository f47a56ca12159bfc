import { createHmac } from 'node:crypto'
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
  /** The id of the thing that it is about: events of one thing are delivered in their order. */
  resource?: string | undefined
  /** The one web hook that is told; default: all of the team that want it. */
  webhook?: string
}

/** The channel on which processes of this service tell the worker of stored events. */
export const EVENTS_CHANNEL = 'service_events'

type SealedEvent = Pick<OutgoingEventsTable, 'team_id' | 'event' | 'sealed'>
type StoredEvent = SealedEvent & { resource: Buffer | null; webhook_id: string | null }

/** Seals events while they wait in the database: only the service key can read a credential in them. */
export interface EventSealing {
  seal(event: OutgoingEvent): StoredEvent
  /**
   * @returns the JSON text of `data`
   * @throws when it was sealed under another service key, for another team or another event
   */
  open(row: SealedEvent): string
  /** Returns the name under which a thing's events are stored: it does not tell the id, which may be personal. */
  resourceOf(team: TeamId, id: string): Buffer
}

/** The part of it that a database needs, and what it calls when events were committed. */
export interface OutgoingEvents extends Pick<EventSealing, 'seal'> {
  stored?: () => void
}

/** The events of a process. */
export interface EventServices extends OutgoingEvents, EventSealing {}

const boundTo = (team: TeamId, event: string): string => `${team} ${event}`

export function eventSealing(deriveKey: (label: string) => Buffer, random: Random): EventSealing {
  const key = deriveKey('outgoing-events')
  const resourceKey = deriveKey('outgoing-event-resources')
  const resourceOf = (team: TeamId, id: string): Buffer =>
    createHmac('sha256', resourceKey).update(`${team} ${id}`).digest().subarray(0, 16)
  return {
    resourceOf,
    seal: ({ team, event, data, resource, webhook }) => ({
      team_id: team,
      event,
      sealed: seal(key, Buffer.from(JSON.stringify(data)), boundTo(team, event), random.bytes),
      resource: resource === undefined ? null : resourceOf(team, resource),
      webhook_id: webhook ?? null,
    }),
    open: ({ team_id, event, sealed }) => unseal(key, sealed, boundTo(team_id, event)).toString(),
  }
}
