import { calls, type Did, type Hex32, type IssuerOp, type SchemaOp, type VerifierOp } from '@accredit/chain'

/** A schema of a registry with everyone who is listed in it. */
export interface ListedSchema {
  readonly schema: Hex32
  readonly issuers: readonly Did[]
  readonly verifiers: readonly Did[]
}

/** What one call may change, with room to what the ledger allows (1,000) for those who come in the meantime. */
const BUDGET = 800

const taken = (dids: readonly Did[], op: 'Discard') => new Map<Did, IssuerOp & VerifierOp>(dids.map((did) => [did, op]))

interface Batch {
  readonly ops: Map<Hex32, SchemaOp>
  changes: number
}

/**
 * The calls that take schemas out of a registry with all their participants, each within what the ledger does in one call.
 * Participants of a large schema go first, part by part; naming who has left meanwhile refuses nothing.
 */
export function removalCalls(registryId: Hex32, schemas: readonly ListedSchema[]): Uint8Array[] {
  const batches: Batch[] = []
  const put = (schema: Hex32, op: SchemaOp, changes: number): void => {
    let last = batches.at(-1)
    if (!last || last.changes + changes > BUDGET || last.ops.has(schema)) {
      last = { ops: new Map(), changes: 0 }
      batches.push(last)
    }
    last.ops.set(schema, op)
    last.changes += changes
  }
  for (const { schema, issuers, verifiers } of schemas) {
    const large = issuers.length + verifiers.length >= BUDGET
    const parts = large ? [...chunks(issuers, 'issuers'), ...chunks(verifiers, 'verifiers')] : []
    for (const { role, dids } of parts)
      put(schema, { Modify: { [role]: { Modify: taken(dids, 'Discard') } } }, dids.length)
    put(schema, 'Discard', large ? 1 : 1 + issuers.length + verifiers.length)
  }
  return batches.map(({ ops }) => calls.trustRegistry.setSchemasMetadata({ registryId, update: { Modify: ops } }))
}

function chunks<R extends 'issuers' | 'verifiers'>(dids: readonly Did[], role: R): { role: R; dids: readonly Did[] }[] {
  const parts = []
  for (let i = 0; i < dids.length; i += BUDGET) parts.push({ role, dids: dids.slice(i, i + BUDGET) })
  return parts
}
