import {
  type AuthorizationAnswer,
  type Hex32,
  type ViewCall,
  type ViewFilter,
  ViewFunctionError,
} from '@accredit/chain'
import { expect } from 'vitest'
import { type Answer, type Request, requestsWith } from '../../support/requests.js'
import type { AuthorizationQuestion } from './authorizations.js'
import type { LedgerWriter, Written } from './ledger-writer.js'
import { type Question, registriesInfo, schemasMetadata, views } from './questions.js'
import { inOrderOfText, schemasFromCsv } from './registry-from-csv.js'

/** A point in time as a request names it, and the block that it means. */
export interface Moment {
  readonly at: string
  readonly block: Pick<Written, 'height' | 'hash' | 'time'>
}

interface Connection<Node> {
  readonly nodes: Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const PAGE = 50

/** Puts the same question to the ledger and to the service (REST, GraphQL, TRQP, CSV), and expects the same answer. */
export class AnswerComparison {
  /** The number of questions that are too large for the ledger; the index answers those too. */
  unanswered = 0
  asked = 0
  /** The number of queries that found something. */
  found = 0
  readonly reasons = new Set<string>()
  /** The numbers of authorizations that TRQP was asked for too, and of schemas that were found in CSV. */
  byProtocol = 0
  fromCsv = 0
  private readonly request: Request

  constructor(
    private readonly seed: number,
    apiUrl: string,
    private readonly ledger: LedgerWriter,
  ) {
    this.request = requestsWith(undefined, apiUrl)
  }

