import { type Did, type Hex32, parseHex32 } from '@accredit/chain'
import { type Static, Type } from 'typebox'
import { namedDid } from '../dids/did-param.js'
import { parseSchemaRef } from '../ecosystems/names/schema-ref.js'
import { AtBody, answerAt } from '../ledger/read/at.js'
import type { IndexDb } from '../ledger/read/index-db.js'
import { type Answer, type Paging, registriesInfo, registryIds, registrySchemaIds } from '../ledger/read/queries.js'
import type { LedgerFilter } from '../ledger/read/query-filter.js'
import { registrySchemasMetadata } from '../ledger/read/schemas-metadata.js'
import { invalid } from '../platform/errors.js'
import { hexId, schemaRefText } from '../platform/http/identifiers.js'
import { operation } from '../platform/http/operation.js'
import { refusalOf } from '../platform/http/problems.js'
import { EXAMPLE } from '../platform/http/reference/examples.js'

const ANY_OF_MAX = 64

const anyOf = (description: string, item = Type.String({ maxLength: 1024 })) =>
  Type.Object(
    { AnyOf: Type.Array(item, { maxItems: ANY_OF_MAX, description: 'Whoever or whatever is one of these' }) },
    { description },
  )

const Body = Type.Object({
  did: Type.Optional(
    Type.String({ maxLength: 512, description: 'The DID that is asked about, where the query is about one' }),
  ),
  registryId: Type.Optional(hexId('trustRegistry')),
  filter: Type.Optional(
    Type.Object(
      {
        issuers: Type.Optional(anyOf('Only schemas that one of these issues')),
        verifiers: Type.Optional(anyOf('Only schemas that one of these verifies')),
        issuersOrVerifiers: Type.Optional(anyOf('Only schemas that one of these issues or verifies')),
        schemaIds: Type.Optional(anyOf('Only these schemas', schemaRefText())),
      },
      { description: 'The filter of the answer; left out: everything' },
    ),
  ),
  at: AtBody,
  cursor: Type.Optional(Type.String({ maxLength: 80, description: 'next of the page before' })),
})
type Body = Static<typeof Body>

/** The parts of the body that a query can use; each query requires those that it needs. */
interface Question {
  index: IndexDb
  paging: Paging
  did(): Did
  registryId(): Hex32
  filter(): LedgerFilter
}

type Need = 'did' | 'registryId' | 'filter'

interface LedgerQuery {
  /** The members of the body that it reads. Any other would be a condition that no code checks. */
  needs: readonly Need[]
  ask(question: Question): Promise<Answer<unknown>>
}

/** The eight queries of the ledger, by the names of the specification. */
export const QUERIES = {
  verifiersTrustRegistries: {
    needs: ['did'],
    ask: ({ index, paging, did }) => registryIds(index, { verifiers: [did()] }, paging),
  },
  issuersTrustRegistries: {
    needs: ['did'],
    ask: ({ index, paging, did }) => registryIds(index, { issuers: [did()] }, paging),
  },
  registriesIds: { needs: ['filter'], ask: ({ index, paging, filter }) => registryIds(index, filter(), paging) },
  trustRegistryVerifierSchemas: {
    needs: ['did', 'registryId'],
    ask: ({ index, paging, did, registryId }) => registrySchemaIds(index, registryId(), { verifiers: [did()] }, paging),
  },
  trustRegistryIssuerSchemas: {
    needs: ['did', 'registryId'],
    ask: ({ index, paging, did, registryId }) => registrySchemaIds(index, registryId(), { issuers: [did()] }, paging),
  },
  registrySchemaIds: {
    needs: ['registryId', 'filter'],
    ask: ({ index, paging, filter, registryId }) => registrySchemaIds(index, registryId(), filter(), paging),
  },
  registriesInfo: { needs: ['filter'], ask: ({ index, paging, filter }) => registriesInfo(index, filter(), paging) },
  registrySchemasMetadata: {
    needs: ['registryId', 'filter'],
    ask: ({ index, paging, filter, registryId }) => registrySchemasMetadata(index, registryId(), filter(), paging),
  },
} satisfies Record<string, LedgerQuery>

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
  params: Type.Object({ name: Type.Enum(QUERY_NAMES, { description: 'The name of the query' }) }),
  body: Body,
  examples: {
    'Issuers and verifiers of a schema': {
      registryId: EXAMPLE.trustRegistry,
      filter: { schemaIds: { AnyOf: [EXAMPLE.schema] } },
    },
  },
  response: {
    200: Type.Object({
      list: Type.Array(Type.Any(), { description: 'Ids in their order, or what is known of each' }),
      next: Type.Union([Type.String(), Type.Null()], {
        description: 'The cursor of the next page; null: this is the last',
      }),
    }),
  },
  errors: ['ledger_unavailable'],
  limits: { concurrencyPerAddress: 8 },
  handler: async (ctx, { params, body }) => {
    const query: LedgerQuery = QUERIES[params.name]
    const question = questionOf(body)
    refuseUnread(params.name, query.needs, body)
    const at = await answerAt(ctx, body.at)
    return query.ask({ ...question, index: ctx.index, paging: { at, cursor: cursorOf(body) } })
  },
})

const NEEDS: readonly Need[] = ['did', 'registryId', 'filter']

function refuseUnread(name: QueryName, needs: readonly Need[], body: Body): void {
  const unread = NEEDS.filter((need) => body[need] !== undefined && !needs.includes(need))
  if (unread.length === 0) return
  const message = (need: Need) => `${name} does not ask by ${need}, only by ${needs.join(' and ')}: leave it out`
  throw refusalOf(unread.map((need) => ({ path: `/${need}`, message: message(need), isUnknown: true })))
}

function questionOf(body: Body): Pick<Question, 'did' | 'registryId' | 'filter'> {
  return {
    did: () => namedDid(needed(body.did, 'did'), 'did'),
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
  const dids = (field: string, named: Static<ReturnType<typeof anyOf>>) =>
    named.AnyOf.map((did) => namedDid(did, `filter.${field}`))
  return {
    ...(issuers && { issuers: dids('issuers', issuers) }),
    ...(verifiers && { verifiers: dids('verifiers', verifiers) }),
    ...(issuersOrVerifiers && { issuersOrVerifiers: dids('issuersOrVerifiers', issuersOrVerifiers) }),
    ...(schemaIds && { schemaIds: schemaIds.AnyOf.map((text) => parseSchemaRef(text, 'filter.schemaIds').hash) }),
  }
}
