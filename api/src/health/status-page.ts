import { document } from '../pages/layout.js'
import type { Words } from '../pages/words.js'
import { type Html, html } from '../platform/http/html.js'
import type { Component } from './health.tables.js'
import type { Incident } from './incident.store.js'
import type { StatusFacts } from './status-facts.js'

/** The names of the parts, for people. */
const NAMES = {
  signer: 'statusSigner',
  index: 'statusIndex',
  fees: 'statusFees',
  webhooks: 'statusWebhooks',
  worker: 'statusWorker',
} as const satisfies Record<Component, string>

/** The page about the service: what works, how far behind it is, what did not work. */
export function statusPage(facts: StatusFacts, words: Words): string {
  const isWell = facts.components.every((one) => one.isWell)
  const summary = words.say(isWell ? 'statusAllWell' : 'statusNotAllWell')
  return document({
    words,
    title: words.plain(isWell ? 'statusTitleWell' : 'statusTitleNotWell'),
    isPassing: true,
    body: html`<header class="top"><div class="wide">
<p class="kind">${words.say('statusKind')}</p>
<h1>${words.say('statusTitle')}</h1>
<p class="lead">${summary} ${words.say('statusAsOf', { moment: words.moment(facts.now) })}</p>
${progress(facts, words)}
</div></header>
<main class="wide">
<section aria-labelledby="parts"><h2 id="parts">${words.say('statusParts')}</h2>${parts(facts, words)}</section>
<section aria-labelledby="incidents"><h2 id="incidents">${words.say('statusIncidents')}</h2>${incidents(facts, words)}</section>
</main>`,
  })
}

function progress({ head, now }: StatusFacts, words: Words): Html {
  if (head === undefined) return html`<p class="note">${words.say('statusNoIndex')}</p>`
  const behind = Math.max(0, head.finalHeight - head.block)
  const seconds = Math.round(head.lagMs / 1000)
  const age = Math.max(0, Math.round((now.getTime() - head.time.getTime()) / 1000))
  return html`<dl class="facts">
<div><dt>${words.say('statusLedger')}</dt><dd>${words.say('statusBlock', { block: head.finalHeight })}</dd></div>
<div><dt>${words.say('statusIndexed')}</dt><dd>${words.say('statusBlock', { block: head.block })} <small>${words.say('statusAge', { seconds: age })}</small></dd></div>
<div><dt>${words.say('statusBehind')}</dt><dd>${words.say('statusBehindBy', { blocks: behind, seconds })}</dd></div>
</dl>`
}

function parts({ components }: StatusFacts, words: Words): Html {
  const rows = [{ name: words.say('statusApi'), isWell: true }].concat(
    components.map(({ component, isWell }) => ({ name: words.say(NAMES[component]), isWell })),
  )
  return html`<table class="participants"><caption>${words.say('statusPartsCaption')}</caption>
<thead><tr><th scope="col">${words.say('statusPart')}</th><th scope="col">${words.say('statusState')}</th></tr></thead>
<tbody>${rows.map(
    ({ name, isWell }) =>
      html`<tr${!isWell && html` class="is-barred"`}><th scope="row">${name}</th><td><span class="state">${words.say(isWell ? 'statusWorks' : 'statusFails')}</span></td></tr>`,
  )}</tbody></table>`
}

function incidents({ incidents: all }: StatusFacts, words: Words): Html {
  if (all.length === 0) return html`<p>${words.say('statusNoIncidents')}</p>`
  return html`<ul>${all.map((incident) => html`<li>${incidentOf(incident, words)}</li>`)}</ul>`
}

function incidentOf({ component, began, ended }: Incident, words: Words): Html {
  const values = { part: words.say(NAMES[component]), began: words.moment(began) }
  return ended === null
    ? words.say('statusGoesOn', values)
    : words.say('statusEnded', { ...values, ended: words.moment(ended) })
}
