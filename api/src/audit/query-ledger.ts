import { type Did, type Hex32, parseHex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { didParam } from '../ecosystems/did-param.js'
import { parseSchemaRef } from '../ecosystems/schema-ref.js'
import { AtBody, answerAt } from '../ledger/at.js'
import type { IndexDb } from '../ledger/index-db.js'
import { type Answer, type Paging, registriesInfo, registryIds, registrySchemaIds } from '../ledger/queries.js'
import type { LedgerFilter } from '../ledger/query-filter.js'
import { registrySchemasMetadata } from '../ledger/schemas-metadata.js'
import { invalid } from '../platform/errors.js'
import { hexId, schemaRefText } from '../platform/identifiers.js'
import { operation } from '../platform/operation.js'

const ANY_OF_MAX = 64

const anyOf = (item = Type.String({ maxLength: 1024 })) =>
  Type.Object({ AnyOf: Type.Array(item, { maxItems: ANY_OF_MAX }) })
const AnyOf = anyOf()

const Body = Type.Object({
  did: Type.Optional(Type.String({ maxLength: 200 })),
  registryId: Type.Optional(hexId('trustRegistry')),
  filter: Type.Optional(
    Type.Object({
      issuers: Type.Optional(AnyOf),
      verifiers: Type.Optional(AnyOf),
      issuersOrVerifiers: Type.Optional(AnyOf),
      schemaIds: Type.Optional(anyOf(schemaRefText())),
    }),
  ),
  at: AtBody,
  cursor: Type.Optional(Type.String({ maxLength: 80, description: 'next of the page before' })),
})
type Body = Static<typeof Body>

/** What a query can use of the body; each asks for what it needs. */
interface Question {
  index: IndexDb
  paging: Paging
  did(): Did
  registryId(): Hex32
  filter(): LedgerFilter
}

/** The eight queries of the ledger, by the names of the specification. */
const QUERIES = {
  verifiersTrustRegistries: ({ index, paging, did }) => registryIds(index, { verifiers: [did()] }, paging),
  issuersTrustRegistries: ({ index, paging, did }) => registryIds(index, { issuers: [did()] }, paging),
  registriesIds: ({ index, paging, filter }) => registryIds(index, filter(), paging),
  trustRegistryVerifierSchemas: ({ index, paging, did, registryId }) =>
    registrySchemaIds(index, registryId(), { verifiers: [did()] }, paging),
  trustRegistryIssuerSchemas: ({ index, paging, did, registryId }) =>
    registrySchemaIds(index, registryId(), { issuers: [did()] }, paging),
  registrySchemaIds: ({ index, paging, filter, registryId }) =>
    registrySchemaIds(index, registryId(), filter(), paging),
  registriesInfo: ({ index, paging, filter }) => registriesInfo(index, filter(), paging),
  registrySchemasMetadata: ({ index, paging, filter, registryId }) =>
    registrySchemasMetadata(index, registryId(), filter(), paging),
} satisfies Record<string, (question: Question) => Promise<Answer<unknown>>>

type QueryName = keyof typeof QUERIES
export const QUERY_NAMES = Object.keys(QUERIES).filter((name): name is QueryName => name in QUERIES)

export const queryLedger = operation({
  method: 'POST',
  url: '/ledger/queries/:name',
  operationId: 'queryLedger',
  tags: ['ledger'],
  summary: 'Ask one of the eight queries of the ledger',
  description:
    'The queries of the trust registry ledger, answered for any block or instant. Fields of a filter combine by intersection, ' +
    'the ids in AnyOf by union; a filter that names nothing matches nothing, and unknown ids are ignored. ' +
    '`issuers` finds direct and delegated issuers; `verifiers` finds listed ones.',
  auth: 'public',
  tenancy: 'public',
  input: 'deciding',
  params: Type.Object({ name: Type.Enum(QUERY_NAMES) }),
  body: Body,
  response: {
    200: Type.Object({
      list: Type.Array(Type.Any(), { description: 'Ids in their order, or what is known of each' }),
      next: Type.Union([Type.String(), Type.Null()], {
        description: 'The cursor of the next page; null: this is the last',
      }),
    }),
  },
  codes: [400, 503],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, body }) => {
    const needs = questionOf(body)
    const at = await answerAt(ctx, body.at)
    return QUERIES[params.name]({ ...needs, index: ctx.index, paging: { at, cursor: cursorOf(body) } })
  },
})

function questionOf(body: Body): Pick<Question, 'did' | 'registryId' | 'filter'> {
  return {
    did: () => didParam(needed(body.did, 'did'), 'did'),
    registryId: () => hashOf(needed(body.registryId, 'registryId'), 'registryId'),
    filter: () => filterOf(body.filter ?? {}),
  }
}

function needed(value: string | undefined, field: string): string {
  if (value === undefined) throw invalid(`This query needs ${field}`)
  return value
}

function hashOf(text: string, field: string): Hex32 {
  const id = parseHex32(text)
  if (id === undefined) throw invalid(`${field} must be 64 hexadecimal digits`)
  return id
}

function cursorOf({ cursor }: Body): string | undefined {
  return cursor === undefined ? undefined : hashOf(cursor, 'cursor')
}

function filterOf({ issuers, verifiers, issuersOrVerifiers, schemaIds }: NonNullable<Body['filter']>): LedgerFilter {
  const dids = (field: string, named: Static<typeof AnyOf>) =>
    named.AnyOf.map((did) => didParam(did, `filter.${field}`))
  return {
    ...(issuers && { issuers: dids('issuers', issuers) }),
    ...(verifiers && { verifiers: dids('verifiers', verifiers) }),
    ...(issuersOrVerifiers && { issuersOrVerifiers: dids('issuersOrVerifiers', issuersOrVerifiers) }),
    ...(schemaIds && { schemaIds: schemaIds.AnyOf.map((text) => parseSchemaRef(text, 'filter.schemaIds').hash) }),
  }
}
