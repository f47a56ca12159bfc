import { createHmac } from 'node:crypto'
import { seal, unseal } from '@accredit/process/seal'
import { sql } from 'kysely'
import type { Random } from '../process/random.js'
import type { TeamId } from './ids.js'
import type { OutgoingEventsTable } from './tables.js'

/** An event that the web hooks of a team will be told of. */
export interface OutgoingEvent {
  team: TeamId
  /** The name of the event: a noun and a verb, as `credential_create`. Under several names it is several events. */
  event: string | readonly string[]
  data: Record<string, unknown>
  /** The id of the thing that it is about: events of one thing are delivered in their order. */
  resource?: string | undefined
  /** Further ids that its data is about, those of people: erasure finds it by them. */
  about?: readonly string[] | undefined
  /** The one web hook that is told; default: all of the team that want it. */
  webhook?: string
  /** The trace that it belongs to; default: that of its transaction. */
  trace?: string | null
}

/** The channel on which processes of this service tell the worker of events that some web hook waits for. */
export const EVENTS_CHANNEL = 'service_events'

/** Tells the worker of events, where a web hook waits for any: most teams have none. */
export const tellOfEvents = sql`select service.tell_of_deliveries(${EVENTS_CHANNEL})`

type SealedEvent = Pick<OutgoingEventsTable, 'team_id' | 'event' | 'sealed'>
type StoredEvent = SealedEvent & {
  resource: Buffer | null
  webhook_id: string | null
  trace: string | null
  marks: Buffer[] | null
}

/** Seals events while they wait in the database: only the service key can read a credential in them. */
export interface EventSealing {
  /** @returns one for each of its names */
  seal(event: OutgoingEvent): StoredEvent[]
  /**
   * @returns the JSON text of `data`
   * @throws when it was sealed under another service key, for another team or another event
   */
  open(row: SealedEvent): string
  /** Returns the name under which a thing's events are stored: it does not tell the id, which may be personal. */
  resourceOf(team: TeamId, id: string): Buffer
  /** Returns the keyed hashes of ids of credentials and subjects, by which erasure finds what a team keeps about them. */
  marksOf(team: TeamId, ids: readonly string[]): Buffer[]
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
  const marksOf = (team: TeamId, ids: readonly string[]): Buffer[] =>
    [...new Set(ids)].map((id) => resourceOf(team, id))
  return {
    resourceOf,
    marksOf,
    seal: ({ team, event: names, data, resource, about = [], webhook, trace = null }) => {
      const text = Buffer.from(JSON.stringify(data))
      const own = resource === undefined ? [] : [resourceOf(team, resource)]
      const marks = [
        ...own,
        ...marksOf(
          team,
          about.filter((id) => id !== resource),
        ),
      ]
      const shared = {
        team_id: team,
        resource: own[0] ?? null,
        webhook_id: webhook ?? null,
        trace,
        marks: marks.length === 0 ? null : marks,
      }
      return [names].flat().map((event) => ({
        ...shared,
        event,
        sealed: seal(key, text, boundTo(team, event), random.bytes),
      }))
    },
    open: ({ team_id, event, sealed }) => unseal(key, sealed, boundTo(team_id, event)).toString(),
  }
}
