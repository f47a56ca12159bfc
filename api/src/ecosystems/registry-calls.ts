import {
  calls,
  type Did,
  type Hex32,
  type IssuerOp,
  type MetadataUpdate,
  type PriceOp,
  type SchemaOp,
  type VerifierOp,
} from '@accredit/chain'
import { CALL_BUDGET } from './call-budget.js'
import { DELEGATES_MAX, type SchemaChange, type SuspensionChange } from './rights.js'

/** Counts the schema and each role in it. A DID that issues nothing any more also loses its delegations. */
const costOf = ({ issuer, verifier }: SchemaChange): number =>
  1 + (issuer === undefined ? 0 : 1) + (verifier === undefined ? 0 : 1)

const metadataUpdate = (did: Did, { issuer, verifier }: SchemaChange): MetadataUpdate => ({
  ...(issuer !== undefined && { issuers: { Modify: new Map<Did, IssuerOp>([[did, issuer ? 'Ensure' : 'Discard']]) } }),
  ...(verifier !== undefined && {
    verifiers: { Modify: new Map<Did, VerifierOp>([[did, verifier ? 'Ensure' : 'Discard']]) },
  }),
})

/**
 * A call that gives a right adds the schema where it is missing. One that takes rights only never does: another client
 * may be removing the schema at this moment, and would lose its change.
 */
function schemaOp(did: Did, change: SchemaChange): SchemaOp {
  const update = metadataUpdate(did, change)
  return change.issuer || change.verifier ? { Ensure: update } : { Modify: update }
}

/**
 * Returns the calls that bring one DID's rights in a registry to a plan. They name nobody else, so they commute with everybody
 * else's.
 */
export function rightsCalls(registryId: Hex32, did: Did, changes: readonly SchemaChange[]): Uint8Array[] {
  const parts: SchemaChange[][] = []
  let cost = 0
  for (const change of changes) {
    cost += costOf(change)
    const last = parts.at(-1)
    if (last && cost <= CALL_BUDGET - DELEGATES_MAX) last.push(change)
    else {
      parts.push([change])
      cost = costOf(change)
    }
  }
  return parts.map((part) => {
    const update = { Modify: new Map(part.map((change) => [change.schema, schemaOp(did, change)])) }
    return calls.trustRegistry.setSchemasMetadata({ registryId, update })
  })
}

/**
 * Returns the call that changes only this price of this issuer, where it is listed: a price never brings an issuer or a
 * schema back.
 */
export function priceCall(registryId: Hex32, schema: Hex32, issuer: Did, currency: string, op: PriceOp): Uint8Array {
  const issuers = { Modify: new Map<Did, IssuerOp>([[issuer, { Modify: new Map([[currency, op]]) }]]) }
  const update = { Modify: new Map<Hex32, SchemaOp>([[schema, { Modify: { issuers } }]]) }
  return calls.trustRegistry.setSchemasMetadata({ registryId, update })
}

export function suspensionCall(registryId: Hex32, did: Did, change: SuspensionChange): Uint8Array {
  const target = { registryId, dids: [did] }
  switch (change) {
    case 'suspend_issuers':
      return calls.trustRegistry.suspendIssuers(target)
    case 'suspend_verifiers':
      return calls.trustRegistry.suspendVerifiers(target)
    case 'unsuspend_issuers':
      return calls.trustRegistry.unsuspendIssuers(target)
    case 'unsuspend_verifiers':
      return calls.trustRegistry.unsuspendVerifiers(target)
  }
}
