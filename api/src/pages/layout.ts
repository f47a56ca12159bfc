import { type Html, html } from '../platform/html.js'
import { CONTENT_SECURITY_POLICY, STYLE_ELEMENT } from './style.js'

export const HTML = 'text/html'

interface Page {
  title: string
  /** Whether search engines should leave it alone. */
  isPassing?: boolean
  body: Html
}

/** A whole document. */
export const document = ({ title, isPassing = false, body }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isPassing && html`<meta name="robots" content="noindex">`}
<title>${title}</title>
${STYLE_ELEMENT}
</head>
<body>
${body}
</body>
</html>
`.text

export const PAGE_HEADERS: Record<string, string> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

/** The form that shows a page as it was; it goes to the page that it stands in. */
export const dateForm = (chosen: string): Html => html`<form method="get">
<label>Show this page as it was on (date and time in UTC)
<input type="datetime-local" name="at" step="1" required value="${chosen}"></label>
<button>Show</button>
</form>`
