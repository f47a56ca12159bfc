import './health.tables.js'
import { Type } from 'typebox'
import { pageHeaders } from '../pages/layout.js'
import { refusalPages } from '../pages/refusal-page.js'
import { wordsFor } from '../pages/words.js'
import { HTML } from '../platform/http/accept.js'
import { operation } from '../platform/http/operation.js'
import { statusFacts } from './status-facts.js'
import { statusPage } from './status-page.js'

export const getStatusPage = operation({
  method: 'GET',
  url: '/status',
  operationId: 'getStatusPage',
  tags: ['pages'],
  summary: 'Show people what works',
  description:
    'A page in HTML that needs no script: which parts of the service work, how far behind the ledger its index is, and what did not work in the last 90 days. In the language that `Accept-Language` prefers of English and Turkish. Programs ask GET /ready and GET /ledger/status.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  response: { 200: Type.String() },
  limits: { concurrencyPerAddress: 4 },
  mediaTypes: [HTML],
  refusals: refusalPages,
  handler: async (ctx) => {
    const words = wordsFor(ctx.acceptLanguage)
    const facts = await statusFacts(ctx)
    for (const [name, value] of Object.entries(pageHeaders(words))) ctx.reply.header(name, value)
    ctx.reply.type(`${HTML}; charset=utf-8`)
    return statusPage(facts, words)
  },
})
