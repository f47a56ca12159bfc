import type { JsonObject } from '../../platform/database/tables.js'

/** A fact with its time: true from `from_block` up to, not including, `to_block`; null: still true. */
interface Temporal {
  id: string
  key: string
  from_block: number
  to_block: number | null
}

type KeyKindOnLedger =
  | 'Ed25519'
  | 'X25519'
  | 'BabyJubJub'
  | 'Bls12381G2'
  | 'Bls12381G2Plus2022'
  | 'Secp256k1'
  | 'Sr25519'

interface DidKeyTable extends Temporal {
  did: string
  key_id: number
  kind: KeyKindOnLedger
  public_key: string
  relationships: number
  /** The last one: a retired key that was revoked later is revoked, and was retired up to `revoked_block`. */
  end_reason: 'retired' | 'revoked' | 'deactivated' | null
  revoked_block: number | null
}

export interface EventTable {
  id: string
  block: number
  index: number
  time: Date
  extrinsic_hash: string | null
  name: string
  actor: string
  key_id: number | null
  nonce: number | null
  submitter: string | null
  call_hash: string | null
  trust_registry_id: string | null
  revocation_registry_id: string | null
  schema_id: string | null
  subject: string | null
  before: JsonObject | null
  after: JsonObject | null
}

/** Schema `ledger`, as the indexer writes it. Nobody writes it here. */
export interface LedgerTables {
  block: { id: string; height: number; hash: string; time: Date; spec_version: number }
  finality: {
    id: string
    height: number
    hash: string
    rule: 'instant' | 'grandpa'
    seen_at: Date
    behind_since: Date | null
    settled_height: number | null
    settled_hash: string | null
  }
  event: EventTable
  did: Temporal & { did: string; submitter: string }
  did_key: DidKeyTable
  did_controller: Temporal & { did: string; controller: string }
  did_service: Temporal & { did: string; service_id: string; type: string; endpoints: string[] }
  nonce: { id: string; nonce: number }
  trust_registry: Temporal & {
    registry_id: string
    convener: string
    pending_convener: string | null
    name: string
    gov_framework: string
    version: number
  }
  registry_schema: Temporal & { registry_id: string; schema_id: string; is_public: boolean }
  issuer: Temporal & { registry_id: string; schema_id: string; did: string; prices: Record<string, string> }
  verifier: Temporal & { registry_id: string; schema_id: string; did: string }
  suspension: Temporal & { registry_id: string; did: string }
  delegation: Temporal & { registry_id: string; issuer: string; issuer_order: string; delegate: string }
  revocation_registry: Temporal & {
    registry_id: string
    policy: string[]
    creator: string
    add_only: boolean
    kind: 'StatusList' | 'Accumulator'
    length: number | null
    public_key: string | null
    accumulated: string | null
    version: number
  }
  accumulator_update: {
    id: string
    registry_id: string
    version: number
    block: number
    accumulated: string
    additions: number[]
    removals: number[]
    witness_update_info: string
  }
  status_bit: Temporal & { registry_id: string; index: number }
}
