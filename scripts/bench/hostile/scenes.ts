import { randomBytes } from 'node:crypto'
import type { Client } from '../../tour/client.js'
import { emptyRegistry, institutions } from '../institutions.js'
import type { Attack, AttackRequest } from './attack.js'
import { bomb, dearest, dearestQuery, hosted, ordinary, wide } from './costly.js'
import { derivedPresentations } from './derived.js'

export interface Scene {
  title: string
  /** Makes the attacker's data, with its own key, before it begins; undefined: nobody attacks. */
  prepare?(client: Client): Promise<Attack>
}

const post = (path: string, body: unknown, reaches = '200'): AttackRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify(body),
  reaches,
})
const get = (path: string, reaches = '200'): AttackRequest => ({ method: 'GET', path, reaches })
const flood = (...requests: AttackRequest[]): Attack => ({ kind: 'flood', requests })

interface Credential {
  id: string
  proof: object
  '@context': unknown[]
  [member: string]: unknown
}

export const SCENES: Record<string, Scene> = {
  nobody: { title: 'nobody' },
  'slow-bodies': {
    title: 'bodies of 0.5 MB, a byte in half a second',
    prepare: async () => ({ kind: 'slow', requests: [{ method: 'POST', path: '/verify', body: ' '.repeat(500_000) }] }),
  },
  'large-bodies': {
    title: 'presentations of 0.5 MB and credentials of 60 kB',
    prepare: async (client) => {
      const issue = await issuer(client)
      const credential = await issue({ subject: claims(15_000) })
      return flood(
        post('/verify', presented(credential, copies(credential, 22)), 'proof invalid_signature'),
        post('/verify', { ...credential, credentialSubject: claims(55_000) }, 'proof invalid_signature'),
        post('/credentials', { credential: { type: ['X'], subject: claims(55_000) } }),
      )
    },
  },
  proofs: {
    title: 'credentials with eight proofs, each a document of its own',
    prepare: async (client) => {
      const credential = await (await issuer(client))({ subject: { name: 'A' } })
      const proof = Array.from({ length: 8 }, (_, n) => ({ ...credential.proof, nonce: `${n}` }))
      const manifold = copies(credential, 20).map((copy) => ({ ...copy, proof }))
      return flood(
        post('/verify', { ...credential, proof }, 'proof invalid_signature'),
        post('/verify', presented(credential, manifold), 'proof invalid_signature'),
      )
    },
  },
  'turned-contexts': {
    title: 'presentations whose credentials name large contexts in many orders',
    prepare: async (client) => {
      const urls = await wideContexts(client, 6)
      const issue = await issuer(client)
      const credential = await issue({ subject: { name: 'A' }, context: urls })
      const [v1, ...others] = credential['@context'].filter((part) => !urls.some((url) => url === part))
      const inOrder = (names: string[]) => [v1, ...names, ...others]
      const turned = (count: number, each: number) =>
        copies(credential, count).map((copy, n) => ({ ...copy, '@context': inOrder(order(urls, n).slice(0, each)) }))
      const plain = { ...credential, '@context': [v1, ...others] }
      return flood(
        post('/verify', presented(plain, turned(32, 6)), 'proof too_large'),
        post('/verify', presented(plain, turned(6, 2)), 'proof invalid_signature'),
        post(
          '/verify',
          { ...credential, '@context': [v1, ...Array(500).fill(SCHEMA_ORG).flat()] },
          'structure malformed',
        ),
      )
    },
  },
  'derived-presentations': {
    title: 'presentations of eight BBS credentials, derived by their holder',
    prepare: async (client) =>
      flood(
        ...(await derivedPresentations(client, 4)).map((presentation) =>
          post('/verify', { data: presentation }, 'proof passed'),
        ),
      ),
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
      return flood(post('/verify', withSchema, 'schema'), post('/schemas', bomb(20), '400'))
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
          post(
            '/verify',
            { ...credential, credentialSchema: { id, type: 'JsonSchemaValidator2018' } },
            'schema passed',
          ),
        ),
      )
    },
  },
  dids: { title: 'a flood of `POST /dids`', prepare: async () => flood(post('/dids', {})) },
  verify: {
    title: 'a flood of `/verify`',
    prepare: async (client) =>
      flood(post('/verify', await (await issuer(client))({ subject: { name: 'A' } }), 'proof passed')),
  },
  reads: {
    title: 'a flood of reads',
    prepare: async (client) => {
      const { did } = await client.call<{ did: string }>('POST', '/dids', {})
      return flood(get(`/dids/${did}`), get('/dids'), get('/openapi.json'), get('/nothing-here', '404'))
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
          get(`${new URL(id).pathname}?p=${wrong()}`, '404'),
          get(`/credentials/${encodeURIComponent(id)}?password=${wrong()}`, '401'),
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
      return flood(post(`/trust-registries/${registry}/participants/bulk`, Array(1_800_000).fill({ a: 1 }), '400'))
    },
  },
  contexts: {
    title: 'credentials under large contexts',
    prepare: async (client) => {
      const issue = await issuer(client)
      const urls = await wideContexts(client, 3)
      const credential = await issue({ subject: { name: 'A' }, context: urls })
      const context = credential['@context']
      return flood(
        ...[0, 1, 2].map((turn) => {
          const others = context.filter((part) => !urls.some((url) => url === part))
          const turned = [...urls.slice(turn), ...urls.slice(0, turn)]
          return post('/verify', { ...credential, '@context': [others[0], ...turned, ...others.slice(1)] }, 'proof')
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
        requests: [post('/verify', credential, 'proof passed'), post('/dids', {}), get('/ledger/events?limit=1000')],
      }
    },
  },
  // This scene is the last: its address is not read for a while after it.
  pipelining: {
    title: 'requests without end, answers not read',
    prepare: async () => ({ kind: 'unread', requests: [get('/openapi.json'), get('/jobs/1', '404'), get('/schemas')] }),
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

const copies = (credential: Credential, count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...credential, id: `${credential.id}${n}` }))

/** A presentation with a proof by a key that is there, so that it is read to the end. */
const presented = ({ '@context': context, proof }: Credential, verifiableCredential: object[]) => ({
  '@context': context,
  type: ['VerifiablePresentation'],
  verifiableCredential,
  proof: { ...proof, proofPurpose: 'authentication' },
})

const SCHEMA_ORG = ['https://schema.org', 'http://schema.org']

/** Large contexts that the service hosts, by their URLs. */
async function wideContexts(client: Client, count: number): Promise<string[]> {
  const uris = await Promise.all(Array.from({ length: count }, (_, n) => hosted(client, wide(n))))
  return uris.map((uri) => uri.replace('/schema-documents/', '/contexts/').replace(/json$/, 'jsonld'))
}

/** One of the orders of some items, another one for each number below the number of all. */
function order<T>(items: readonly T[], n: number): T[] {
  const left = [...items]
  const turned: T[] = []
  for (let rest = n; left.length > 0; rest = Math.floor(rest / (left.length + 1)))
    turned.push(...left.splice(rest % left.length, 1))
  return turned
}
