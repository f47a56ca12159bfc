import {
  calls,
  type Did,
  type Hex32,
  type IssuerOp,
  type MetadataUpdate,
  type SchemaOp,
  type VerifierOp,
} from '@accredit/chain'
import type { ListedIssuer, ListedSchema } from '../../ledger/read/registries/registry-schemas.js'
import { CALL_BUDGET } from '../call-budget.js'
import { DELEGATES_MAX } from '../rights.js'

/**
 * The counts of a plan. `listed`: those of the index. `worst`: the most that issuers can reach until it is carried out;
 * for plans with an unknown date, or after a part was refused.
 */
export type Counting = 'listed' | 'worst'

/** The operation of one call on each schema. */
export type RemovalPart = ReadonlyMap<Hex32, SchemaOp>

/**
 * Returns the parts that take schemas out of a registry with all their participants, each within the ledger's limit of
 * one call: it counts the named entries, those stored under a removed schema, and the delegations that end.
 * Participants of a large schema go before it, one after the other; the call accepts one who has left meanwhile. One
 * issuer with its delegations always fits, so that any removal can be divided.
 */
export function removalParts(schemas: readonly ListedSchema[], counting: Counting): RemovalPart[] {
  const plan = new Plan(counting)
  const large: ListedSchema[] = []
  for (const listed of schemas) {
    // The schema may be the last one of its issuers once the earlier parts are done.
    if (plan.costOf(listed) > CALL_BUDGET) large.push(listed)
    else plan.takeWhole(listed)
  }
  for (const listed of large) plan.takeParticipants(listed)
  for (const { schema } of large) plan.takeEmptied(schema)
  return plan.parts.map(({ ops }) => new Map([...ops].map(([schema, op]) => [schema, schemaOp(op)])))
}

/** Returns the calls of a removal, each a dispatch of its own; without `only` the last one removes the registry. */
export function removalDispatches(
  registryId: Hex32,
  schemas: readonly ListedSchema[],
  { counting, only }: { counting: Counting; only?: Hex32 | undefined },
): Uint8Array[] {
  const parts = removalParts(schemas, counting).map((ops) =>
    calls.trustRegistry.setSchemasMetadata({ registryId, update: { Modify: ops } }),
  )
  return only === undefined ? [...parts, calls.trustRegistry.remove({ registryId })] : parts
}

interface Leaving {
  readonly issuers: Map<Did, IssuerOp>
  readonly verifiers: Map<Did, VerifierOp>
}

function schemaOp(op: Leaving | 'Discard'): SchemaOp {
  if (op === 'Discard') return op
  const update: MetadataUpdate = {
    ...(op.issuers.size > 0 && { issuers: { Modify: op.issuers } }),
    ...(op.verifiers.size > 0 && { verifiers: { Modify: op.verifiers } }),
  }
  return { Modify: update }
}

class Part {
  readonly ops = new Map<Hex32, Leaving | 'Discard'>()
  /** The issuers that lose a schema in it. */
  readonly losing = new Set<Did>()
  cost = 0
  private readonly emptied = new Map<Hex32, Leaving>()

  /** Returns the participants that leave a schema one by one. */
  leaving(schema: Hex32): Leaving {
    const leaving = this.emptied.get(schema) ?? { issuers: new Map(), verifiers: new Map() }
    this.emptied.set(schema, leaving)
    this.ops.set(schema, leaving)
    return leaving
  }
}

class Plan {
  readonly parts: Part[] = []
  /** Returns the number of schemas left to each issuer that loses some. */
  private readonly left = new Map<Did, number>()

  constructor(private readonly counting: Counting) {}

  costOf({ issuers, verifiers }: ListedSchema, part = new Part()): number {
    return issuers.reduce((sum, issuer) => sum + 1 + this.endingWith(issuer, part), 1 + verifiers.length)
  }

  takeWhole(listed: ListedSchema): void {
    const part = this.take((within) => this.costOf(listed, within))
    part.ops.set(listed.schema, 'Discard')
    for (const issuer of listed.issuers) this.lose(issuer, part)
  }

  takeParticipants({ schema, issuers, verifiers }: ListedSchema): void {
    const named = (part: Part) => (part.ops.has(schema) ? 1 : 2)
    for (const issuer of issuers) {
      const part = this.take((within) => named(within) + this.endingWith(issuer, within))
      part.leaving(schema).issuers.set(issuer.did, 'Discard')
      this.lose(issuer, part)
    }
    for (const did of verifiers) this.take(named).leaving(schema).verifiers.set(did, 'Discard')
  }

  takeEmptied(schema: Hex32): void {
    const part = this.take(({ ops }) => (ops.has(schema) ? Number.POSITIVE_INFINITY : 1))
    part.ops.set(schema, 'Discard')
  }

  /** Returns the part that has room for this: the last one, or a new one. */
  private take(cost: (part: Part) => number): Part {
    const last = this.parts.at(-1)
    const fits = last !== undefined && last.cost + cost(last) <= CALL_BUDGET
    const part = fits ? last : new Part()
    if (!fits) this.parts.push(part)
    part.cost += cost(part)
    return part
  }

  /** Counts the delegations that end when an issuer loses one more schema in a part. */
  private endingWith({ did, schemas, delegates }: ListedIssuer, { losing }: Part): number {
    if (this.counting === 'worst') return losing.has(did) ? 0 : DELEGATES_MAX
    return (this.left.get(did) ?? schemas) <= 1 ? delegates : 0
  }

  private lose({ did, schemas }: ListedIssuer, { losing }: Part): void {
    this.left.set(did, (this.left.get(did) ?? schemas) - 1)
    losing.add(did)
  }
}
