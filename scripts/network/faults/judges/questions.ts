import type { Product } from '../product.js'
import { authorizationPath, type Ecosystem } from './ecosystem.js'

/**
 * An answer is the right one; a wrong one; a refusal because the ledger is too old; or none, of a service that is
 * just being started again or stopped.
 */
export type Reading = 'right' | 'wrong' | 'refused' | 'none'

/** A question about the present of an ecosystem whose answer is known, and is the same all the time. */
export interface Question {
  name: string
  /** True where an old answer is right too, when it says that it is one: `Accredit-Stale`. */
  mayBeStale?: boolean
  ask(signal: AbortSignal): Promise<Response>
  read(status: number, text: string): Reading
}

interface Asked {
  product: Pick<Product, 'apiUrl' | 'apiKey'>
  ecosystem: Pick<Ecosystem, 'registry' | 'schema' | 'issuer' | 'degree' | 'suspendedAt'>
}

/**
 * Returns the same question in each way in which the product may be asked: whether the ecosystem's issuer is trusted. Two
 * more tell what became of it since it was suspended.
 */
export function questionsOn({ product, ecosystem }: Asked): Question[] {
  const { registry, schema, issuer, degree, suspendedAt } = ecosystem
  const get = (path: string) => (signal: AbortSignal) => fetch(product.apiUrl + path, { signal })
  const post = (path: string, body: unknown) => (signal: AbortSignal) =>
    fetch(product.apiUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'SVC-API-TOKEN': product.apiKey },
      body: JSON.stringify(body),
      signal,
    })
  return [
    {
      name: 'REST',
      ask: get(authorizationPath(ecosystem, issuer)),
      read: asJson<{ authorized?: boolean }>(({ authorized }) => authorized === true),
    },
    {
      name: 'verification',
      ask: post('/verify', { data: degree, trustRegistryId: registry }),
      read: asJson<{ verified?: boolean }>(({ verified }) => verified === true),
    },
    {
      name: 'GraphQL',
      ask: post('/graphql', {
        query:
          'query ($registry: ID!, $did: ID!, $schema: String!) { authorization(registryId: $registry, did: $did, schema: $schema, role: issuer) { authorized } }',
        variables: { registry, did: issuer, schema },
      }),
      read: asJson<GraphqlAnswer>(({ data }) => data?.authorization?.authorized === true),
    },
    {
      name: 'TRQP',
      ask: post('/trqp/authorization', {
        authority_id: registry,
        entity_id: issuer,
        action: 'issue',
        resource: schema,
      }),
      read: asJson<{ authorized?: boolean }>(({ authorized }) => authorized === true),
    },
    { name: 'page', ask: get(`/ecosystems/${registry}`), read: asPage(issuer) },
    {
      name: 'difference',
      ask: get(`/trust-registries/${registry}/diff?from=${suspendedAt}`),
      read: asJson<{ list?: { change: string; did?: string }[] }>(({ list = [] }) =>
        list.some(({ change, did }) => change === 'unsuspended' && did === issuer),
      ),
    },
    {
      name: 'history',
      mayBeStale: true,
      ask: get(`/trust-registries/${registry}/history?event=IssuerUnsuspended&did=${issuer}`),
      read: asJson<{ total?: number }>(({ total = 0 }) => total > 0),
    },
  ]
}

interface GraphqlAnswer {
  data?: { authorization?: { authorized?: boolean } | null }
}

interface Refused {
  type?: string
  /** GraphQL tells refusals in its own form, also beside the status 200. */
  errors?: { extensions?: { type?: string } }[]
}

const TOO_OLD = 'ledger_unavailable'

const asJson =
  <T>(isRight: (answer: T) => boolean) =>
  (status: number, text: string): Reading => {
    const answer = parsed<T & Refused>(text)
    const [type] = [answer?.type, ...(answer?.errors ?? []).map(({ extensions }) => extensions?.type)].filter(Boolean)
    if (type === TOO_OLD && (status === 503 || answer?.errors !== undefined)) return 'refused'
    if (status === 503) return 'none'
    return status === 200 && answer !== undefined && isRight(answer) ? 'right' : 'wrong'
  }

/** The heading of the page that tells a reader that the ledger is too old. */
const NO_LEDGER = 'The ledger cannot be asked now'

/** The standing of a row of the page, as it is told in English of one who is neither suspended nor deactivated. */
const STANDING = '<span class="state">In good standing</span>'

/** Reads the page's row of a participant: the name and the standing of others may stand in other rows. */
const asPage =
  (did: string) =>
  (status: number, text: string): Reading => {
    if (status === 503) return text.includes(NO_LEDGER) ? 'refused' : 'none'
    const row = text.match(/<tr\b.*?<\/tr>/gs)?.find((one) => one.includes(`<bdi class="id">${did}</bdi>`)) ?? ''
    return status === 200 && row.includes('<bdi>University</bdi>') && row.includes(STANDING) ? 'right' : 'wrong'
  }

/** Reads an answer; one that is no JSON, as of a proxy, tells nothing. */
function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
