import { type CallDescription, type DescribedCalls, type Did, isCall } from '@accredit/chain'
import type { ExpectedChange } from '../ledger/read/registries/expected-change.js'

/**
 * Returns the state that the calls of one dispatch leave in a registry. Of two changes of the same thing the later one
 * counts. Throws where a call replaces things that it does not name: the service never asks for such a call.
 */
export function expectedChanges(actor: Did, calls: readonly CallDescription[]): ExpectedChange[] {
  const changes = calls.flatMap((call) => changesOf(actor, call))
  return [...new Map(changes.map((change) => [whatChanges(change), change])).values()]
}

function whatChanges({ of, schema, did, currency, delegate }: ExpectedChange & Partial<Record<Named, string>>): string {
  return [of, schema, did, currency, delegate].join(' ')
}
type Named = 'schema' | 'did' | 'currency' | 'delegate'

function changesOf(actor: Did, call: CallDescription): ExpectedChange[] {
  if (isCall(call, 'trustRegistry.setSchemasMetadata')) return named(call.parameters.update).flatMap(schemaChanges)
  if (isCall(call, 'trustRegistry.suspendIssuers')) return suspensions(call.parameters.issuers, true)
  if (isCall(call, 'trustRegistry.suspendVerifiers')) return suspensions(call.parameters.verifiers, true)
  if (isCall(call, 'trustRegistry.unsuspendIssuers')) return suspensions(call.parameters.issuers, false)
  if (isCall(call, 'trustRegistry.unsuspendVerifiers')) return suspensions(call.parameters.verifiers, false)
  if (isCall(call, 'trustRegistry.updateDelegatedIssuers'))
    return named(call.parameters.delegated).map(([delegate, op]) => ({
      of: 'delegate',
      did: actor,
      delegate,
      holds: isGiven(op),
    }))
  if (isCall(call, 'trustRegistry.initOrUpdateTrustRegistry')) {
    const { name, govFramework: governance } = call.parameters
    return [{ of: 'registry', convener: actor, name, governance }]
  }
  if (isCall(call, 'trustRegistry.removeTrustRegistry')) return [{ of: 'removed' }]
  throw new RangeError(`${call.pallet}.${call.call} is asked for in no registry`)
}

type SchemaOp = OpOf<DescribedCalls['trustRegistry.setSchemasMetadata']['update']>
type Update = Extract<SchemaOp, { Ensure: unknown }>['Ensure']
type IssuerOp = OpOf<NonNullable<Update['issuers']>>
type OpOf<T> = T extends { Modify: Record<string, infer Op> } ? Op : never

function named<Op>(update: { Set: unknown } | { Modify: Record<string, Op> }): [string, Op][] {
  if ('Set' in update) throw new RangeError('what replaces a whole collection does not name what it takes away')
  return Object.entries(update.Modify)
}

const isGiven = (op: 'Add' | 'Remove' | 'Ensure' | 'Discard'): boolean => op === 'Ensure' || op === 'Add'

const suspensions = (dids: readonly Did[], holds: boolean): ExpectedChange[] =>
  dids.map((did) => ({ of: 'suspended', did, holds }))

function schemaChanges([schema, op]: [string, SchemaOp]): ExpectedChange[] {
  if (typeof op === 'string') return [{ of: 'schema', schema, holds: false }]
  if ('Modify' in op) return [...issuerChanges(schema, op.Modify), ...verifierChanges(schema, op.Modify)]
  const update = 'Ensure' in op ? op.Ensure : addedAs('Add' in op ? op.Add : op.Set)
  return [{ of: 'schema', schema, holds: true }, ...issuerChanges(schema, update), ...verifierChanges(schema, update)]
}

/** A new schema as an update of an empty one. */
function addedAs({
  issuers,
  verifiers,
}: {
  issuers: Record<string, Prices>
  verifiers: readonly Did[] | null
}): Update {
  const prices = Object.entries(issuers).map(([did, set]) => [did, { Set: set }] as const)
  return { issuers: { Modify: Object.fromEntries(prices) }, verifiers: verifiers && { Set: verifiers } }
}
type Prices = Record<string, number | string>

const issuerChanges = (schema: string, { issuers }: Update): ExpectedChange[] =>
  issuers === null ? [] : named(issuers).flatMap(([did, op]) => issuerChange(schema, did, op))

function issuerChange(schema: string, did: string, op: IssuerOp): ExpectedChange[] {
  if (typeof op === 'string') return [{ of: 'issuer', schema, did, holds: isGiven(op) }]
  if ('Modify' in op)
    return Object.entries(op.Modify).map(([currency, change]) => {
      const price = change === 'Remove' ? null : String('Set' in change ? change.Set : change.Add)
      return { of: 'price', schema, did, currency, price }
    })
  const set = Object.entries('Set' in op ? op.Set : op.Add)
  const prices = Object.fromEntries(set.map(([currency, amount]) => [currency, String(amount)]))
  return [
    { of: 'issuer', schema, did, holds: true },
    { of: 'prices', schema, did, prices },
  ]
}

function verifierChanges(schema: string, { verifiers }: Update): ExpectedChange[] {
  if (verifiers === null) return []
  if ('Set' in verifiers && verifiers.Set.length === 0) return [{ of: 'public', schema, holds: true }]
  return named(verifiers).flatMap(([did, op]): ExpectedChange[] => [
    // A schema that has verifiers is not open to everybody.
    ...(isGiven(op) ? [{ of: 'public' as const, schema, holds: false }] : []),
    { of: 'verifier', schema, did, holds: isGiven(op) },
  ])
}
