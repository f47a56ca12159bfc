import { type Html, html } from '../platform/html.js'

const format = (options: Intl.DateTimeFormatOptions) => {
  const { format } = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })
  return (date: Date): string => format(date)
}

/** `31 January 2026` */
export const dayOf = format({ day: 'numeric', month: 'long', year: 'numeric' })
const clock = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** `31 January 2026, 12:00:00 UTC` */
export const inWords = (date: Date): string => `${dayOf(date)}, ${clock(date)} UTC`

export const day = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}" title="${inWords(date)}">${dayOf(date)}</time>`
export const moment = (date: Date): Html => html`<time datetime="${date.toISOString()}">${inWords(date)}</time>`
export const timeOfDay = (date: Date): Html => html`<time datetime="${date.toISOString()}">${clock(date)}</time>`

/** As a date picker holds it: UTC, without saying so. */
export const picked = (date: Date): string => date.toISOString().slice(0, 19)
