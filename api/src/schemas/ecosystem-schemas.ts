import { sql } from 'kysely'
import { isConvener } from '../ledger/read/registries/convener.js'
import { schemasAround } from '../ledger/read/registries/registry-schemas.js'
import type { Reader } from '../platform/database/database.js'

/** Returns the hashes of all schemas of the registries that the reader's DIDs convene or take part in now. */
export const ecosystemSchemas = (reader: Reader): Promise<string[]> =>
  schemasAround(
    reader,
    sql`select did from dids where status in ('pending', 'active')
      union select held.did from unnest(service.current_teams()) team,
        service.held_among(team, array(select mine.did from (select did from dids union select did from did_proofs) mine
          where ${isConvener(sql.ref('mine.did'))})) held (did)`,
  )
