import { randomBytes } from 'node:crypto'
import type { Client } from '../../tour/client.js'
import { emptyRegistry, institutions } from '../institutions.js'
import type { Attack, AttackRequest } from './attack.js'

export interface Scene {
  title: string
  /** Makes the attacker's data, with its own key, before it begins; undefined: nobody attacks. */
  prepare?(client: Client): Promise<Attack>
}

const post = (path: string, body: unknown): AttackRequest => ({ method: 'POST', path, body: JSON.stringify(body) })
const get = (path: string): AttackRequest => ({ method: 'GET', path })
const flood = (...requests: AttackRequest[]): Attack => ({ kind: 'flood', requests })

interface Credential {
  id: string
  [member: string]: unknown
}

export const SCENES: Record<string, Scene> = {
  nobody: { title: 'nobody' },
  'slow-bodies': {
    title: 'bodies of 0.5 MB, a byte in half a second',
    prepare: async () => ({ kind: 'slow', requests: [{ ...post('/verify', ''), body: ' '.repeat(500_000) }] }),
  },
  'large-bodies': {
    title: 'presentations and credentials of 0.5 MB',
    prepare: async (client) => {
      const issue = await issuer(client)
      const credential = await issue({ subject: claims(15_000) })
      const copies = Array.from({ length: 30 }, (_, n) => ({ ...credential, id: `${credential.id}${n}` }))
      const presentation = { '@context': credential['@context'], type: ['VerifiablePresentation'] }
      return flood(
        post('/verify', { ...presentation, verifiableCredential: copies }),
        post('/verify', { ...credential, credentialSubject: claims(490_000) }),
        post('/credentials', { credential: { type: ['X'], subject: claims(490_000) } }),
      )
    },
  },
  schemas: {
    title: 'schemas of nested `allOf` and `$ref`',
    prepare: async (client) => {
      const issue = await issuer(client)
      const credential = await issue({ subject: { name: 'A' } })
      const withSchema = {
        ...credential,
        credentialSchema: { id: await dearest(client), type: 'JsonSchemaValidator2018' },
      }
      return flood(post('/verify', withSchema), post('/schemas', bomb(20)))
    },
  },
  'many-schemas': {
    title: 'many ordinary schemas',
    prepare: async (client) => {
      const issue = await issuer(client)
      const credential = await issue({ subject: { name: 'A' } })
      const uris = await Promise.all(Array.from({ length: 120 }, (_, n) => hosted(client, ordinary(n))))
      return flood(
        ...uris.map((id) =>
          post('/verify', { ...credential, credentialSchema: { id, type: 'JsonSchemaValidator2018' } }),
        ),
      )
    },
  },
  dids: { title: 'a flood of `POST /dids`', prepare: async () => flood(post('/dids', {})) },
  verify: {
    title: 'a flood of `/verify`',
    prepare: async (client) => flood(post('/verify', await (await issuer(client))({ subject: { name: 'A' } }))),
  },
  reads: {
    title: 'a flood of reads',
    prepare: async (client) => {
      const { did } = await client.call<{ did: string }>('POST', '/dids', {})
      return flood(get(`/dids/${did}`), get('/dids'), get('/openapi.json'), get('/nothing-here'))
    },
  },
  passwords: {
    title: 'wrong passwords of persisted credentials',
    prepare: async (client) => {
      const issue = await issuer(client)
      const ids = await Promise.all(
        Array.from({ length: 20 }, () => issue({ subject: { name: 'A' } }, { persist: true, password: 'right-one' })),
      )
      const wrong = () => randomBytes(12).toString('base64url')
      return flood(
        ...ids.flatMap(({ id }) => [
          get(`${new URL(id).pathname}?p=${wrong()}`),
          get(`/credentials/${encodeURIComponent(id)}?password=${wrong()}`),
        ]),
      )
    },
  },
  bulk: {
    title: '10,000 institutions listed at once',
    prepare: async (client) => {
      const registry = await emptyRegistry(client)
      return flood(post(`/trust-registries/${registry}/participants/bulk`, institutions()))
    },
  },
  'bulk-of-nothing': {
    title: 'lists of 16 MB whose rows are none',
    prepare: async (client) => {
      const registry = await emptyRegistry(client)
      return flood(post(`/trust-registries/${registry}/participants/bulk`, Array(1_800_000).fill({ a: 1 })))
    },
  },
  contexts: {
    title: 'credentials under large contexts',
    prepare: async (client) => {
      const issue = await issuer(client)
      const hosting = Array.from({ length: 3 }, (_, n) => hosted(client, wide(n)))
      const urls = (await Promise.all(hosting)).map((uri) =>
        uri.replace('/schemas/', '/contexts/').replace(/json$/, 'jsonld'),
      )
      const credential = await issue({ subject: { name: 'A' }, context: urls })
      const context = Array.isArray(credential['@context']) ? credential['@context'] : []
      return flood(
        ...[0, 1, 2].map((turn) => {
          const others = context.filter((part) => !urls.includes(part))
          const turned = [...urls.slice(turn), ...urls.slice(0, turn)]
          return post('/verify', { ...credential, '@context': [others[0], ...turned, ...others.slice(1)] })
        }),
        post('/credentials', { credential: { type: ['X'], context: urls, subject: { name: 'A' } } }),
      )
    },
  },
  'large-pages': {
    title: 'pages of 4 MB and of 1,000 events',
    prepare: async (client) => {
      for (let n = 0; n < 64; n++) await hosted(client, { ...ordinary(n), description: 'x'.repeat(50_000) })
      return flood(get('/schemas'), get('/ledger/events?limit=1000'))
    },
  },
  graphql: {
    title: 'the dearest GraphQL query that is taken',
    prepare: async (client) => {
      for (let n = 0; n < 100; n++) await client.call('POST', '/dids', {})
      return flood(post('/graphql', { query: await dearestQuery(client) }))
    },
  },
  leaving: {
    title: 'requests of which no answer is awaited',
    prepare: async (client) => {
      const credential = await (await issuer(client))({ subject: { name: 'A' } })
      return {
        kind: 'leave',
        requests: [post('/verify', credential), post('/dids', {}), get('/ledger/events?limit=1000')],
      }
    },
  },
  // This scene is the last: its address is not read for a while after it.
  pipelining: {
    title: 'requests without end, answers not read',
    prepare: async () => ({ kind: 'unread', requests: [get('/openapi.json'), get('/jobs/1'), get('/schemas')] }),
  },
}

