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

const NO_SUCH_PART = 'No page led to this part of what happened. Begin with the newest of it.'

/** What is wrong with a part of the address that cannot be read. */
const UNREADABLE = new Map([
  ['slug', 'No ecosystem has this address.'],
  ['at', 'This is not a date that can be read.'],
  ['search', 'This is too long to search for: use at most 200 characters.'],
  ['page', 'There is no such page: pages are counted from 1.'],
  ['before', NO_SUCH_PART],
  ['cursor', NO_SUCH_PART],
])

const forPeople = ({ malformed, message }: ApiError): string => {
  if (malformed === 'text') return 'This address holds what is no text.'
  return UNREADABLE.get(malformed?.field ?? '') ?? (/[.!?]$/.test(message) ? message : `${message}.`)
}

/** Refusals as a page, with the date to choose again. */
export const refusalPages: Refusals = {
  mediaTypes: [HTML],
  headers: PAGE_HEADERS,
  body: (error) => {
    const { status, members } = error
    const title = typeof members.title === 'string' ? members.title : (TITLES[status] ?? 'Something went wrong')
    return document({
      title,
      isPassing: true,
      body: html`<main class="wide">
<section>
<p class="kind">${status}</p>
<h1>${title}</h1>
<p class="lead">${forPeople(error)}</p>
${[400, 404, 410].includes(status) && dateForm('')}
<p><a href="${typeof members.address === 'string' ? members.address : '?'}">Show it as it is now</a></p>
</section>
</main>`,
    })
  },
}
