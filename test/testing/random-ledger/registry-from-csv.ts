import type { SchemaMetadataAnswer } from '@accredit/chain'

interface Issuer {
  readonly prices: Record<string, string>
}

interface ListedSchema {
  isPublic: boolean
  readonly issuers: Map<string, Issuer>
  readonly verifiers: Set<string>
}

/** The state of a registry after the events of its history. */
interface Standing {
  readonly schemas: Map<string, ListedSchema>
  readonly suspended: Set<string>
  /** The delegates by their issuer. */
  readonly delegates: Map<string, Set<string>>
}

type Line = Readonly<Record<string, string>>

type Replay = (standing: Standing, line: Line) => void

const REPLAYS: Readonly<Record<string, Replay>> = {
  'TrustRegistry.SchemaAdded': ({ schemas }, { schemaId = '' }) =>
    void schemas.set(schemaId, { isPublic: false, issuers: new Map(), verifiers: new Set() }),
  'TrustRegistry.SchemaRemoved': ({ schemas }, { schemaId = '' }) => void schemas.delete(schemaId),
  'TrustRegistry.SchemaPublicSet': (standing, line) => {
    schemaOf(standing, line).isPublic = facts(line.after).public
  },
  'TrustRegistry.IssuerChanged': (standing, line) => {
    const { issuers } = schemaOf(standing, line)
    if (line.after === '') issuers.delete(subjectOf(line))
    else issuers.set(subjectOf(line), { prices: facts(line.after).prices })
  },
  'TrustRegistry.VerifierChanged': (standing, line) => {
    const { verifiers } = schemaOf(standing, line)
    if (facts(line.after).listed) verifiers.add(subjectOf(line))
    else verifiers.delete(subjectOf(line))
  },
  'TrustRegistry.IssuerSuspended': ({ suspended }, line) => void suspended.add(subjectOf(line)),
  'TrustRegistry.VerifierSuspended': ({ suspended }, line) => void suspended.add(subjectOf(line)),
  'TrustRegistry.IssuerUnsuspended': ({ suspended }, line) => void suspended.delete(subjectOf(line)),
  'TrustRegistry.VerifierUnsuspended': ({ suspended }, line) => void suspended.delete(subjectOf(line)),
  'TrustRegistry.DelegateAdded': ({ delegates }, line) => {
    const { issuer } = facts(line.after)
    delegates.set(issuer, new Set([...(delegates.get(issuer) ?? []), subjectOf(line)]))
  },
  'TrustRegistry.DelegateRemoved': ({ delegates }, line) =>
    void delegates.get(facts(line.before).issuer)?.delete(subjectOf(line)),
}

/**
 * Works out the schemas of a registry and their participants from nothing but the CSV of its history (oldest first).
 * The CSV does not tell the ledger's order of delegators: they stand in the order of their text.
 */
export function schemasFromCsv(csv: string): SchemaMetadata[] {
  const standing: Standing = { schemas: new Map(), suspended: new Set(), delegates: new Map() }
  for (const line of linesOf(csv)) REPLAYS[line.event ?? '']?.(standing, line)
  return [...standing.schemas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, schema]) => {
      const issuers = issuersOf(schema, standing)
      const verifiers = [...schema.verifiers].sort().map((did) => ({ did, suspended: standing.suspended.has(did) }))
      const counts = { issuerCount: issuers.length, verifierCount: verifiers.length }
      return { id, public: schema.isPublic, issuers, verifiers, ...counts }
    })
}

/** Sorts the ledger's own answer in the same way. */
export function inOrderOfText(schemas: readonly SchemaMetadataAnswer[]): SchemaMetadata[] {
  return schemas.map(({ issuers, ...schema }) => ({
    ...schema,
    issuers: issuers.map((issuer) => ({ ...issuer, delegatedBy: [...issuer.delegatedBy].sort() })),
  }))
}

type SchemaMetadata = { readonly [Field in keyof SchemaMetadataAnswer]: unknown }

function issuersOf({ issuers }: ListedSchema, { delegates, suspended }: Standing) {
  const lent = [...issuers.keys()].flatMap((issuer) => [...(delegates.get(issuer) ?? [])])
  return [...new Set([...issuers.keys(), ...lent])].sort().map((did) => {
    const delegatedBy = [...issuers.keys()].filter((issuer) => delegates.get(issuer)?.has(did)).sort()
    const listed = issuers.get(did)
    return { did, direct: listed !== undefined, delegatedBy, suspended: suspended.has(did), ...listed }
  })
}

function schemaOf({ schemas }: Standing, { schemaId = '', id }: Line): ListedSchema {
  const schema = schemas.get(schemaId)
  if (schema === undefined) throw new Error(`event ${id} is about a schema that the history did not add`)
  return schema
}

function subjectOf({ subject, id }: Line): string {
  if (!subject) throw new Error(`event ${id} names nobody`)
  return subject
}

const facts = (cell: string | undefined) => JSON.parse(cell || '{}')

/** Parses CSV with a header (RFC 4180): a cell is in quotes or has none in it. */
function linesOf(csv: string): Line[] {
  const rows = (csv.match(/(?:"(?:[^"]|"")*"|[^"\r\n])*\r\n/g) ?? []).map((row) =>
    [...row.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
    ),
  )
  const [header = [], ...lines] = rows
  return lines.map((cells) => Object.fromEntries(header.map((name, column) => [name, cells[column] ?? ''])))
}
