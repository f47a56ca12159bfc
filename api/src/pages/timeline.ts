import type { EventTable } from '../ledger/index-tables.js'
import type { JsonObject } from '../platform/database/tables.js'
import { type Html, html } from '../platform/html.js'
import { dayOf, timeOfDay } from './dates.js'

/** How DIDs and schemas are called in what happened. */
export interface Names {
  did(did: string): string
  schema(hash: string): string
}

interface Told {
  actor: Html
  subject: Html
  schema: Html
  /** What was so before and after, as text. */
  before(fact: string): string
  after(fact: string): string
  event: EventTable
  names: Names
}

const name = (text: string): Html => html`<bdi>${text}</bdi>`
const quoted = (text: string): Html => html`“<bdi>${text}</bdi>”`

/** Events of a registry that people are told about, each in a sentence. The others say the same once more. */
const SENTENCES: Record<string, (told: Told) => Html> = {
  TrustRegistryInitialized: ({ actor, after }) => html`${actor} founded this ecosystem as ${quoted(after('name'))}.`,
  TrustRegistryUpdated: updated,
  TrustRegistryRemoved: ({ actor }) => html`${actor} removed this ecosystem.`,
  TransferProposed: ({ actor, subject }) => html`${actor} proposed to hand this ecosystem over to ${subject}.`,
  Transferred: ({ subject, names, before }) =>
    html`${subject} took this ecosystem over from ${name(names.did(before('convener')))}.`,
  SchemaAdded: ({ schema }) => html`${schema} was added.`,
  SchemaRemoved: ({ schema }) => html`${schema} was removed.`,
  SchemaPublicSet: ({ schema, after }) =>
    after('public') === 'true' ? html`Anyone may verify ${schema}.` : html`Only who is named may verify ${schema}.`,
  IssuerChanged: issuerChanged,
  VerifierChanged: ({ subject, schema, after }) =>
    after('listed') === 'true'
      ? html`${subject} may verify ${schema}.`
      : html`${subject} may no longer verify ${schema}.`,
  IssuerSuspended: ({ subject }) => html`${subject} was suspended.`,
  VerifierSuspended: ({ subject }) => html`${subject} was suspended.`,
  IssuerUnsuspended: ({ subject }) => html`${subject} was readmitted.`,
  VerifierUnsuspended: ({ subject }) => html`${subject} was readmitted.`,
  DelegateAdded: ({ subject, names, after }) => html`${name(names.did(after('issuer')))} lets ${subject} issue for it.`,
  DelegateRemoved: ({ subject, names, before }) =>
    html`${name(names.did(before('issuer')))} no longer lets ${subject} issue for it.`,
}

export const TOLD_EVENTS: string[] = Object.keys(SENTENCES).map((short) => `TrustRegistry.${short}`)

function updated({ actor, before, after }: Told): Html {
  const renamed = before('name') !== after('name')
  const governed = before('govFramework') !== after('govFramework')
  const parts = [
    renamed && html`renamed this ecosystem from ${quoted(before('name'))} to ${quoted(after('name'))}`,
    governed && 'changed its governance text',
  ].filter((part) => part !== false)
  const [first = 'confirmed name and governance text', second] = parts
  return html`${actor} ${first}${second && html` and ${second}`}.`
}

function issuerChanged({ subject, schema, event }: Told): Html {
  if (event.after === null) return html`${subject} may no longer issue ${schema}.`
  if (event.before === null) return html`${subject} may issue ${schema}.`
  return html`${subject} changed what verifying ${schema} costs.`
}

const fact = (facts: JsonObject | null) => (member: string) => {
  const value = facts?.[member]
  return value === undefined || value === null ? '' : String(value)
}

/** What happened, in a sentence; undefined: nothing that people are told about. */
function sentenceOf(event: EventTable, names: Names): Html | undefined {
  const sentence = SENTENCES[event.name.replace(/^TrustRegistry\./, '')]
  return sentence?.({
    actor: name(names.did(event.actor)),
    subject: name(names.did(event.subject ?? '')),
    schema: name(names.schema(event.schema_id ?? '')),
    before: fact(event.before),
    after: fact(event.after),
    event,
    names,
  })
}

/** DIDs that events speak about. */
export function didsIn(events: readonly EventTable[]): string[] {
  const told = events.flatMap(({ actor, subject, before, after }) => [
    ...[actor, subject, fact(before)('convener'), fact(before)('issuer'), fact(after)('issuer')],
  ])
  return [...new Set(told.filter((did) => did !== null).filter((did) => did.startsWith('did:')))]
}

/** Events by day, in the order in which they come. */
export function timeline(events: readonly EventTable[], names: Names): Html {
  const days = new Map<string, Html[]>()
  for (const event of events) {
    const sentence = sentenceOf(event, names)
    if (sentence === undefined) continue
    const entry = html`<li>${timeOfDay(event.time)} <span dir="auto">${sentence}</span></li>`
    days.set(dayOf(event.time), [...(days.get(dayOf(event.time)) ?? []), entry])
  }
  return html`${[...days].map(([day, entries]) => html`<h3>${day}</h3><ol class="events">${entries}</ol>`)}`
}
