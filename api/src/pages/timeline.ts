import { keyOf } from '../ecosystems/participants/suspension-reason.store.js'
import type { HistoryEvent } from '../ledger/read/history/history.js'
import type { JsonObject } from '../platform/database/tables.js'
import { type Html, html } from '../platform/http/html.js'
import type { Words } from './words.js'

/** The names of DIDs and schemas in the history. */
export interface Names {
  did(did: string): string
  schema(hash: string): string
}

interface Told {
  actor: Html
  subject: Html
  schema: Html
  /** The value of a fact before and after, as text. */
  before(fact: string): string
  after(fact: string): string
  event: HistoryEvent
  names: Names
  say: Words['say']
}

const name = (text: string): Html => html`<bdi>${text}</bdi>`

const suspended = ({ say, actor, subject }: Told): Html => say('eventSuspended', { actor, subject })
const readmitted = ({ say, actor, subject }: Told): Html => say('eventReadmitted', { actor, subject })

/** The events of a registry that people are told about, each in a sentence. The others repeat these. */
const SENTENCES: Record<string, (told: Told) => Html> = {
  TrustRegistryInitialized: ({ say, actor, after }) => say('eventFounded', { actor, name: name(after('name')) }),
  TrustRegistryUpdated: updated,
  TrustRegistryRemoved: ({ say, actor }) => say('eventRemoved', { actor }),
  TransferProposed: ({ say, actor, subject }) => say('eventTransferProposed', { actor, subject }),
  Transferred: ({ say, subject, names, before }) =>
    say('eventTransferred', { subject, before: name(names.did(before('convener'))) }),
  SchemaAdded: ({ say, schema }) => say('eventSchemaAdded', { schema }),
  SchemaRemoved: ({ say, schema }) => say('eventSchemaRemoved', { schema }),
  SchemaPublicSet: ({ say, schema, after }) =>
    say(after('public') === 'true' ? 'eventSchemaOpened' : 'eventSchemaClosed', { schema }),
  IssuerChanged: issuerChanged,
  VerifierChanged: ({ say, subject, schema, after }) =>
    say(after('listed') === 'true' ? 'eventVerifierAdded' : 'eventVerifierRemoved', { subject, schema }),
  IssuerSuspended: suspended,
  VerifierSuspended: suspended,
  IssuerUnsuspended: readmitted,
  VerifierUnsuspended: readmitted,
  DelegateAdded: ({ say, subject, names, after }) =>
    say('eventDelegateAdded', { issuer: name(names.did(after('issuer'))), subject }),
  DelegateRemoved: ({ say, subject, names, before }) =>
    say('eventDelegateRemoved', { issuer: name(names.did(before('issuer'))), subject }),
}

export const TOLD_EVENTS: string[] = Object.keys(SENTENCES).map((short) => `TrustRegistry.${short}`)

export const isSuspension = ({ name }: HistoryEvent): boolean =>
  /^TrustRegistry\.(Issuer|Verifier)Suspended$/.test(name)

function updated({ say, actor, before, after }: Told): Html {
  const renamed = before('name') !== after('name')
  const governed = before('govFramework') !== after('govFramework')
  const values = { actor, before: name(before('name')), after: name(after('name')) }
  if (renamed) return say(governed ? 'eventRenamedAndGoverned' : 'eventRenamed', values)
  return say(governed ? 'eventGoverned' : 'eventConfirmed', { actor })
}

function issuerChanged({ say, subject, schema, event }: Told): Html {
  if (event.after === null) return say('eventIssuerRemoved', { subject, schema })
  if (event.before === null) return say('eventIssuerAdded', { subject, schema })
  return say('eventPriced', { subject, schema })
}

const fact = (facts: JsonObject | null) => (member: string) => {
  const value = facts?.[member]
  return value === undefined || value === null ? '' : String(value)
}

/** Tells an event in a sentence; undefined: the page leaves it out. */
function sentenceOf(event: HistoryEvent, names: Names, { say }: Words): Html | undefined {
  const sentence = SENTENCES[event.name.replace(/^TrustRegistry\./, '')]
  return sentence?.({
    actor: name(names.did(event.actor)),
    subject: name(names.did(event.subject ?? '')),
    schema: name(names.schema(event.schema_id ?? '')),
    before: fact(event.before),
    after: fact(event.after),
    event,
    names,
    say,
  })
}

/** Returns the DIDs that events speak about. */
export function didsIn(events: readonly HistoryEvent[]): string[] {
  const told = events.flatMap(({ actor, subject, before, after }) => [
    actor,
    subject,
    fact(before)('convener'),
    fact(before)('issuer'),
    fact(after)('issuer'),
  ])
  return [...new Set(told.filter((did) => did !== null).filter((did) => did.startsWith('did:')))]
}

interface Context {
  names: Names
  words: Words
  /** The reasons of suspensions, by `keyOf` their event. */
  reasons: Map<string, string>
}

/** Shows events by day, in order. */
export function timeline(events: readonly HistoryEvent[], { names, words, reasons }: Context): Html {
  const days = new Map<string, Html[]>()
  for (const event of events) {
    const sentence = sentenceOf(event, names, words)
    if (sentence === undefined) continue
    const reason = isSuspension(event) ? reasons.get(keyOf({ did: event.subject ?? '', time: event.time })) : undefined
    const entry = html`<li>${words.timeOfDay(event.time)} <div dir="auto"><p>${sentence}</p>${reason !== undefined && reasonGiven(reason, words)}</div></li>`
    const day = words.dayOf(event.time)
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return html`${[...days].map(([day, entries]) => html`<h3>${day}</h3><ol class="events">${entries}</ol>`)}`
}

export const reasonGiven = (reason: string, { say }: Words): Html =>
  html`<p class="reason plain" dir="auto">${say('reason', { reason: name(reason) })}</p>`
