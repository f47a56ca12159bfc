import type { Client } from '../../tour/client.js'

/** Stores a schema. @returns its URI */
export const hosted = async (client: Client, schema: object): Promise<string> =>
  (await client.call<{ data: { uri: string } }>('POST', '/schemas', schema)).data.uri

const DRAFT = 'http://json-schema.org/draft-07/schema#'

/** The dearest one that is still taken. */
export async function dearest(client: Client): Promise<string> {
  for (let parts = 19; parts > 0; parts--) {
    const uri = await hosted(client, bomb(parts)).catch(() => undefined)
    if (uri !== undefined) return uri
  }
  throw new Error('the service takes no schema of parts at all')
}

/** Four readings of each DID, of as many DIDs as one may ask for at once. */
export async function dearestQuery(client: Client): Promise<string> {
  const each = 'a: events(first: 1) { nodes { id } } b: events(first: 1, order: asc) { nodes { id } } document'
  for (let first = 100; first > 0; first--) {
    const query = `{ dids(first: ${first}) { nodes { ${each} rights(first: 1) { nodes { schemaId } } } } }`
    const { data } = await client.call<{ data?: unknown }>('POST', '/graphql', { query })
    if (data) return query
  }
  throw new Error('the service takes no GraphQL query of this kind')
}

/** Each of its parts asks twice for the next one. */
export function bomb(parts: number): object {
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
export const wide = (n: number): object => ({
  $schema: DRAFT,
  name: `Wide ${n}`,
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 2_400 }, (_, m) => [`w${n}x${m}`, {}])),
})

export function ordinary(n: number): object {
  const members = Array.from({ length: 60 }, (_, m) => [
    `member${m}_${n}`,
    { type: 'string', minLength: 1, maxLength: 100 + m, pattern: `^[a-z${m % 10}]+$` },
  ])
  return { $schema: DRAFT, name: `Ordinary ${n}`, type: 'object', properties: Object.fromEntries(members) }
}