type Issue = (credential: object, request?: object) => Promise<Credential>

async function issuer(client: Client): Promise<Issue> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  return (credential, request = {}) =>
    client.call('POST', '/credentials', { ...request, credential: { type: ['X'], issuer: did, ...credential } })
}

/** A body of so many bytes, in as many members as a credential may have. */
const claims = (bytes: number) =>
  Object.fromEntries(Array.from({ length: 95 }, (_, n) => [`claim${n}`, 'x'.repeat(Math.ceil(bytes / 95) - 12)]))

const hosted = async (client: Client, schema: object): Promise<string> =>
  (await client.call<{ data: { uri: string } }>('POST', '/schemas', schema)).data.uri

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The most expensive schema that is still taken. */
async function dearest(client: Client): Promise<string> {
  for (let parts = 19; parts > 0; parts--) {
    const uri = await hosted(client, bomb(parts)).catch(() => undefined)
    if (uri !== undefined) return uri
  }
  throw new Error('the service takes no schema of parts at all')
}

/** Four readings of each DID, of as many DIDs as one may ask for at once. */
async function dearestQuery(client: Client): Promise<string> {
  const each = 'a: events(first: 1) { nodes { id } } b: events(first: 1, order: asc) { nodes { id } } document'
  for (let first = 100; first > 0; first--) {
    const query = `{ dids(first: ${first}) { nodes { ${each} rights(first: 1) { nodes { schemaId } } } } }`
    const { data } = await client.call<{ data?: unknown }>('POST', '/graphql', { query })
    if (data) return query
  }
  throw new Error('the service takes no GraphQL query of this kind')
}

/** Each of its parts asks twice for the next one. */
function bomb(parts: number): object {
  const part = (n: number) => ({ allOf: [{ $ref: `#/definitions/p${n + 1}` }, { $ref: `#/definitions/p${n + 1}` }] })
  const definitions = Object.fromEntries(Array.from({ length: parts }, (_, n) => [`p${n}`, part(n)]))
  return {
    $schema: DRAFT,
    name: 'Bomb',
    type: 'object',
    allOf: [{ $ref: '#/definitions/p0' }],
    definitions: { ...definitions, [`p${parts}`]: { type: 'object' } },
  }
}

/** Makes as many terms as a schema may bring into its context. */
const wide = (n: number): object => ({
  $schema: DRAFT,
  name: `Wide ${n}`,
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 2_400 }, (_, m) => [`w${n}x${m}`, {}])),
})

function ordinary(n: number): object {
  const members = Array.from({ length: 60 }, (_, m) => [
    `member${m}_${n}`,
    { type: 'string', minLength: 1, maxLength: 100 + m, pattern: `^[a-z${m % 10}]+$` },
  ])
  return { $schema: DRAFT, name: `Ordinary ${n}`, type: 'object', properties: Object.fromEntries(members) }
}
