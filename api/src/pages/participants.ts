import type { ParticipantRow } from '../ecosystems/participants/participant.queries.js'
import { participantView } from '../ecosystems/participants/participant.view.js'
import { type Html, html } from '../platform/http/html.js'
import { amountOf } from './amount.js'
import type { EcosystemFacts } from './ecosystem-facts.js'
import { logo } from './logo.js'
import { link } from './page-links.js'
import { reasonGiven } from './timeline.js'
import { webLink } from './web-link.js'

const MOST_SCHEMAS = 8

/** Shows the participants: a form to search, a page of the list, and the way to the other pages. */
export function participantsSection(facts: EcosystemFacts): Html {
  const { participants, asked, words } = facts
  const { search = '' } = asked
  return html`<section aria-labelledby="participants">
<h2 id="participants">${words.say('participants')}</h2>
<form method="get" role="search">
${asked.at !== undefined && html`<input type="hidden" name="at" value="${asked.at}">`}
<label>${words.say('searchLabel')}
<input type="search" name="search" value="${search}" maxlength="200" dir="auto"></label>
<button>${words.say('searchButton')}</button>
</form>
${participants.total === 0 ? nobody(search, facts) : list(facts)}
${search !== '' && html`<p><a href="${link({ at: asked.at })}">${words.say('showAll')}</a></p>`}
</section>`
}

const nobody = (search: string, { words }: EcosystemFacts): Html =>
  html`<p>${search === '' ? words.say('nobodyYet') : words.say('nobodyFound', { search: html`<bdi>${search}</bdi>` })}</p>`

function list(facts: EcosystemFacts): Html {
  const { participants, asked, pageSize, words } = facts
  const { total, list } = participants
  const first = (asked.page - 1) * pageSize + 1
  if (list.length === 0)
    return html`<p>${words.say('onlySoManyPages', { count: Math.ceil(total / pageSize) })} <a href="${link({ ...asked, page: 1 })}">${words.say('firstPage')}</a></p>`
  const header = (key: 'columnName' | 'columnRights' | 'columnStanding') =>
    html`<th scope="col" role="columnheader">${words.say(key)}</th>`
  return html`<table class="participants" role="table">
<caption>${words.say('range', { first, last: first + list.length - 1, total })}</caption>
<thead role="rowgroup"><tr role="row">${header('columnName')}${header('columnRights')}${header('columnStanding')}</tr></thead>
<tbody role="rowgroup">
${list.map((row) => participant(row, facts))}
</tbody>
</table>
${pager(facts)}`
}

function participant(row: ParticipantRow, facts: EcosystemFacts): Html {
  const { words, logos } = facts
  const { did, name, infoUrl, logoUrl, reason } = participantView(row)
  const { isBarred, standing } = standingOf(row, facts)
  const info = webLink(infoUrl)
  const isNamed = row.name !== null
  const known = isNamed ? html`<bdi>${name}</bdi>` : html`<bdi class="id">${did}</bdi>`
  const picture = logo({ name: isNamed ? name : undefined, logo: logos.get(logoUrl), id: did, isInList: true }, words)
  return html`<tr role="row"${isBarred && html` class="is-barred"`}>
<th scope="row" role="rowheader"><div class="who">${picture}<span>${info === undefined ? known : html`<a href="${info}" rel="nofollow noopener noreferrer">${known}</a>`}
${isNamed && html`<bdi class="id">${did}</bdi>`}</span></div></th>
<td role="cell">${rights('issues', row, facts)}${rights('verifies', row, facts)}${row.issuer_ids.length + row.verifier_ids.length === 0 && html`<p class="soft">${words.say('verifiesPublic')}</p>`}</td>
<td role="cell"><span class="state">${standing}</span>
${reason !== undefined && reasonGiven(reason, words)}
<p class="soft">${words.say('takesPartSince', { day: words.day(row.created) })}</p></td>
</tr>
`
}

/** A deactivated identifier is no suspension: nobody can readmit it. */
function standingOf(row: ParticipantRow, { words, names }: EcosystemFacts): { isBarred: boolean; standing: Html } {
  const { status, suspendedAt, suspendedBy } = participantView(row)
  if (row.deactivated_at !== null)
    return { isBarred: true, standing: words.say('deactivatedSince', { day: words.day(row.deactivated_at) }) }
  if (status !== 'suspended') return { isBarred: false, standing: words.say('inGoodStanding') }
  const day = words.day(new Date(suspendedAt))
  const standing =
    suspendedBy === undefined
      ? words.say('suspendedSince', { day })
      : words.say('suspendedSinceBy', { day, actor: html`<bdi>${names.did(suspendedBy)}</bdi>` })
  return { isBarred: true, standing }
}

function rights(verb: 'issues' | 'verifies', row: ParticipantRow, facts: EcosystemFacts): Html | undefined {
  const { schemaName, words } = facts
  const hashes = verb === 'issues' ? row.issuer_ids : row.verifier_ids
  if (hashes.length === 0) return undefined
  const shown = hashes.slice(0, MOST_SCHEMAS).map((hash, index) => {
    const price = verb === 'issues' ? priceOf(row, row.issuer_schemas[index], facts) : ''
    return html`<bdi>${schemaName(hash)}</bdi>${price !== '' && html` <span class="soft">${words.say('costs', { price })}</span>`}`
  })
  const more = hashes.length - shown.length
  const schemas = html`${shown.map((one, index) => html`${index > 0 && ', '}${one}`)}${more > 0 && html` ${words.say('andMore', { count: more })}`}`
  return html`<p>${words.say(verb, { schemas })}</p>`
}

/** Writes an issuer's price for every verifier of a schema: its price for a single one stays between those two. */
const priceOf = ({ prices }: ParticipantRow, schema: string | undefined, { words }: EcosystemFacts): string =>
  prices
    .filter((price) => price.schema === schema)
    .flatMap((price) => Object.entries(price.prices))
    .map(([currency, digits]) => `${words.amount(amountOf(BigInt(digits)))} ${currency}`)
    .join(', ')

function pager({ participants, asked, pageSize, words }: EcosystemFacts): Html | undefined {
  const last = Math.ceil(participants.total / pageSize)
  if (last <= 1) return undefined
  const { page } = asked
  const to = (number: number, key: 'previousPage' | 'nextPage', rel: string) =>
    html`<li><a href="${link({ ...asked, page: number })}" rel="${rel}">${words.say(key)}</a></li>`
  return html`<nav aria-label="${words.plain('pagesOfParticipants')}"><ul class="pages">
${page > 1 && to(page - 1, 'previousPage', 'prev')}
<li>${words.say('pageOf', { page, last })}</li>
${page < last && to(page + 1, 'nextPage', 'next')}
</ul></nav>`
}
