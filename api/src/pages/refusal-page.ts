import { HTML } from '../platform/http/accept.js'
import { type Html, html } from '../platform/http/html.js'
import type { Refusals } from '../platform/http/operation.js'
import { dateForm, document, pageHeaders } from './layout.js'
import { type Told, toldOf } from './page-refusal.js'
import { type Words, wordsFor } from './words.js'

/** Refusals as a page, with the date to choose again. */
export const refusalPages: Refusals = {
  mediaTypes: [HTML],
  headers: ({ headers }) => pageHeaders(wordsFor(headers['accept-language'])),
  body: (error, { headers }) => {
    const { status } = error
    const words = wordsFor(headers['accept-language'])
    const told = toldOf(error, words)
    const ways = html`${[400, 404, 410].includes(status) && dateForm(words)}
<p><a href="${told.address ?? '?'}">${words.say('showNow')}</a></p>`
    return refusalDocument(words, { kind: html`${status}`, told, ways })
  },
}

interface Refused {
  kind: Html
  told: Told
  /** The ways on from here. */
  ways?: Html
}

export const refusalDocument = (words: Words, { kind, told: { title, text }, ways }: Refused): string =>
  document({
    words,
    title,
    isPassing: true,
    body: html`<main class="wide">
<section>
<p class="kind">${kind}</p>
<h1>${title}</h1>
<p class="lead">${text}</p>
${ways}
</section>
</main>`,
  })
