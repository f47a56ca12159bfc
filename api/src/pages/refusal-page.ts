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
const UNREADABLE: Record<string, string> = {
  slug: 'No ecosystem has this address.',
  at: 'This is not a date that can be read.',
  search: 'This is too long to search for: use at most 200 characters.',
  page: 'There is no such page: pages are counted from 1.',
  before: NO_SUCH_PART,
  cursor: NO_SUCH_PART,
  Text: 'This address holds what is no text.',
}

/** `'at' lies in the future`, `querystring page must be >= 1` */
const forPeople = (message: string): string => {
  const [, part = ''] = /^(?:querystring |params )?(\w+) (?:must|belongs)/.exec(message) ?? []
  if (Object.hasOwn(UNREADABLE, part)) return UNREADABLE[part] ?? ''
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
