import { html } from '../platform/html.js'
import type { Refusals } from '../platform/operation.js'
import { dateForm, document, HTML, pageHeaders } from './layout.js'
import { toldOf } from './page-refusal.js'
import { wordsFor } from './words.js'

/** Refusals as a page, with the date to choose again. */
export const refusalPages: Refusals = {
  mediaTypes: [HTML],
  headers: ({ headers }) => pageHeaders(wordsFor(headers['accept-language'])),
  body: (error, { headers }) => {
    const { status } = error
    const words = wordsFor(headers['accept-language'])
    const { title, text, address } = toldOf(error, words)
    return document({
      words,
      title,
      isPassing: true,
      body: html`<main class="wide">
<section>
<p class="kind">${status}</p>
<h1>${title}</h1>
<p class="lead">${text}</p>
${[400, 404, 410].includes(status) && dateForm(words)}
<p><a href="${address ?? '?'}">${words.say('showNow')}</a></p>
</section>
</main>`,
    })
  },
}
