import { type Html, html } from '../platform/http/html.js'
import { CONTENT_SECURITY_POLICY, STYLE_ELEMENT } from './style.js'
import type { Words } from './words.js'

interface Page {
  words: Words
  title: string
  /** True when search engines should leave the page alone. */
  isPassing?: boolean
  body: Html
}

/** A whole document. */
export const document = ({ words, title, isPassing = false, body }: Page): string =>
  html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
${isPassing && html`<meta name="robots" content="noindex">`}
<title>${title}</title>
${STYLE_ELEMENT}
</head>
<body>
${body}
</body>
</html>
`.text

/** Returns the headers of a page in a language. */
export const pageHeaders = ({ language }: Pick<Words, 'language'>): Record<string, string> => ({
  'Content-Language': language,
  Vary: 'Accept-Language',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
})

/** The form that shows the page at a point of the past; it goes to the page that it stands in. */
export const dateForm = (words: Words, chosen?: Date): Html => html`<form class="date" method="get">
<label>${words.say('dateLabel')}
<input type="datetime-local" name="at" step="1" required value="${chosen === undefined ? '' : picked(chosen)}"></label>
<button>${words.say('dateButton')}</button>
</form>`

/** Writes an instant for a date picker: UTC, without a zone. */
const picked = (date: Date): string => date.toISOString().slice(0, 19)