  /** @returns everything that was found; undefined where the ledger finds the question too large */
  async query<Item>(question: Question<Item>, moment: Moment): Promise<Item[] | undefined> {
    const all: Item[] = []
    let cursor: Hex32 | undefined
    do {
      const page = await this.view(question.view(cursor), moment)
      if (page === undefined) return undefined
      const body = { ...question.body, at: moment.at, ...(cursor && { cursor }) }
      const answer = await this.request('POST', `/ledger/queries/${question.name}`, body)
      this.expectSame(answer.body, page, question.name, body)
      this.expectBlock(answer, moment, question.name)
      all.push(...page.list)
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    if (all.length > 0) this.found += 1
    return all
  }

  async authorization(question: AuthorizationQuestion, moment: Moment): Promise<void> {
    const expected = await this.view(views.authorized(question), moment)
    if (expected === undefined) return
    this.reasons.add(expected.reason)
    const { registryId, schemaId: schema, did, role } = question
    const asked = new URLSearchParams({ did, schema, role, at: moment.at })
    const answer = await this.request('GET', `/trust-registries/${registryId}/authorization?${asked}`)
    const { since: _since, event: _event, explanation: _explanation, block, time, ...rest } = answer.body
    this.expectSame(rest, expected, 'authorization', question)
    expect({ block, time }).toEqual({ block: moment.block.height, time: new Date(moment.block.time).toISOString() })
    this.expectBlock(answer, moment, 'authorization')
    const told = await this.graphql(
      `query ($registryId: ID!, $did: ID!, $schema: String!, $role: Role!, $at: At) {
        authorization(registryId: $registryId, did: $did, schema: $schema, role: $role, at: $at) { authorized reason via }
      }`,
      { registryId, did, schema, role, at: moment.at },
    )
    const { via, ...said } = Object(told.authorization)
    this.expectSame({ ...said, ...(via !== null && { via }) }, expected, 'authorization (GraphQL)', question)
    await this.authorizationByProtocol(question, expected, moment)
  }

  /** TRQP knows instants only, and the genesis block has none of its own. */
  private async authorizationByProtocol(
    { registryId, schemaId, did, role }: AuthorizationQuestion,
    expected: AuthorizationAnswer,
    { at, block }: Moment,
  ): Promise<void> {
    if (block.height === 0) return
    const time = at === String(block.height) ? new Date(block.time).toISOString() : at
    const query = {
      entity_id: did,
      authority_id: registryId,
      action: role === 'issuer' ? 'issue' : 'verify',
      resource: schemaId,
      context: { time },
    }
    const { status, body } = await this.request('POST', '/trqp/authorization', query)
    this.byProtocol += 1
    // The status tells an authority that never existed.
    const { authorized, evidence } =
      status === 404 ? { authorized: false, evidence: { reason: 'unknown_registry', block: block.height } } : body
    const { reason, via, block: height } = evidence ?? {}
    const said = { authorized, reason, ...(via !== undefined && { via }), height }
    this.expectSame(said, { ...expected, height: block.height }, 'authorization (TRQP)', query)
  }

  /** Works out the participants of a registry from the CSV of its history up to the moment. */
  async registryFromCsv(registryId: Hex32, schemaIds: readonly Hex32[], moment: Moment): Promise<void> {
    const expected = await this.query(schemasMetadata(registryId, { schemaIds: [...schemaIds] }), moment)
    if (expected === undefined) return
    const path = `/trust-registries/${registryId}/history?order=asc&at=${moment.at}`
    const { status, body } = await this.request('GET', path, undefined, { accept: 'text/csv' })
    // The registry did not exist by then.
    const found = status === 404 ? [] : schemasFromCsv(body)
    this.expectSame(found, inOrderOfText(expected), 'schemas (CSV)', { registryId, at: moment.at })
    this.fromCsv += found.length
  }

  /**
   * Compares the registries that a filter finds, and what stands in them; GraphQL finds all of them by a filter without
   * fields.
   */
  async registries(filter: ViewFilter, moment: Moment): Promise<void> {
    const expected = await this.query(registriesInfo(filter), moment)
    if (expected === undefined || Object.keys(filter).length === 0) return
    const { schemaIds: schemas, ...dids } = filter
    const nodes = await this.connection<{ convener: { id: string } }>(
      `registries(filter: $filter, first: ${PAGE}, after: $after, at: $at)`,
      'id name govFramework version convener { id }',
      { variables: '$filter: RegistryFilter', filter: { ...dids, ...(schemas && { schemas }) } },
      moment,
    )
    const found = nodes.map(({ convener, ...facts }) => ({ ...facts, convener: convener.id }))
    const facts = expected.map(({ matches: _, ...facts }) => facts)
    this.expectSame(found, facts, 'registries (GraphQL)', filter)
  }

  /** Compares the schemas of a registry that a filter finds, with all their participants. */
  async schemas(registryId: Hex32, filter: ViewFilter, moment: Moment): Promise<void> {
    const schemas = await this.query(schemasMetadata(registryId, filter), moment)
    for (const { id: schema, issuers, verifiers, issuerCount, verifierCount } of schemas ?? [])
      for (const [role, expected, count] of [
        ['issuer', issuers, issuerCount],
        ['verifier', verifiers, verifierCount],
      ] as const) {
        const nodes = await this.connection<{ did: { id: string }; suspended: boolean; deactivated: boolean }>(
          `participants(registryId: $registryId, schema: $schema, role: $role, first: ${PAGE}, after: $after, at: $at)`,
          'suspended deactivated did { id }',
          { variables: '$registryId: ID!, $schema: String, $role: Role', registryId, schema, role },
          moment,
        )
        // The ledger tells suspensions alone; the service counts a deactivated DID among the suspended.
        const gone = new Set(nodes.filter(({ deactivated }) => deactivated).map(({ did }) => did.id))
        const found = nodes.map(({ did, suspended }) => ({ did: did.id, suspended }))
        const listed = expected.map(({ did, suspended }) => ({ did, suspended: suspended || gone.has(did) }))
        const question = { registryId, schema, role }
        this.expectSame(found.length, count, 'number of participants (GraphQL)', question)
        this.expectSame(found.slice(0, listed.length), listed, 'participants (GraphQL)', question)
      }
  }

  private async connection<Node>(
    field: string,
    nodes: string,
    { variables, ...values }: { variables: string } & Record<string, unknown>,
    { at }: Moment,
  ): Promise<Node[]> {
    const query = `query (${variables}, $after: String, $at: At) {
      found: ${field} { nodes { ${nodes} } pageInfo { hasNextPage endCursor } }
    }`
    const all: Node[] = []
    let after: string | null = null
    do {
      const { found }: { found?: Connection<Node> } = await this.graphql(query, { ...values, after, at })
      if (found === undefined) throw new TypeError(`no connection: ${field}`)
      all.push(...found.nodes)
      after = found.pageInfo.hasNextPage ? found.pageInfo.endCursor : null
    } while (after !== null)
    return all
  }

  private async graphql(query: string, variables: Record<string, unknown>) {
    const { status, body } = await this.request('POST', '/graphql', { query, variables })
    if (status !== 200 || body.errors !== undefined) throw new Error(`${JSON.stringify(body)} to ${query}`)
    return body.data
  }

  /** Returns undefined where the ledger would have to read too much. */
  private async view<Answer>(
    { method, params, decode }: ViewCall<Answer>,
    { block }: Moment,
  ): Promise<Answer | undefined> {
    this.asked += 1
    const result = await this.ledger.ask(method, ...params, block.hash)
    if (typeof result !== 'string' || !result.startsWith('0x')) throw new TypeError('the ledger answers in bytes')
    try {
      return decode(`0x${result.slice(2)}`)
    } catch (error) {
      if (!(error instanceof ViewFunctionError) || error.reason !== 'TooManyReads') throw error
      this.unanswered += 1
      return undefined
    }
  }

  private expectBlock({ headers }: Answer, { at, block }: Moment, name: string): void {
    expect(headers.get('accredit-block'), `${name} at ${at}`).toBe(String(block.height))
  }

  private expectSame(service: unknown, ledger: unknown, name: string, question: object): void {
    expect(service, `seed ${this.seed}: ${name} ${JSON.stringify(question)}`).toEqual(ledger)
  }
}
