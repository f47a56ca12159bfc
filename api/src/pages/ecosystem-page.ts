import { type Html, html } from '../platform/http/html.js'
import type { EcosystemFacts } from './ecosystem-facts.js'
import { dateForm, document } from './layout.js'
import { logo } from './logo.js'
import { markdown } from './markdown.js'
import { link } from './page-links.js'
import { participantsSection } from './participants.js'
import { proofSection } from './proof/proof-section.js'
import { timeline } from './timeline.js'
import { webLink } from './web-link.js'
import type { Words } from './words.js'

/** The page of an ecosystem, whole. */
export function ecosystemPage(facts: EcosystemFacts): string {
  const { registry, asked, point, words } = facts
  const isPast = asked.at !== undefined
  const { name } = registry
  return document({
    words,
    title: isPast ? words.plain('asOf', { name, moment: words.momentOf(point.instant) }) : name,
    isPassing: isPast || asked.search !== undefined || asked.page > 1 || asked.before !== undefined,
    body: html`<a class="skip" href="#participants">${words.say('skipToParticipants')}</a>
${header(facts)}
<main class="wide">
${isPast && pastNote(facts)}
${unmaintained(facts)}
${participantsSection(facts)}
${schemasSection(facts)}
${governanceSection(facts)}
${timelineSection(facts)}
${proofSection(facts)}
</main>
${footer(facts)}`,
  })
}

function header(facts: EcosystemFacts): Html {
  const { registry, logos, words, point } = facts
  const website = webLink(registry.ecosystem_url ?? '')
  const picture = { name: registry.name, logo: logos.get(registry.logo_url ?? ''), id: registry.id }
  return html`<header class="top"><div class="wide">
${dateForm(words, point.instant)}
${logo(picture, words)}
<p class="kind">${words.say('ecosystem')}</p>
<h1 dir="auto">${registry.name}</h1>
${(registry.description ?? '') !== '' && html`<p class="lead plain" dir="auto">${registry.description ?? ''}</p>`}
${website !== undefined && html`<p><a href="${website}" rel="nofollow noopener noreferrer">${website}</a></p>`}
<dl class="facts">
<div><dt>${words.say('convenedBy')}</dt><dd>${convener(registry)}</dd></div>
<div><dt>${words.say('founded')}</dt><dd>${words.day(registry.created)}</dd></div>
</dl>
${counts(facts)}
</div></header>`
}

/** Shows how large the ecosystem is. The number of search results stands beside them. */
function counts({ summary, participants, schemas, asked, words }: EcosystemFacts): Html {
  const all = [
    ...((asked.search ?? '') === '' ? [words.say('participantCount', { count: participants.total })] : []),
    words.say('issuerCount', { count: summary.issuer_count }),
    words.say('verifierCount', { count: summary.verifier_count }),
    words.say('schemaCount', { count: schemas.total }),
  ]
  return html`<ul class="counts">${all.map((count) => html`<li>${count}</li>`)}</ul>`
}

const convener = ({ convener, convener_name }: EcosystemFacts['registry']): Html =>
  html`${convener_name !== null && html`<bdi>${convener_name}</bdi>`}<bdi class="id">${convener}</bdi>`

const pastNote = ({ point, words }: EcosystemFacts): Html =>
  html`<div class="note" role="note"><p>${words.say('pastNote', { moment: html`<strong>${words.moment(point.instant)}</strong>` })} <a href="?">${words.say('showNow')}</a></p></div>`

const unmaintained = ({ summary, words }: EcosystemFacts): Html | false =>
  summary.unmaintained && html`<div class="note" role="note"><p>${words.say('unmaintained')}</p></div>`

function schemasSection({ schemas, words }: EcosystemFacts): Html {
  const more = schemas.total - schemas.list.length
  return html`<section aria-labelledby="schemas">
<h2 id="schemas">${words.say('schemas')}</h2>
${schemas.total === 0 && html`<p>${words.say('noSchemas')}</p>`}
<ul class="schemas">
${schemas.list.map(
  ({
    id,
    name,
    is_public,
    participants,
  }) => html`<li><strong><bdi>${name}</bdi></strong> · ${words.say('participantCount', { count: participants })} · ${words.say(is_public ? 'anyoneVerifies' : 'namedVerify')}
${name !== id && html`<bdi class="id">${id}</bdi>`}</li>
`,
)}
</ul>
${more > 0 && html`<p class="soft">${words.say('andMore', { count: more })}</p>`}
</section>`
}

function governanceSection({ registry, apiUrl, asked, point, words }: EcosystemFacts): Html {
  const { governance_framework: text, governance_framework_version: version } = registry
  const at = asked.at === undefined ? '' : `?at=${encodeURIComponent(point.instant.toISOString())}`
  const wholeText = `${apiUrl}/trust-registries/${registry.id}/public${at}`
  return html`<section aria-labelledby="governance">
<h2 id="governance">${words.say('governance')}</h2>
${
  text === null
    ? html`<p>${words.say('governanceElsewhere')}</p>`
    : governanceText({ text, version: version ?? '', wholeText }, words)
}
</section>`
}

function governanceText(
  { text, version, wholeText }: { text: string; version: string; wholeText: string },
  words: Words,
): Html {
  const { markup, isCut } = markdown(text)
  const whole = {
    link: html`<a href="${wholeText}">${words.say('readTheWhole')}</a>`,
    member: html`<code>governanceFramework</code>`,
  }
  return html`<p class="soft">${words.say('version', { version: html`<bdi>${version}</bdi>` })}</p>
<div class="governance" dir="auto">
${markup}</div>
${isCut && html`<p class="note">${words.say('textIsCut', whole)}</p>`}`
}

function timelineSection({ history, names, reasons, asked, words }: EcosystemFacts): Html {
  const { list, next, total } = history
  return html`<section aria-labelledby="history">
<h2 id="history">${words.say('history')}</h2>
${total === 0 && html`<p>${words.say('nothingHappened')}</p>`}
${timeline(list, { names, words, reasons })}
<ul class="pages">
${asked.before !== undefined && html`<li><a href="${link({ ...asked, before: undefined }, 'history')}">${words.say('newest')}</a></li>`}
${next !== undefined && html`<li><a href="${link({ ...asked, before: next }, 'history')}">${words.say('earlier')}</a></li>`}
</ul>
</section>`
}

function footer({ point, registry, apiUrl, words }: EcosystemFacts): Html {
  const programs = {
    facts: html`<a href="${`${apiUrl}/trust-registries/${registry.id}/public`}">${words.say('factsLink')}</a>`,
    history: html`<a href="${`${apiUrl}/trust-registries/${registry.id}/history`}">${words.say('historyLink')}</a>`,
  }
  return html`<footer class="wide">
<p>${words.say('trueFor', { block: point.block, moment: words.moment(point.instant) })}</p>
<p>${words.say('trustRegistry', { id: html`<bdi class="id">${registry.id}</bdi>` })}</p>
<p>${words.say('forPrograms', programs)}</p>
</footer>`
}
