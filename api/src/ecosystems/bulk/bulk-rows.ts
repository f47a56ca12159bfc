import type { Did, Hex32 } from '@accredit/chain'
import { Compile } from 'typebox/schema'
import { namedDid } from '../../dids/did-param.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { brokenRules, type MemberRule } from '../../platform/http/input/member-rules.js'
import { allowed } from '../../platform/http/input/mismatch-words.js'
import { firstMismatches } from '../../platform/http/input/mismatches.js'
import { pointerTo } from '../../platform/http/input/pointer.js'
import { type Problem, TOLD } from '../../platform/http/problems.js'
import { hashesOf, parseSchemaRef, parseSchemaRefs, type SchemaRef } from '../names/schema-ref.js'
import { CURRENCIES_MAX, parseDigits, requireFee } from '../prices/price.js'
import { participantName, webUrlOrEmpty } from '../registries/text.js'
import { BulkRow, type Price, RIGHTS_MAX } from './bulk.shape.js'

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

/** A row that cannot be written. */
export interface BadRow {
  readonly row: number
  /** Its first fault. */
  readonly message: string
  /** All its faults, each at its member; default: the message, at the row. */
  readonly problems?: readonly Problem[]
}

/** The prices of a row by schema, then by currency. */
type Prices = Map<Hex32, Map<string, bigint>>

const shape = Compile(BulkRow)

/**
 * Returns all rows of a request, whose prices bring the least fee. Throws `invalid_request` that names the bad ones.
 */
export function parseRows(rows: readonly unknown[], leastFee: number): BulkEntry[] {
  const { entries, bad } = readRows(rows, leastFee)
  refuseBadRows(bad)
  const rights = entries.reduce((sum, entry) => sum + rightsIn(entry), 0)
  if (rights > RIGHTS_MAX) throw invalid(`The rows name ${rights} rights and prices; at most ${RIGHTS_MAX} at once`)
  return entries
}

/** Returns the first problems of rows, each at its member. */
export const problemsOf = (rows: readonly unknown[], leastFee: number): Problem[] =>
  problemsIn(readRows(rows, leastFee).bad)

function readRows(rows: readonly unknown[], leastFee: number): { entries: BulkEntry[]; bad: BadRow[] } {
  const entries: BulkEntry[] = []
  const bad: BadRow[] = []
  const rules = { parseRef: rememberingRefs(), leastFee }
  for (const [index, value] of rows.entries()) {
    const row = index + 1
    try {
      entries.push(parseRow(value, row, rules))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // Nobody reads the faults of more rows.
      bad.push({ row, message: error.message, ...(bad.length < NAMED && { problems: faultsIn(value, index, rules) }) })
    }
  }
  return { entries, bad: [...bad, ...repeated(entries)].sort((a, b) => a.row - b.row) }
}

/** Counts the rights and prices that a row gives. */
export const rightsIn = ({ issuer, verifier, prices }: BulkEntry): number =>
  [...prices.values()].reduce((sum, { size }) => sum + size, issuer.length + verifier.length)

const NAMED = 20

/** Throws when there are bad rows: names the first ones, and tells how many there are. */
export function refuseBadRows(bad: readonly BadRow[]): void {
  if (bad.length === 0) return
  const named = bad.slice(0, NAMED)
  const rest = bad.length - named.length
  const texts = named.map(({ row, message }) => `row ${row}: ${message}`)
  throw new ApiError(
    'invalid_request',
    `Nothing was written, ${bad.length === 1 ? 'one row is' : `${bad.length} rows are`} wrong: ${texts.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`,
    { members: { problems: problemsIn(named) } },
  )
}

const problemsIn = (bad: readonly BadRow[]): Problem[] =>
  bad
    .flatMap(({ row, message, problems }) => problems ?? [{ path: pointerTo([row - 1]), message }])
    .slice(0, TOLD)
    .map(({ path, message }) => ({ path, message }))

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
  if (issuer.length + verifier.length === 0) refuseNoSchema()
  return {
    row,
    did: namedDid(value.did, 'did'),
    name: participantName(value.name),
    logoUrl: webUrlOrEmpty(value.logoUrl ?? '', 'logoUrl'),
    issuer,
    verifier,
    prices: pricesOf(value, new Set(hashesOf(issuer)), rules),
  }
}

/** Returns all faults of a row that cannot be written, each at its member. */
function faultsIn(value: unknown, index: number, rules: Rules): Problem[] {
  if (shape.Check(value)) return brokenRules(rulesOfRow(value, index, rules))
  return firstMismatches(BulkRow, value, TOLD, [index]).map(({ place, message }) => ({
    path: pointerTo(place),
    message,
  }))
}

