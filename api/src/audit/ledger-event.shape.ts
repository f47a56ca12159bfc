import { type Static, Type } from 'typebox'
import type { HistoryEvent } from '../ledger/read/history/history.js'

const Facts = Type.Record(Type.String(), Type.Any(), { description: 'The facts, by name' })

/** Tells who acted, on either kind of ledger. */
export const ACTOR =
  'The DID that acted. Where none did: on a network `council`, or the account of one of its members; `root` for the operator of an embedded ledger, and for the ledger itself'

export const LedgerEvent = Type.Object({
  id: Type.String({ description: '<block>-<index>' }),
  block: Type.Integer({ description: 'The block that it stands in' }),
  time: Type.String({ format: 'date-time', description: 'The time of the block' }),
  extrinsicHash: Type.Union([Type.String(), Type.Null()], {
    description: 'The extrinsic that it came from; null: from none',
  }),
  event: Type.String({ examples: ['TrustRegistry.IssuerSuspended'], description: 'Its name, with its pallet' }),
  actor: Type.String({ description: ACTOR }),
  keyId: Type.Union([Type.Integer(), Type.Null()], { description: 'The number of its key that signed' }),
  nonce: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'The nonce of the action that it belongs to; null where no action carried one, as at the creation of a DID',
  }),
  callHash: Type.Union([Type.String(), Type.Null()], {
    description: 'The blake2-256 of the calls that were dispatched together, as encoded (SCALE); null likewise',
  }),
  submitter: Type.Union([Type.String(), Type.Null()], { description: 'The account that paid' }),
  registryId: Type.Optional(Type.String({ description: 'The registry that it is about' })),
  schemaId: Type.Optional(Type.String({ description: 'The hash of the schema' })),
  schemaUri: Type.Optional(Type.String({ description: 'Its URI, where this service knows it' })),
  subject: Type.Optional(Type.String({ description: 'The DID that it happened to' })),
  before: Type.Optional(Facts),
  after: Type.Optional(Facts),
})
export type LedgerEvent = Static<typeof LedgerEvent>

/** @param uriOf the URI of a schema's hash, where it is known */
export function ledgerEvent(row: HistoryEvent, uriOf: (schemaId: string) => string | undefined): LedgerEvent {
  const registryId = row.trust_registry_id ?? row.revocation_registry_id
  const schemaUri = row.schema_id === null ? undefined : uriOf(row.schema_id)
  return {
    id: row.id,
    block: row.block,
    time: row.time.toISOString(),
    extrinsicHash: row.extrinsic_hash,
    event: row.name,
    actor: row.actor,
    keyId: row.key_id,
    nonce: row.nonce,
    callHash: row.call_hash,
    submitter: row.submitter,
    ...(registryId !== null && { registryId }),
    ...(row.schema_id !== null && { schemaId: row.schema_id }),
    ...(schemaUri !== undefined && { schemaUri }),
    ...(row.subject !== null && { subject: row.subject }),
    ...(row.before !== null && { before: row.before }),
    ...(row.after !== null && { after: row.after }),
  }
}
