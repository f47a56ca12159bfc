import type { IndexRows } from './index-rows'
import { grouped, type Storage } from './storage'

/** Returns the storage of pallet `TrustRegistry` that follows from the index. */
export async function indexedRegistries(index: IndexRows): Promise<Storage> {
  return { ...(await registries(index)), ...(await places(index)), ...(await standings(index)) }
}

async function registries(index: IndexRows): Promise<Storage> {
  const created = await index.select<{ id: string }>(
    'SELECT DISTINCT registry_id AS id FROM ledger.trust_registry WHERE from_block <= $1',
  )
  const active = await index.rows('trust_registry')
  const schemas = grouped(await index.rows('registry_schema'), ({ registry_id }) => registry_id)
  const issuers = grouped(await index.rows('issuer'), ({ registry_id }) => registry_id)
  const verifiers = grouped(await index.rows('verifier'), ({ registry_id }) => registry_id)
  const states = active.map((row) => {
    const [issuing, verifying] = [issuers.get(row.registry_id) ?? [], verifiers.get(row.registry_id) ?? []]
    const registry = {
      convener: row.convener,
      name: row.name,
      govFramework: row.gov_framework,
      version: row.version,
      schemas: schemas.get(row.registry_id)?.length ?? 0,
      entries: distinct([...issuing, ...verifying].map(({ schema_id, did }) => `${schema_id} ${did}`)),
      issuers: distinct(issuing.map(({ did }) => did)),
      verifiers: distinct(verifying.map(({ did }) => did)),
    }
    return [row.registry_id, { Active: registry }] as const
  })
  const convened = [...grouped(active, ({ convener }) => convener)].map(([did, rows]) => [did, rows.length])
  const proposals = active.flatMap((row) =>
    row.pending_convener === null ? [] : [[row.registry_id, row.pending_convener]],
  )
  return {
    'TrustRegistry.Registries': {
      ...Object.fromEntries(created.map(({ id }) => [id, 'Removed'])),
      ...Object.fromEntries(states),
    },
    'TrustRegistry.Convened': Object.fromEntries(convened),
    'TrustRegistry.Proposals': Object.fromEntries(proposals),
  }
}

async function places(index: IndexRows): Promise<Storage> {
  const schemas = await index.rows('registry_schema')
  const issuers = new Map((await index.rows('issuer')).map((row) => [placeOf(row), row]))
  const verifiers = new Map((await index.rows('verifier')).map((row) => [placeOf(row), row]))
  const inSchema = <Row extends { registry_id: string; schema_id: string }>(rows: Iterable<Row>) =>
    grouped(rows, ({ registry_id, schema_id }) => `${registry_id} ${schema_id}`)
  const [issuing, verifying] = [inSchema(issuers.values()), inSchema(verifiers.values())]
  const entries = new Map([...issuers, ...verifiers])
  const numbers = (schema: string) => {
    const [own, others] = [issuing.get(schema) ?? [], verifying.get(schema) ?? []]
    return {
      entries: distinct([...own, ...others].map(({ did }) => did)),
      issuers: own.length,
      verifiers: others.length,
      priced: own.filter(({ prices }) => Object.keys(prices).length > 0).length,
    }
  }
  return {
    'TrustRegistry.Schemas': Object.fromEntries(
      schemas.map((row) => {
        const key = `${row.registry_id} ${row.schema_id}`
        return [key, { public: row.is_public, ...numbers(key) }]
      }),
    ),
    'TrustRegistry.RegistriesBySchema': Object.fromEntries(
      schemas.map((row) => [`${row.schema_id} ${row.registry_id}`, row.is_public]),
    ),
    'TrustRegistry.Entries': Object.fromEntries(
      [...entries.keys()].map((key) => {
        const issuer = issuers.get(key)
        return [key, { issuer: issuer ? pricesOf(issuer.prices) : null, verifier: verifiers.has(key) }]
      }),
    ),
    'TrustRegistry.EntriesByDid': Object.fromEntries(
      [...entries.values()].map((row) => [`${row.did} ${row.registry_id} ${row.schema_id}`, null]),
    ),
  }
}

async function standings(index: IndexRows): Promise<Storage> {
  const standing = <Row extends { registry_id: string }>(rows: Row[], who: (row: Row) => string) =>
    grouped(rows, (row) => `${row.registry_id} ${who(row)}`)
  const delegations = await index.rows('delegation')
  const issuing = standing(await index.rows('issuer'), ({ did }) => did)
  const verifying = standing(await index.rows('verifier'), ({ did }) => did)
  const suspended = standing(await index.rows('suspension'), ({ did }) => did)
  const delegating = standing(delegations, ({ issuer }) => issuer)
  const all = new Set([issuing, verifying, suspended, delegating].flatMap((map) => [...map.keys()]))
  return {
    'TrustRegistry.Standings': Object.fromEntries(
      [...all].map((key) => [
        key,
        {
          issuerSchemas: issuing.get(key)?.length ?? 0,
          verifierSchemas: verifying.get(key)?.length ?? 0,
          suspended: suspended.has(key),
          delegates: (delegating.get(key) ?? []).map(({ delegate }) => delegate).sort(),
        },
      ]),
    ),
    'TrustRegistry.Delegations': Object.fromEntries(
      delegations.map((row) => [`${row.delegate} ${row.registry_id} ${row.issuer}`, null]),
    ),
  }
}

const placeOf = (row: { registry_id: string; schema_id: string; did: string }) =>
  `${row.registry_id} ${row.schema_id} ${row.did}`

const distinct = (texts: string[]): number => new Set(texts).size

/** A number above 2^53 stays text. */
function pricesOf(prices: Record<string, string>) {
  return Object.fromEntries(
    Object.entries(prices).map(([currency, text]) => [
      currency,
      Number.isSafeInteger(Number(text)) ? Number(text) : text,
    ]),
  )
}