function rulesOfRow(row: BulkRow, index: number, rules: Rules): MemberRule[] {
  const { did, name, logoUrl = '', issuerSchemas = [], verifierSchemas = [], prices } = row
  const rule = (member: keyof BulkRow, value: unknown, check: () => unknown): MemberRule => ({
    place: [index, member],
    value,
    check,
  })
  const issued = rule('issuerSchemas', issuerSchemas, () =>
    parseSchemaRefs(issuerSchemas, 'issuerSchemas', rules.parseRef),
  )
  const areNone = issuerSchemas.length + verifierSchemas.length === 0
  return [
    rule('did', did, () => namedDid(did, 'did')),
    rule('name', name, () => participantName(name)),
    rule('logoUrl', logoUrl, () => webUrlOrEmpty(logoUrl, 'logoUrl')),
    ...(areNone ? [{ place: [index], value: row, check: refuseNoSchema }] : [issued]),
    rule('verifierSchemas', verifierSchemas, () => parseSchemaRefs(verifierSchemas, 'verifierSchemas', rules.parseRef)),
    ...rulesOfPrices(prices ?? [], index, brokenRules([issued]).length > 0 ? undefined : issuedBy(row, rules), rules),
  ]
}

/**
 * The rules of each price by itself.
 *
 * @param issued the schemas that the row issues; undefined where they cannot be read: then the amounts alone are looked at
 */
function rulesOfPrices(
  prices: readonly Price[],
  index: number,
  issued: ReadonlySet<Hex32> | undefined,
  rules: Rules,
): MemberRule[] {
  const before: Prices = new Map()
  return prices.flatMap(({ schema, currency, digits }, i): MemberRule[] => {
    const rule = (member: keyof Price, value: unknown, check: () => unknown): MemberRule => ({
      place: [index, 'prices', i, member],
      value,
      check,
    })
    const amount = rule('digits', digits, () => amountOf(digits, rules))
    if (issued === undefined) return [amount]
    const named = rule('schema', schema, () => pricedSchema(schema, issued, rules))
    if (brokenRules([named]).length > 0) return [named, amount]
    const once = () => roomFor(before, pricedSchema(schema, issued, rules), { schema, currency }).set(currency, 0n)
    return [rule('currency', currency, once), amount]
  })
}

const issuedBy = ({ issuerSchemas = [] }: BulkRow, { parseRef }: Rules): ReadonlySet<Hex32> =>
  new Set(hashesOf(parseSchemaRefs(issuerSchemas, 'issuerSchemas', parseRef)))

function refuseNoSchema(): never {
  throw invalid('it names no schema to issue or verify')
}

function problemOf(value: unknown): string {
  const first = firstMismatches(BulkRow, value, 1).find(({ place }) => place.length > 0)
  return first?.message ?? `it must be ${allowed(BulkRow)}`
}

function pricesOf({ prices = [] }: BulkRow, issued: ReadonlySet<Hex32>, rules: Rules): Prices {
  const bySchema: Prices = new Map()
  for (const price of prices) {
    const ofSchema = roomFor(bySchema, pricedSchema(price.schema, issued, rules), price)
    ofSchema.set(price.currency, amountOf(price.digits, rules))
  }
  return bySchema
}

function pricedSchema(schema: string, issued: ReadonlySet<Hex32>, { parseRef }: Rules): Hex32 {
  const { hash } = parseRef(schema, 'prices.schema')
  if (!issued.has(hash)) throw invalid(`prices: ${schema} is not among its issuerSchemas`)
  return hash
}

/** Returns the prices of a schema, which have room for one in another currency. */
function roomFor(bySchema: Prices, hash: Hex32, { schema, currency }: Pick<Price, 'schema' | 'currency'>) {
  const ofSchema = bySchema.get(hash) ?? new Map<string, bigint>()
  if (ofSchema.has(currency)) throw invalid(`prices: there are two in ${currency} for ${schema}`)
  if (ofSchema.size >= CURRENCIES_MAX) throw invalid(`prices: a schema has at most ${CURRENCIES_MAX} currencies`)
  bySchema.set(hash, ofSchema)
  return ofSchema
}

function amountOf(digits: Price['digits'], { leastFee }: Rules): bigint {
  const amount = parseDigits(digits)
  requireFee(amount, leastFee)
  return amount
}

function repeated(entries: readonly BulkEntry[]): BadRow[] {
  const first = new Map<Did, number>()
  return entries.flatMap(({ row, did }) => {
    const before = first.get(did)
    if (before === undefined) first.set(did, row)
    return before === undefined ? [] : [{ row, message: `its did stands in row ${before} already` }]
  })
}
