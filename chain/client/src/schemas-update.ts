import { type Hex, type Hex32, hexOf } from './bytes.js'
import { type ChainDid, chainDid, type Did } from './did.js'
import type * as chain from './generated/calls.js'

export type { DelegateOp, PriceOp, VerifierOp } from './generated/calls.js'

/** Millionths of a unit by currency symbol. An empty map: the issuer asks no price. */
export type Prices = ReadonlyMap<string, bigint>

/** All participants of a schema. Without `verifiers` nobody verifies; an empty list opens the schema to everyone. */
export interface SchemaMetadata {
  readonly issuers: ReadonlyMap<Did, Prices>
  readonly verifiers?: readonly Did[]
}

export type IssuerOp =
  | { readonly Set: Prices }
  | { readonly Add: Prices }
  | 'Remove'
  | { readonly Modify: ReadonlyMap<string, chain.PriceOp> }
  | 'Ensure'
  | 'Discard'

export type IssuersUpdate = { readonly Set: ReadonlyMap<Did, Prices> } | { readonly Modify: ReadonlyMap<Did, IssuerOp> }

export type VerifiersUpdate = { readonly Set: readonly Did[] } | { readonly Modify: ReadonlyMap<Did, chain.VerifierOp> }

export interface MetadataUpdate {
  readonly issuers?: IssuersUpdate
  readonly verifiers?: VerifiersUpdate
}

export type SchemaOp =
  | { readonly Set: SchemaMetadata }
  | { readonly Add: SchemaMetadata }
  | 'Remove'
  | { readonly Modify: MetadataUpdate }
  | { readonly Ensure: MetadataUpdate }
  | 'Discard'

/** A change of a registry's schemas, in the grammar of the chain's `set_schemas_metadata`. */
export type SchemasUpdate =
  | { readonly Set: ReadonlyMap<Hex32, SchemaMetadata> }
  | { readonly Modify: ReadonlyMap<Hex32, SchemaOp> }

export type DelegatedUpdate = { readonly Set: readonly Did[] } | { readonly Modify: ReadonlyMap<Did, chain.DelegateOp> }

/** Returns the update as the registry of types takes it: DIDs in the runtime's form, everything else unchanged. */
export function encodableSchemas(update: SchemasUpdate): chain.SchemasUpdate {
  return 'Set' in update
    ? { Set: mapValues(update.Set, encodableMetadata) }
    : { Modify: mapValues(update.Modify, encodableSchemaOp) }
}

export function encodableDelegated(update: DelegatedUpdate): chain.DelegatedUpdate {
  return 'Set' in update ? { Set: encodableDids(update.Set) } : { Modify: byDid(update.Modify, same) }
}

/** Returns a set of DIDs; the registry of types sorts it and refuses duplicates. */
export function encodableDids(dids: Iterable<Did>): ChainDid[] {
  return [...new Set(dids)].map(chainDid)
}

function encodableSchemaOp(op: SchemaOp): chain.SchemaOp {
  if (op === 'Remove' || op === 'Discard') return op
  if ('Set' in op) return { Set: encodableMetadata(op.Set) }
  if ('Add' in op) return { Add: encodableMetadata(op.Add) }
  if ('Modify' in op) return { Modify: encodableUpdate(op.Modify) }
  return { Ensure: encodableUpdate(op.Ensure) }
}

function encodableMetadata({ issuers, verifiers }: SchemaMetadata): chain.Metadata {
  return { issuers: byDid(issuers, prices), verifiers: verifiers ? encodableDids(verifiers) : null }
}

function encodableUpdate({ issuers, verifiers }: MetadataUpdate): chain.MetadataUpdate {
  return {
    issuers: issuers ? encodableIssuers(issuers) : null,
    verifiers: verifiers ? encodableVerifiers(verifiers) : null,
  }
}

function encodableIssuers(update: IssuersUpdate): chain.IssuersUpdate {
  return 'Set' in update ? { Set: byDid(update.Set, prices) } : { Modify: byDid(update.Modify, encodableIssuerOp) }
}

function encodableIssuerOp(op: IssuerOp): chain.IssuerOp {
  if (typeof op === 'string') return op
  if ('Set' in op) return { Set: prices(op.Set) }
  if ('Add' in op) return { Add: prices(op.Add) }
  return { Modify: new Map([...op.Modify].map(([currency, change]) => [text(currency), change])) }
}

function encodableVerifiers(update: VerifiersUpdate): chain.VerifiersUpdate {
  return 'Set' in update ? { Set: encodableDids(update.Set) } : { Modify: byDid(update.Modify, same) }
}

function prices(byCurrency: Prices): ReadonlyMap<Hex, bigint> {
  return new Map([...byCurrency].map(([currency, price]) => [text(currency), price]))
}

function byDid<V, W>(entries: ReadonlyMap<Did, V>, encodable: (value: V) => W): ReadonlyMap<ChainDid, W> {
  return new Map([...entries].map(([did, value]) => [chainDid(did), encodable(value)]))
}

function mapValues<K, V, W>(entries: ReadonlyMap<K, V>, encodable: (value: V) => W): ReadonlyMap<K, W> {
  return new Map([...entries].map(([key, value]) => [key, encodable(value)]))
}

/** Text is bytes on the chain. The registry of types takes hexadecimal unchanged, whatever the text is. */
export function text(value: string): Hex {
  return hexOf(new TextEncoder().encode(value))
}

const same = <T>(value: T): T => value
