import type { Did, Hex32 } from '@accredit/chain'
import { Compile } from 'typebox/schema'
import { didParam } from '../../dids/did-param.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { allowed, mismatches } from '../../platform/http/input/mismatches.js'
import { hashesOf, parseSchemaRef, parseSchemaRefs, type SchemaRef } from '../names/schema-ref.js'
import { CURRENCIES_MAX, parseDigits, requireFee } from '../prices/price.js'
import { participantName, webUrlOrEmpty } from '../registries/text.js'
import { BulkRow, RIGHTS_MAX } from './bulk.shape.js'

/** A row that can be written. */
export interface BulkEntry {
  /** Its place in the request, from 1. */
  readonly row: number
  readonly did: Did
  readonly name: string
  readonly logoUrl: string
  readonly issuer: readonly SchemaRef[]
  readonly verifier: readonly SchemaRef[]
  /** The prices by schema, then by currency. */
  readonly prices: ReadonlyMap<Hex32, ReadonlyMap<string, bigint>>
}

/** The fault of a row. */
export interface BadRow {
  readonly row: number
  readonly message: string
}

const shape = Compile(BulkRow)

/**
 * Returns all rows of a request, whose prices bring the least fee. Throws `invalid_request` that names the bad ones.
 */
export function parseRows(rows: readonly unknown[], leastFee: number): BulkEntry[] {
  const entries: BulkEntry[] = []
  const bad: BadRow[] = []
  const rules = { parseRef: rememberingRefs(), leastFee }
  for (const [index, value] of rows.entries()) {
    const row = index + 1
    try {
      entries.push(parseRow(value, row, rules))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      bad.push({ row, message: error.message })
    }
  }
  refuseBadRows([...bad, ...repeated(entries)])
  const rights = entries.reduce((sum, entry) => sum + rightsIn(entry), 0)
  if (rights > RIGHTS_MAX) throw invalid(`The rows name ${rights} rights and prices; at most ${RIGHTS_MAX} at once`)
  return entries
}

/** Counts the rights and prices that a row gives. */
export const rightsIn = ({ issuer, verifier, prices }: BulkEntry): number =>
  [...prices.values()].reduce((sum, { size }) => sum + size, issuer.length + verifier.length)

const NAMED = 20

/** Throws when there are bad rows: names the first ones, and tells how many there are. */
export function refuseBadRows(bad: readonly BadRow[]): void {
  if (bad.length === 0) return
  const named = [...bad].sort((a, b) => a.row - b.row).slice(0, NAMED)
  const rest = bad.length - named.length
  const texts = named.map(({ row, message }) => `row ${row}: ${message}`)
  throw invalid(
    `Nothing was written, ${bad.length === 1 ? 'one row is' : `${bad.length} rows are`} wrong: ${texts.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`,
  )
}

/** Thousands of rows name the same few schemas: each is hashed once, since hashing is slow. */
function rememberingRefs(): typeof parseSchemaRef {
  const known = new Map<string, SchemaRef>()
  return (text, field) => {
    const ref = known.get(text) ?? parseSchemaRef(text, field)
    known.set(text, ref)
    return ref
  }
}

interface Rules {
  parseRef: typeof parseSchemaRef
  leastFee: number
}

function parseRow(value: unknown, row: number, rules: Rules): BulkEntry {
  if (!shape.Check(value)) throw invalid(problemOf(value))
  const issuer = parseSchemaRefs(value.issuerSchemas ?? [], 'issuerSchemas', rules.parseRef)
  const verifier = parseSchemaRefs(value.verifierSchemas ?? [], 'verifierSchemas', rules.parseRef)
  if (issuer.length + verifier.length === 0) throw invalid('it names no schema to issue or verify')
  return {
    row,
    did: didParam(value.did, 'did'),
    name: participantName(value.name),
    logoUrl: webUrlOrEmpty(value.logoUrl ?? '', 'logoUrl'),
    issuer,
    verifier,
    prices: pricesOf(value, new Set(hashesOf(issuer)), rules),
  }
}

function problemOf(value: unknown): string {
  const [first] = mismatches(BulkRow, value)
  return first?.place.length ? first.message : `it must be ${allowed(BulkRow)}`
}

function pricesOf(
  { prices = [] }: BulkRow,
  issued: ReadonlySet<Hex32>,
  { parseRef, leastFee }: Rules,
): BulkEntry['prices'] {
  const bySchema = new Map<Hex32, Map<string, bigint>>()
  for (const { schema, currency, digits } of prices) {
    const { hash } = parseRef(schema, 'prices.schema')
    if (!issued.has(hash)) throw invalid(`prices: ${schema} is not among its issuerSchemas`)
    const ofSchema = bySchema.get(hash) ?? new Map<string, bigint>()
    if (ofSchema.has(currency)) throw invalid(`prices: there are two in ${currency} for ${schema}`)
    const price = parseDigits(digits)
    requireFee(price, leastFee)
    ofSchema.set(currency, price)
    if (ofSchema.size > CURRENCIES_MAX) throw invalid(`prices: a schema has at most ${CURRENCIES_MAX} currencies`)
    bySchema.set(hash, ofSchema)
  }
  return bySchema
}

function repeated(entries: readonly BulkEntry[]): BadRow[] {
  const first = new Map<Did, number>()
  return entries.flatMap(({ row, did }) => {
    const before = first.get(did)
    if (before === undefined) first.set(did, row)
    return before === undefined ? [] : [{ row, message: `its did stands in row ${before} already` }]
  })
}
