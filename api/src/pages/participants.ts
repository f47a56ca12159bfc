import type { ParticipantRow } from '../ecosystems/participant.queries.js'
import { participantView } from '../ecosystems/participant.view.js'
import { type Html, html } from '../platform/html.js'
import { amountOf } from './amount.js'
import { day } from './dates.js'
import type { EcosystemFacts } from './ecosystem-facts.js'
import { logo } from './logo.js'
import { link } from './page-links.js'
import { webLink } from './web-link.js'

const MOST_SCHEMAS = 8

/** Who takes part: a form to search, a page of the list, and the way to the other pages. */
export function participantsSection(facts: EcosystemFacts): Html {
  const { participants, asked } = facts
  const { search = '' } = asked
  return html`<section aria-labelledby="participants">
<h2 id="participants">Participants</h2>
<form method="get" role="search">
${asked.at !== undefined && html`<input type="hidden" name="at" value="${asked.at}">`}
<label>Search by name or DID
<input type="search" name="search" value="${search}" maxlength="200" dir="auto"></label>
<button>Search</button>
</form>
${participants.total === 0 ? nobody(search) : list(facts)}
${search !== '' && html`<p><a href="${link({ at: asked.at })}">Show all participants</a></p>`}
</section>`
}

const nobody = (search: string): Html =>
  search === ''
    ? html`<p>Nobody takes part yet.</p>`
    : html`<p>No participant’s name or DID holds “<bdi>${search}</bdi>”.</p>`

function list(facts: EcosystemFacts): Html {
  const { participants, asked, pageSize } = facts
  const { total, list } = participants
  const first = (asked.page - 1) * pageSize + 1
  if (list.length === 0)
    return html`<p>The list has only ${Math.ceil(total / pageSize)} pages. <a href="${link({ ...asked, page: 1 })}">Go to the first one</a></p>`
  return html`<table class="participants" role="table">
<caption>${first} to ${first + list.length - 1} of ${total}, by name</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Name</th><th scope="col" role="columnheader">May</th><th scope="col" role="columnheader">Standing</th></tr></thead>
<tbody role="rowgroup">
${list.map((row) => participant(row, facts))}
</tbody>
</table>
${pager(facts)}`
}

function participant(row: ParticipantRow, facts: EcosystemFacts): Html {
  const { did, name, infoUrl, logoUrl } = participantView(row)
  const { isBarred, words } = standing(row)
  const info = webLink(infoUrl)
  const known = name === did ? html`<bdi class="id">${did}</bdi>` : html`<bdi>${name}</bdi>`
  return html`<tr role="row"${isBarred && html` class="is-barred"`}>
<th scope="row" role="rowheader"><div class="who">${logo(logoUrl, facts.apiUrl)}<span>${info === undefined ? known : html`<a href="${info}" rel="nofollow noopener noreferrer">${known}</a>`}
${name !== did && html`<bdi class="id">${did}</bdi>`}</span></div></th>
<td role="cell">${rights('Issue', row, facts)}${rights('Verify', row, facts)}${row.issuer_ids.length + row.verifier_ids.length === 0 && html`<p class="soft">Verify what anyone may</p>`}</td>
<td role="cell"><span class="state">${words}</span>
<p class="soft">takes part since ${day(row.created)}</p></td>
</tr>
`
}

/** A deactivated identifier is no suspension: nobody can readmit it. */
function standing(row: ParticipantRow): { isBarred: boolean; words: Html } {
  const { status, suspendedAt } = participantView(row)
  if (row.deactivated_at !== null)
    return { isBarred: true, words: html`Identifier deactivated since ${day(row.deactivated_at)}` }
  if (status === 'suspended') return { isBarred: true, words: html`Suspended since ${day(new Date(suspendedAt))}` }
  return { isBarred: false, words: html`In good standing` }
}

function rights(verb: 'Issue' | 'Verify', row: ParticipantRow, { schemaName }: EcosystemFacts): Html | undefined {
  const hashes = verb === 'Issue' ? row.issuer_ids : row.verifier_ids
  if (hashes.length === 0) return undefined
  const shown = hashes.slice(0, MOST_SCHEMAS).map((hash, index) => {
    const price = verb === 'Issue' ? priceOf(row, row.issuer_schemas[index]) : ''
    return html`<bdi>${schemaName(hash)}</bdi>${price !== '' && html` <span class="soft">(verifying costs ${price})</span>`}`
  })
  const more = hashes.length - shown.length
  return html`<p>${verb} ${shown.map((one, index) => html`${index > 0 && ', '}${one}`)}${more > 0 && ` and ${more} more`}</p>`
}

/** What an issuer asks of every verifier of a schema: what it asks of one of them is between those two. */
const priceOf = ({ prices }: ParticipantRow, schema: string | undefined): string =>
  prices
    .filter((price) => price.schema === schema)
    .flatMap((price) => Object.entries(price.prices))
    .map(([currency, digits]) => `${amountOf(BigInt(digits))} ${currency}`)
    .join(', ')

function pager({ participants, asked, pageSize }: EcosystemFacts): Html | undefined {
  const last = Math.ceil(participants.total / pageSize)
  if (last <= 1) return undefined
  const { page } = asked
  const to = (number: number, words: string, rel: string) =>
    html`<li><a href="${link({ ...asked, page: number })}" rel="${rel}">${words}</a></li>`
  return html`<nav aria-label="Pages of participants"><ul class="pages">
${page > 1 && to(page - 1, 'Previous page', 'prev')}
<li>Page ${page} of ${last}</li>
${page < last && to(page + 1, 'Next page', 'next')}
</ul></nav>`
}
