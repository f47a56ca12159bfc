import { ERRORS } from './errors.js'
import { escapeHtml } from './html.js'
import type { Described } from './operation.js'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
h1{margin-bottom:0}table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #d5dae1}h2{margin-top:2.5rem;border-bottom:1px solid #d5dae1}summary{cursor:pointer;padding:.3rem 0}code{font:14px ui-monospace,monospace}
.method{display:inline-block;width:4.5rem;font-weight:600}pre{background:#f4f6f8;padding:1rem;overflow:auto;font-size:13px}.note{color:#5a6675}
@media(prefers-color-scheme:dark){body{background:#12161c;color:#dfe5ec}pre{background:#1b2129}h2,th,td{border-color:#303844}.note{color:#98a4b3}}`

const page = (
  title: string,
  body: string,
): string => `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${STYLE}</style><h1>${title}</h1>${body}</html>`

/** What every `type` of a refusal means, from the list that the code itself takes them from. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(
    ([type, [status, meaning]]) =>
      `<tr id="${type}"><td>${status}</td><td><code>${type}</code></td><td>${escapeHtml(meaning)}</td></tr>`,
  )
  return page(
    'Errors of the Accredit API',
    `<p class="note">Every refusal has the body <code>{ "status", "type", "message" }</code>, and <code>problems</code> where several parts of a request are wrong. Programs decide by <code>type</code>; messages are for people and may change. <a href="../docs">All operations</a></p>
<table><thead><tr><th>Status</th><th>Type</th><th>What it means</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`,
  )
}

/** A reference page of every operation, in one file that loads nothing. */
export function docsPage(operations: readonly Described[]): string {
  const tags = [...new Set(operations.flatMap((op) => op.tags))]
  const groups = tags.map(
    (tag) =>
      `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${operations
        .filter((op) => op.tags.includes(tag))
        .map(entry)
        .join('')}`,
  )
  const links = tags.map((tag) => `<a href="#${escapeHtml(tag)}">${escapeHtml(tag)}</a>`).join(' · ')
  return page(
    'Accredit API',
    `<p class="note">Also as <a href="openapi.json">OpenAPI 3.1</a>. Send your key as <code>SVC-API-TOKEN</code> or <code>Authorization: Bearer</code>. <a href="docs/errors">What the errors mean</a></p>
<p>${links}</p>${groups.join('\n')}`,
  )
}

function entry(op: Described): string {
  const who = op.auth === 'public' ? 'no key' : op.auth === 'optional' ? 'key optional' : `key, ${op.role ?? 'member'}`
  const parts = [
    ['Query', op.querystring],
    ['Body', op.body],
    ['Answer', op.response[200]],
  ] as const
  const schemas = parts.map(([name, schema]) =>
    schema ? `<h4>${name}</h4><pre>${escapeHtml(JSON.stringify(schema, null, 1))}</pre>` : '',
  )
  return `<details id="${escapeHtml(op.operationId)}"><summary><span class="method">${op.method}</span><code>${escapeHtml(op.url)}</code> ${escapeHtml(op.summary)}
<span class="note">(${escapeHtml(who)}${op.ledgerWrite ? '; dryRun=true tells what it would do' : ''})</span></summary><p>${escapeHtml(op.description ?? '')}</p>${schemas.join('')}</details>`
}
