import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { html } from '../../platform/http/html.js'

const require = createRequire(import.meta.url)
const packaged = (name: string, ...path: string[]): string =>
  join(dirname(require.resolve(`${name}/package.json`)), ...path)

const SCRIPT = 'text/javascript; charset=utf-8'

/**
 * GraphiQL 3 is the last version that comes as a script which a page can load unchanged, and React 18 the last such
 * React: newer ones would have to be bundled here, or fetched from another host.
 */
const PACKAGED = {
  'react.js': [SCRIPT, packaged('react', 'umd', 'react.production.min.js')],
  'react-dom.js': [SCRIPT, packaged('react-dom', 'umd', 'react-dom.production.min.js')],
  'graphiql.js': [SCRIPT, packaged('graphiql', 'graphiql.min.js')],
  'graphiql.css': ['text/css; charset=utf-8', packaged('graphiql', 'graphiql.min.css')],
} as const

const EXAMPLE = `# Facts of the ledger, now or at any point of the past.
{
  registries(first: 10) {
    totalCount
    nodes { id name participants(first: 10) { totalCount nodes { did { id } suspended } } }
  }
}
`

/** The browser keeps nothing: its history of queries would hold the keys that were sent with them. */
const START = `ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: location.pathname }),
    defaultQuery: ${JSON.stringify(EXAMPLE)},
    storage: null,
  }),
)
// Its editors have no names of their own, and their texts scroll by the mouse alone.
new MutationObserver(() => {
  for (const field of document.querySelectorAll('.CodeMirror textarea:not([aria-label])'))
    field.setAttribute('aria-label', field.closest('[aria-label]')?.getAttribute('aria-label') ?? 'Editor')
  for (const text of document.querySelectorAll('.CodeMirror-scroll[tabindex="-1"]')) text.setAttribute('tabindex', '0')
}).observe(document.getElementById('graphiql'), { childList: true, subtree: true })
`

/** The policy allows only what this host serves. The editor writes styles and draws icons itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const GRAPHIQL_HEADERS: Record<string, string> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
}

/** The addresses are relative: the page also works where a proxy puts the service under a path. */
export const GRAPHIQL_PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL: the ledger of this service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="graphiql/graphiql.css">
<style>html, body, #graphiql { height: 100%; margin: 0; }
body:not(.graphiql-dark) .cm-s-graphiql .cm-property { color: #00539f !important; }
@media (prefers-color-scheme: dark) { body:not(.graphiql-light) .cm-s-graphiql .cm-property { color: #7ab8ff !important; } }</style>
</head>
<body>
<div id="graphiql"><noscript>This page asks the ledger by a script. The same is answered to POST requests.</noscript></div>
<script src="graphiql/react.js"></script>
<script src="graphiql/react-dom.js"></script>
<script src="graphiql/graphiql.js"></script>
<script src="graphiql/start.js"></script>
</body>
</html>
`.text

/** The files that the page loads. They are read once, when somebody opens it. */
export function serveGraphiql(app: FastifyInstance): void {
  for (const [name, [type, file]] of Object.entries(PACKAGED)) {
    let content: Buffer | undefined
    serve(app, name, type, () => {
      content ??= readFileSync(file)
      return content
    })
  }
  serve(app, 'start.js', SCRIPT, () => START)
}

function serve(app: FastifyInstance, name: string, type: string, content: () => Buffer | string): void {
  app.get(`/graphiql/${name}`, { config: { name: 'graphiql' } }, async (_request, reply) =>
    reply
      .headers({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'public, max-age=3600' })
      .type(type)
      .send(content()),
  )
}
