import { type Html, html } from '../platform/html.js'
import { day, inWords, moment, picked } from './dates.js'
import type { EcosystemFacts } from './ecosystem-facts.js'
import { dateForm, document } from './layout.js'
import { logo } from './logo.js'
import { markdown } from './markdown.js'
import { link } from './page-links.js'
import { participantsSection } from './participants.js'
import { timeline } from './timeline.js'
import { webLink } from './web-link.js'

/** The page of an ecosystem, whole. */
export function ecosystemPage(facts: EcosystemFacts): string {
  const { registry, asked, point } = facts
  const isPast = asked.at !== undefined
  return document({
    title: isPast ? `${registry.name}, as of ${inWords(point.instant)}` : registry.name,
    isPassing: isPast || asked.search !== undefined || asked.page > 1 || asked.before !== undefined,
    body: html`<a class="skip" href="#participants">Go to the participants</a>
${header(facts)}
<main class="wide">
${isPast && pastNote(facts)}
${unmaintained(facts)}
${participantsSection(facts)}
${schemasSection(facts)}
${governanceSection(facts)}
${timelineSection(facts)}
${dateSection(facts)}
</main>
${footer(facts)}`,
  })
}

function header({ registry, summary, participants, schemas, apiUrl, asked }: EcosystemFacts): Html {
  const website = webLink(registry.ecosystem_url ?? '')
  const fact = (term: string, ...parts: Html[]) => html`<div><dt>${term}</dt><dd>${parts}</dd></div>`
  return html`<header class="top"><div class="wide">
${logo(registry.logo_url ?? '', apiUrl)}
<p class="kind">Ecosystem</p>
<h1 dir="auto">${registry.name}</h1>
${(registry.description ?? '') !== '' && html`<p class="lead plain" dir="auto">${registry.description ?? ''}</p>`}
${website !== undefined && html`<p><a href="${website}" rel="nofollow noopener noreferrer">${website}</a></p>`}
<dl class="facts">
${fact('Convened by', convener(registry))}
${(asked.search ?? '') === '' && fact('Participants', html`${participants.total}`)}
${fact('Issuers', html`${summary.issuer_count}`)}
${fact('Verifiers', html`${summary.verifier_count}`)}
${fact('Credentials', html`${schemas.total}`)}
${fact('Founded', day(registry.created))}
</dl>
</div></header>`
}

const convener = ({ convener, convener_name }: EcosystemFacts['registry']): Html =>
  html`${convener_name !== null && html`<bdi>${convener_name}</bdi>`}<bdi class="id">${convener}</bdi>`

const pastNote = ({ point }: EcosystemFacts): Html =>
  html`<div class="note" role="note"><p>You see this page as it was on <strong>${moment(point.instant)}</strong>. <a href="?">Show it as it is now</a></p></div>`

const unmaintained = ({ summary }: EcosystemFacts): Html | false =>
  summary.unmaintained &&
  html`<div class="note" role="note"><p>The identifier of the convener is deactivated: nobody looks after this ecosystem.</p></div>`

function schemasSection({ schemas }: EcosystemFacts): Html {
  const more = schemas.total - schemas.list.length
  return html`<section aria-labelledby="credentials">
<h2 id="credentials">Credentials</h2>
${schemas.total === 0 && html`<p>No kind of credential is governed here yet.</p>`}
<ul class="schemas">
${schemas.list.map(
  ({
    id,
    name,
    is_public,
    participants,
  }) => html`<li><strong><bdi>${name}</bdi></strong> · ${participants} ${participants === 1 ? 'participant' : 'participants'} · ${is_public ? 'anyone may verify it' : 'only who is named may verify it'}
${name !== id && html`<bdi class="id">${id}</bdi>`}</li>
`,
)}
</ul>
${more > 0 && html`<p class="soft">and ${more} more</p>`}
</section>`
}

function governanceSection({ registry, apiUrl, asked, point }: EcosystemFacts): Html {
  const { governance_framework: text, governance_framework_version: version } = registry
  const at = asked.at === undefined ? '' : `?at=${encodeURIComponent(point.instant.toISOString())}`
  const wholeText = `${apiUrl}/trust-registries/${registry.id}/public${at}`
  return html`<section aria-labelledby="governance">
<h2 id="governance">Governance</h2>
${
  text === null
    ? html`<p>The text that the ledger points to is not kept here.</p>`
    : governanceText(text, version ?? '', wholeText)
}
</section>`
}

function governanceText(text: string, version: string, wholeText: string): Html {
  const { markup, isCut } = markdown(text)
  return html`<p class="soft">Version <bdi>${version}</bdi></p>
<div class="governance" dir="auto">
${markup}</div>
${isCut && html`<p class="note">Only the beginning of this text is shown here. <a href="${wholeText}">Read the whole of it</a>, as <code>governanceFramework</code> among the facts for programs.</p>`}`
}

function timelineSection({ history, names, asked }: EcosystemFacts): Html {
  const { list, next, total } = history
  return html`<section aria-labelledby="history">
<h2 id="history">What happened</h2>
${total === 0 && html`<p>Nothing yet.</p>`}
${timeline(list, names)}
<ul class="pages">
${asked.before !== undefined && html`<li><a href="${link({ ...asked, before: undefined }, 'history')}">Newest</a></li>`}
${next !== undefined && html`<li><a href="${link({ ...asked, before: next }, 'history')}">Earlier</a></li>`}
</ul>
</section>`
}

const dateSection = ({ point }: EcosystemFacts): Html => html`<section aria-labelledby="past">
<h2 id="past">On another day</h2>
<p>The ledger forgets nothing. Names, texts, participants and prices are shown as they were.</p>
${dateForm(picked(point.instant))}
</section>`

const footer = ({ point, registry, apiUrl }: EcosystemFacts): Html => html`<footer class="wide">
<p>True for block ${point.block} of the ledger, shown as of ${moment(point.instant)}.</p>
<p>Trust registry <bdi class="id">${registry.id}</bdi></p>
<p>For programs: <a href="${`${apiUrl}/trust-registries/${registry.id}/public`}">facts</a>, <a href="${`${apiUrl}/trust-registries/${registry.id}/history`}">history</a></p>
</footer>`
