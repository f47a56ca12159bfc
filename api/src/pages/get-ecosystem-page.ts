import { Type } from 'typebox'
import { HTML } from '../platform/http/accept.js'
import { TrustRegistryRef } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { ecosystemFacts } from './ecosystem-facts.js'
import { ecosystemPage } from './ecosystem-page.js'
import { pageHeaders } from './layout.js'
import { pagePoint } from './page-point.js'
import { importMap } from './proof/proof-section.js'
import { refusalPages } from './refusal-page.js'
import { checkingPolicy } from './style.js'
import { wordsFor } from './words.js'

export const getEcosystemPage = operation({
  method: 'GET',
  url: '/ecosystems/:slug',
  operationId: 'getEcosystemPage',
  tags: ['pages'],
  summary: 'Show an ecosystem to people',
  description:
    'A page in HTML that needs no script: who convenes, who takes part, the governance text, what happened; now, or as it was. On a network of validators it offers what proves it, and checks that by a script where there is one. In the language that `Accept-Language` prefers of English and Turkish. Under a slug that it had before it redirects to the present one; 410 when the registry was removed. Refusals are pages too.',
  auth: 'public',
  tenancy: 'public',
  input: 'standard',
  params: Type.Object({ slug: TrustRegistryRef }),
  querystring: Type.Object({
    at: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'As elsewhere; besides a moment without offset, which is UTC, and a day, which is its last moment in UTC',
      }),
    ),
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'A part of the name, in any case and with or without accents, or of the DID of participants',
      }),
    ),
    page: Type.Integer({ minimum: 1, maximum: 100_000, default: 1, description: 'Of the participants' }),
    before: Type.Optional(Type.String({ maxLength: 64, description: 'Of what happened: where the page before ended' })),
  }),
  response: { 200: Type.String() },
  errors: ['moved', 'not_found', 'gone', 'ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  mediaTypes: [HTML],
  refusals: refusalPages,
  handler: async (ctx, { params, query }) => {
    const words = wordsFor(ctx.acceptLanguage)
    const { point, at } = await pagePoint(ctx, query.at, words)
    const facts = await ecosystemFacts(ctx, params.slug, { ...query, at }, point, words)
    for (const [name, value] of Object.entries(pageHeaders(words))) ctx.reply.header(name, value)
    if (facts.isProvable) ctx.reply.header('Content-Security-Policy', checkingPolicy(importMap(), ctx.config.apiUrl))
    ctx.reply.type(`${HTML}; charset=utf-8`)
    return ecosystemPage(facts)
  },
})
