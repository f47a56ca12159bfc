import { ERRORS } from '../../errors.js'
import { type Html, html } from '../html.js'

const STYLE = `:root{color-scheme:light dark;--text:#1c2430;--ground:#fff;--line:#d5dae1;--soft:#56616f;--link:#0b5cad}
@media(prefers-color-scheme:dark){:root{--text:#dfe5ec;--ground:#12161c;--line:#303844;--soft:#a3afbd;--link:#7ab8ff}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:var(--text);background:var(--ground)}
a{color:var(--link)}h1{margin-bottom:0}.note{color:var(--soft)}code{font:14px ui-monospace,monospace;overflow-wrap:anywhere}
dt{margin-top:1rem;padding-top:1rem;border-top:1px solid var(--line)}dd{margin:0}dt:target,dt:target+dd{background:color-mix(in srgb,var(--link) 15%,transparent)}
ul{padding-left:1.2rem}li{margin:.5rem 0}`

const page = (title: string, body: Html): string =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>${title}</title>
<style>${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`.text

/** Explains every `type` of a refusal, from the list that the code itself uses. */
export function errorsPage(): string {
  const entries = Object.entries(ERRORS).map(
    ([type, [status, meaning]]) =>
      html`<dt id="${type}"><code>${type}</code> <span class="note">${status}</span></dt><dd>${meaning}</dd>\n`,
  )
  return page(
    'Errors of the Accredit API',
    html`<p class="note">Every refusal has the body <code>{ "status", "type", "message" }</code>, and <code>problems</code> where parts of a request are wrong. Programs decide by <code>type</code>; messages are for people and may change. <a href="../docs/">All operations</a></p>
<dl>${entries}</dl>`,
  )
}

/** Tells people who open the address of the service what it is and where to go. */
export const startPage = (environment: string): string =>
  page(
    'Accredit',
    html`<p>Issue and verify credentials, and govern who may issue and verify what, on a ledger that everyone can check. This is the <strong>${environment}</strong> environment.</p>
<ul>
<li><a href="docs/">Reference</a>: every operation, with examples to try</li>
<li><a href="docs/errors">Errors</a>: what each <code>type</code> of a refusal means</li>
<li><a href="openapi.json">OpenAPI 3.1</a>: the same for programs</li>
<li><a href="ready">Ready</a>: whether everything that this service needs answers</li>
</ul>`,
  )

/** The same for programs. */
export const startAnswer = (environment: string, apiUrl: string) => ({
  name: 'Accredit',
  environment,
  reference: `${apiUrl}/docs`,
  errors: `${apiUrl}/docs/errors`,
  openapi: `${apiUrl}/openapi.json`,
  ready: `${apiUrl}/ready`,
})
