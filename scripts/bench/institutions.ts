import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { didKey } from '@accredit/chain'
import type { Client } from '../tour/client.js'
import { type Measured, measure } from './measure.js'
import type { ProcessorMeter } from './processor-time.js'

const [degree, diploma, transcript] = ['degree', 'diploma', 'transcript'].map(
  (name) => `https://schema.example/${name}.json`,
)

interface Institution {
  did: string
  name: string
  issuerSchemas: (string | undefined)[]
  verifierSchemas: (string | undefined)[]
}

/** Real schools and universities, each with a did:key that follows from its domain, or from one below it. */
export function institutions(below = ''): Institution[] {
  const [, ...rows] = readFileSync(new URL('../../bench/institutions.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return rows.map((row, index) => {
    const [main = '', name = main] = row.split('\t')
    const domain = below + main
    const publicKey: `0x${string}` = `0x${createHash('sha256').update(domain).digest('hex')}`
    return {
      did: didKey({ kind: 'Ed25519', publicKey }) ?? '',
      name: name.slice(0, 256),
      issuerSchemas: index % 3 === 0 ? [degree, diploma] : [degree],
      verifierSchemas: index % 2 === 0 ? [transcript] : [],
    }
  })
}

/** As many as a request may list. */
const OF_ONE_REQUEST = 10_000
const MANY = 100_000

/** Lists a hundred thousand in one registry, in ten requests: the real ones, and faculties of theirs. */
export async function measureManyInstitutions(
  client: Client,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const registry = await emptyRegistry(client)
  const metered = meter()
  const begun = performance.now()
  for (let faculty = 0; faculty < MANY / OF_ONE_REQUEST; faculty++)
    await listed(client, registry, institutions(faculty === 0 ? '' : `faculty-${faculty}.`))
  const seconds = (performance.now() - begun) / 1000
  const title = `Institutions listed in ten requests, accepted to final (${seconds.toFixed(0)} s)`
  const processorTime = metered(MANY)
  print({ title, wanted: '90 s', count: MANY, perSecond: MANY / seconds, p50: 0, p95: 0, processorTime })
}

async function listed(client: Client, registry: string, rows: readonly Institution[]): Promise<void> {
  const { id } = await client.call<{ id: string }>('POST', `/trust-registries/${registry}/participants/bulk`, rows)
  await client.finished(id, 600_000)
}

/** Lists ten thousand institutions in one registry, then asks everything about it. */
export async function measureInstitutions(
  client: Client,
  meter: ProcessorMeter,
  print: (measured: Measured) => void,
): Promise<void> {
  const rows = institutions()
  const registry = await emptyRegistry(client)
  const metered = meter()
  const { measured } = await measure('', 1, 1, () => listed(client, registry, rows))
  const processorTime = metered(rows.length)
  const seconds = measured.p50 / 1000
  const title = `Institutions listed in one request, accepted to final (${seconds.toFixed(0)} s)`
  print({ title, count: rows.length, perSecond: rows.length / seconds, p50: 0, p95: 0, processorTime })
  for (const [name, ask] of Object.entries(questions(client, registry, rows))) {
    await measure('warm-up', 20, 1, ask)
    print((await measure(`among them: ${name}`, 200, 1, ask, meter)).measured)
  }
}

export async function emptyRegistry(client: Client): Promise<string> {
  const { did, id } = await client.call<{ did: string; id: string }>('POST', '/dids', {})
  await client.finished(id)
  await client.call('POST', '/profiles', { did, name: 'Council of universities' })
  const texts = {
    description: 'Who may award degrees',
    logoUrl: 'https://example.org/logo.png',
    ecosystemUrl: 'https://example.org',
    governanceFramework: '# Rules',
    governanceFrameworkVersion: '1',
  }
  const body = { convener: did, name: 'Universities of the world', ...texts }
  return (await client.settled<{ id: string }>('POST', '/trust-registries', body)).id
}

type Ask = (index: number) => Promise<unknown>

/** Every query, each time about another institution. */
function questions(client: Client, registryId: string, rows: readonly Institution[]): Record<string, Ask> {
  const didAt = (index: number) => rows[(index * 7919) % rows.length]?.did ?? ''
  const path = `/trust-registries/${registryId}`
  const query = (name: string, body: (did: string) => object): [string, Ask] => [
    name,
    (index) => client.call('POST', `/ledger/queries/${name}`, body(didAt(index))),
  ]
  const get =
    (rest: (did: string, index: number) => string): Ask =>
    (index) =>
      client.call('GET', path + rest(didAt(index), index))
  const schema = encodeURIComponent(degree ?? '')
  return {
    ...Object.fromEntries([
      query('verifiersTrustRegistries', (did) => ({ did })),
      query('issuersTrustRegistries', (did) => ({ did })),
      query('registriesIds', (did) => ({ filter: { issuers: { AnyOf: [did] } } })),
      query('trustRegistryVerifierSchemas', (did) => ({ did, registryId })),
      query('trustRegistryIssuerSchemas', (did) => ({ did, registryId })),
      query('registrySchemaIds', (did) => ({ registryId, filter: { issuersOrVerifiers: { AnyOf: [did] } } })),
      query('registriesInfo', (did) => ({ filter: { issuersOrVerifiers: { AnyOf: [did] } } })),
      query('registrySchemasMetadata', () => ({ registryId, filter: { schemaIds: { AnyOf: [degree] } } })),
    ]),
    'trust-registries/query by issuer': (index) =>
      client.call('POST', '/trust-registries/query', { issuerDID: didAt(index) }),
    'trust-registries/query by schema': () => client.call('POST', '/trust-registries/query', { schema: degree }),
    'the registry': get(() => ''),
    'the public registry': get(() => '/public'),
    'participants, first page': get(() => '/participants'),
    'participants, any page': get((_did, index) => `/participants?offset=${(index * 331) % rows.length}&limit=64`),
    'participants of a schema': get(() => `/participants?schemaId=${schema}`),
    schemas: get(() => '/schemas'),
    verifiers: get(() => `/verifiers?schemaId=${encodeURIComponent(transcript ?? '')}`),
    authorization: get((did) => `/authorization?did=${did}&schema=${schema}&role=issuer`),
  }
}
