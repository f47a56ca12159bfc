import { HTML, wantsPage } from '../platform/http/accept.js'
import { type Html, html } from '../platform/http/html.js'
import type { Refusals } from '../platform/http/operation.js'
import type { InvitationFacts } from './invitation-facts.js'
import { document, pageHeaders } from './layout.js'
import { logo } from './logo.js'
import { toldOf } from './page-refusal.js'
import { refusalDocument } from './refusal-page.js'
import { type Words, wordsFor } from './words.js'

const ACCEPT = '/trust-registries/invitations/accept'
const DECLINE = '/trust-registries/invitations/decline'

/** The address holds a secret: nobody keeps the answer, and no page that is opened from it learns it. */
export const invitationHeaders = (words: Words | undefined): Record<string, string> => ({
  ...(words && pageHeaders(words)),
  Vary: 'Accept, Accept-Language',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
})

/** The page of an invitation that can be accepted. */
export function invitationPage(facts: InvitationFacts, words: Words): string {
  const { registry, logos, ecosystemPage } = facts
  const { name, convener, convener_name } = registry
  const invites = {
    convener: html`<strong><bdi>${convener_name ?? convener}</bdi></strong>`,
    ecosystem: html`<strong><bdi>${name}</bdi></strong>`,
  }
  return document({
    words,
    title: words.plain('invitationTitle', { ecosystem: name }),
    isPassing: true,
    body: html`<header class="top"><div class="wide">
${logo({ name, logo: logos.get(registry.logo_url ?? ''), id: registry.id }, words)}
<p class="kind">${words.say('invitation')}</p>
<h1 dir="auto">${name}</h1>
<p class="lead">${words.say('invites', invites)}</p>
${(registry.description ?? '') !== '' && html`<p class="plain" dir="auto">${registry.description ?? ''}</p>`}
<p>${words.say('goodUntil', { moment: words.moment(facts.expires) })}</p>
<p><a href="${ecosystemPage}">${words.say('seeEcosystem')}</a></p>
</div></header>
<main class="wide">
${rightsSection(facts, words)}
${acceptSection(facts, words)}
</main>
<footer class="wide"><p>${words.say('convenedBy')}: <bdi class="id">${convener}</bdi></p></footer>`,
  })
}

function rightsSection({ issues, verifies }: InvitationFacts, words: Words): Html {
  const right = (key: 'invitationIssues' | 'invitationVerifies', names: string[]) =>
    names.map((name) => html`<li>${words.say(key, { schemas: html`<strong><bdi>${name}</bdi></strong>` })}</li>`)
  return html`<section aria-labelledby="rights">
<h2 id="rights">${words.say('youMay')}</h2>
<ul class="schemas">${right('invitationIssues', issues)}${right('invitationVerifies', verifies)}${issues.length + verifies.length === 0 && html`<li>${words.say('verifiesPublic')}</li>`}</ul>
</section>`
}

function acceptSection({ apiUrl }: InvitationFacts, words: Words): Html {
  const route = (path: string) => html`<code>POST ${path}</code>`
  const [did, address] = [words.plain('yourDid'), words.plain('addressOfThisPage')]
  const request = `curl -X POST ${apiUrl}${ACCEPT} \\
  -H 'svc-api-token: …' -H 'content-type: application/json' \\
  -d '{ "token": "‹${address}›", "did": "‹${did}›" }'`
  return html`<section aria-labelledby="accept">
<h2 id="accept">${words.say('howToAccept')}</h2>
<p>${words.say('acceptNeeds', { profiles: route('/profiles') })}</p>
<p>${words.say('acceptSend', { token: html`<code>token</code>`, route: route(ACCEPT) })}</p>
<pre class="request" tabindex="0"><code>${request}</code></pre>
<p>${words.say('declineSend', { route: route(DECLINE) })}</p>
<p>${words.say('whoMayRead')}</p>
<p><a href="${`${apiUrl}/docs`}">${words.say('aboutTheApi')}</a></p>
</section>`
}

/** Browsers get a page, programs the error that they know. */
export const invitationRefusals: Refusals = {
  mediaTypes: ['application/json', HTML],
  headers: ({ headers }) =>
    invitationHeaders(wantsPage(headers.accept) ? wordsFor(headers['accept-language']) : undefined),
  body: (error, { headers }) => {
    if (!wantsPage(headers.accept)) return JSON.stringify(error.body())
    const words = wordsFor(headers['accept-language'])
    const kind = html`${words.say('invitation')} · ${error.status}`
    return refusalDocument(words, { kind, told: toldOf(error, words) })
  },
}
