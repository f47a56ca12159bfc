import type { ApiError } from '../platform/errors.js'
import { html } from '../platform/html.js'
import type { Refusals } from '../platform/operation.js'
import { dateForm, document, HTML, PAGE_HEADERS } from './layout.js'

const TITLES: Record<number, string> = {
  400: 'This cannot be shown',
  404: 'There is no such ecosystem',
  429: 'Too many requests at once',
  503: 'The ledger cannot be asked now',
}

/** `'at' lies in the future` */
const forPeople = (message: string): string => {
  const text = message.replace(/^'at'/, 'The date')
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Refusals as a page, with the date to choose again. */
export const refusalPages: Refusals = {
  mediaType: HTML,
  headers: PAGE_HEADERS,
  body: ({ status, message, members }: ApiError) => {
    const title = typeof members.title === 'string' ? members.title : (TITLES[status] ?? 'Something went wrong')
    return document({
      title,
      isPassing: true,
      body: html`<main class="wide">
<section>
<p class="kind">${status}</p>
<h1>${title}</h1>
<p class="lead">${forPeople(message)}</p>
${(status === 400 || status === 404) && dateForm('')}
<p><a href="?">Show it as it is now</a></p>
</section>
</main>`,
    })
  },
}
