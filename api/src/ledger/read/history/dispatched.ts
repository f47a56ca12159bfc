import { type RawBuilder, sql } from 'kysely'
import { newestFinalIndexed } from '../blocks.js'

interface Dispatch {
  callHash: RawBuilder<string>
  actor: RawBuilder<string>
  /** A block: what came up to it does not count. */
  after: RawBuilder<number>
}

/** One row `(block, hash, extrinsic_hash)` in SQL: the first final dispatch of these calls by that DID. */
export const firstDispatch = ({ callHash, actor, after }: Dispatch): RawBuilder<unknown> => sql`
        select d.block, b.hash, d.extrinsic_hash from ledger.event d join ledger.block b on b.height = d.block
        where d.call_hash = ${callHash} and d.actor = ${actor} and d.name = 'Did.Dispatched'
          and d.block > ${after} and d.block <= ${newestFinalIndexed}
        order by d.block limit 1`
