import { calls, type Did, type Hex32, type IssuerOp, type SchemaOp, type VerifierOp } from '@accredit/chain'
import type { PartItem } from '../../platform/database/tables.js'
import { CALL_BUDGET } from '../call-budget.js'
import { hashesOf } from '../names/schema-ref.js'
import { type BulkEntry, rightsIn } from './bulk-rows.js'

/** One call, and the rows that it writes. */
export interface BulkPart {
  readonly call: Uint8Array
  readonly items: readonly PartItem[]
}

interface Ops {
  readonly issuers: Map<Did, IssuerOp>
  readonly verifiers: Map<Did, VerifierOp>
}

interface Batch {
  readonly schemas: Map<Hex32, Ops>
  readonly items: PartItem[]
  named: number
}

/**
 * Returns the calls that give each row its rights, as few as the ledger's limits allow. A row is never divided.
 * `Ensure` refuses nothing that exists already, so that a row does no harm to the others of its call.
 */
export function bulkParts(registryId: Hex32, entries: readonly BulkEntry[]): BulkPart[] {
  const batches: Batch[] = []
  for (const entry of groupByRights(entries)) {
    const last = batches.at(-1)
    if (last && last.named + costIn(last, entry) <= CALL_BUDGET) put(last, entry)
    else batches.push(put({ schemas: new Map(), items: [], named: 0 }, entry))
  }
  return batches.map(({ schemas, items }) => {
    const update = { Modify: new Map([...schemas].map(([schema, ops]) => [schema, schemaOp(ops)])) }
    return { call: calls.trustRegistry.setSchemasMetadata({ registryId, update }), items }
  })
}

/**
 * Puts rows with the same rights side by side, so that a call names few schemas. Each group is in the order of its DIDs:
 * what a block lists then lies together in every index by DID, however large the registry is.
 */
function groupByRights(entries: readonly BulkEntry[]): readonly BulkEntry[] {
  const groups = new Map<string, BulkEntry[]>()
  for (const entry of entries) {
    const rights = JSON.stringify([hashesOf(entry.issuer).sort(), hashesOf(entry.verifier).sort()])
    const group = groups.get(rights)
    if (group) group.push(entry)
    else groups.set(rights, [entry])
  }
  return [...groups.values()].flatMap((group) => group.sort((a, b) => (a.did < b.did ? -1 : 1)))
}

const schemasOf = ({ issuer, verifier }: BulkEntry): Set<Hex32> => new Set(hashesOf([...issuer, ...verifier]))

/**
 * Returns the cost that a row adds to a call: its rights and prices, and for a schema that is new in it that it may
 * appear and close.
 */
function costIn({ schemas }: Batch, entry: BulkEntry): number {
  const newSchemas = [...schemasOf(entry)].filter((schema) => !schemas.has(schema)).length
  return rightsIn(entry) + 2 * newSchemas
}

function put(batch: Batch, entry: BulkEntry): Batch {
  batch.named += costIn(batch, entry)
  batch.items.push({ row: entry.row, did: entry.did })
  for (const { hash } of entry.issuer) {
    const prices = entry.prices.get(hash)
    opsOn(hash, batch).issuers.set(entry.did, prices ? { Set: prices } : 'Ensure')
  }
  for (const { hash } of entry.verifier) opsOn(hash, batch).verifiers.set(entry.did, 'Ensure')
  return batch
}

function opsOn(schema: Hex32, { schemas }: Batch): Ops {
  const ops = schemas.get(schema) ?? { issuers: new Map(), verifiers: new Map() }
  schemas.set(schema, ops)
  return ops
}

const schemaOp = ({ issuers, verifiers }: Ops): SchemaOp => ({
  Ensure: {
    ...(issuers.size > 0 && { issuers: { Modify: issuers } }),
    ...(verifiers.size > 0 && { verifiers: { Modify: verifiers } }),
  },
})
