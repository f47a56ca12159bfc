import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import viewer, { type ApiReferenceConfiguration } from '@scalar/fastify-api-reference'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config.js'
import { invalid } from '../../errors.js'
import { parseUrl } from '../../parse-url.js'

const OTHER_LANGUAGES =
  'c clojure csharp dart fsharp go http java julia kotlin objc ocaml php powershell r ruby rust swift'.split(' ')

/** The viewer's own colours are too pale to be read by everybody. */
const COLOURS = `
.light-mode {
  --scalar-color-2: #454545; --scalar-color-3: #5c5c5c; --scalar-sidebar-search-color: #5c5c5c;
  --scalar-color-green: #006b38; --scalar-color-yellow: #7a5200; --scalar-color-red: #a8201a;
  --scalar-color-blue: #0b4f96; --scalar-color-orange: #8f4200; --scalar-color-purple: #5f35b0;
}
.dark-mode {
  --scalar-color-2: #cfcfcf; --scalar-color-3: #bdbdbd; --scalar-sidebar-search-color: #bdbdbd;
  --scalar-color-green: #4cd28f; --scalar-color-yellow: #ffd166; --scalar-color-red: #ffa39e;
  --scalar-color-blue: #8cc4ff; --scalar-color-orange: #ffb37a; --scalar-color-purple: #cbb2ff;
}`

/** The viewer does not say of its fields with suggestions whether these are open. */
const NAME_FIELDS = `new MutationObserver(() => {
  for (const field of document.querySelectorAll('[role=combobox]:not([aria-expanded])'))
    field.setAttribute('aria-expanded', 'false')
}).observe(document.documentElement, { childList: true, subtree: true })`

/** The viewer has everything off that it would fetch from elsewhere, or send there. */
const VIEWER: Partial<ApiReferenceConfiguration> = {
  pageTitle: 'Accredit API',
  customCss: COLOURS,
  favicon: 'data:,',
  url: '../openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  persistAuth: false,
  defaultOpenFirstTag: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: {
    js: ['axios', 'jquery', 'ofetch', 'xhr'],
    node: ['axios', 'ofetch', 'undici'],
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
    shell: ['httpie', 'wget'],
    ...Object.fromEntries(OTHER_LANGUAGES.map((language) => [language, true])),
  },
  authentication: { preferredSecurityScheme: 'apiKey' },
}

/**
 * The reference of all operations at /docs: a viewer of the OpenAPI document, served whole by us, that asks no other
 * host.
 */
export async function referenceRoutes(app: FastifyInstance, { apiUrl }: Pick<Config, 'apiUrl'>): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, name: 'docs' }
    })
    scope.addHook('onRequest', async ({ hostname }) => {
      if (parseUrl(`http://${hostname}`) === undefined) throw invalid('The header Host names no host')
    })
    scope.addHook('onSend', async (request, reply, payload) => {
      if (reply.statusCode !== 200 || typeof payload !== 'string') return payload
      reply.header('x-content-type-options', 'nosniff')
      if (isPage(reply)) {
        const page = completed(payload)
        reply.header('content-security-policy', policyFor(page, new URL(apiUrl).origin))
        return page
      }
      return compressed(request, reply, payload)
    })
    await scope.register(viewer, { routePrefix: '/docs', configuration: VIEWER })
  })
}

/** The viewer's page, with its language and what its fields lack. */
const completed = (page: string): string =>
  page.replace(/<html(?=>)/, '<html lang="en"').replace('</body>', `<script>${NAME_FIELDS}</script></body>`)

const isPage = (reply: FastifyReply): boolean => String(reply.getHeader('content-type')).startsWith('text/html')

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g

/** The policy allows scripts of ours and the one in the page, and requests to us and to our public address. */
function policyFor(page: string, apiOrigin: string): string {
  const inline = [...page.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${inline.join(' ')}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${apiOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const zipped = new Map<string, Promise<Buffer>>()

/** The files are megabytes that change with a release only: they are compressed once. */
async function compressed(request: FastifyRequest, reply: FastifyReply, script: string): Promise<string | Buffer> {
  reply.headers({ 'cache-control': 'public, max-age=3600', vary: 'Accept-Encoding' })
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return script
  const known = zipped.get(script) ?? promisify(gzip)(script)
  zipped.set(script, known)
  const bytes = await known
  reply.headers({ 'content-encoding': 'gzip', 'content-length': bytes.length })
  return bytes
}
