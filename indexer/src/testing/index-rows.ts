import type pg from 'pg'

interface Rows {
  did: { did: string }
  did_key: { did: string; key_id: number; kind: string; public_key: string; relationships: number }
  did_controller: { did: string; controller: string }
  did_service: { did: string; service_id: string; type: string; endpoints: string[] }
  trust_registry: {
    registry_id: string
    convener: string
    pending_convener: string | null
    name: string
    gov_framework: string
    version: number
  }
  registry_schema: { registry_id: string; schema_id: string; is_public: boolean }
  issuer: { registry_id: string; schema_id: string; did: string; prices: Record<string, string> }
  verifier: { registry_id: string; schema_id: string; did: string }
  suspension: { registry_id: string; did: string }
  delegation: { registry_id: string; issuer: string; issuer_order: string; delegate: string }
  revocation_registry: {
    registry_id: string
    policy: string[]
    add_only: boolean
    kind: string
    length: number | null
    public_key: string | null
    accumulated: string | null
    version: number
  }
  status_bit: { registry_id: string; index: number }
}

/** The temporal tables of the index as they stand at a block. */
export class IndexRows {
  constructor(
    private readonly client: pg.Client,
    readonly block: number,
  ) {}

  async rows<Table extends keyof Rows>(table: Table): Promise<Rows[Table][]> {
    const valid = 'from_block <= $1 AND (to_block IS NULL OR to_block > $1)'
    return this.select(`SELECT * FROM ledger.${table} WHERE ${valid} ORDER BY id COLLATE "C"`)
  }

  /** Runs a statement with the block as its one parameter. */
  async select<Row>(statement: string): Promise<Row[]> {
    const { rows } = await this.client.query(statement, [this.block])
    return rows
  }
}
