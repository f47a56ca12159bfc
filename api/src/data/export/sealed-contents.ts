import type { TeamId } from '../../platform/database/ids.js'
import type { JsonObject } from '../../platform/database/tables.js'
import type { Environment } from '../../platform/http/context.js'

interface Keys extends Pick<Environment, 'deriveKey' | 'events'> {
  team: TeamId
}

/** Opens what a row of a table holds sealed, for the team that owns it: by the row, with the names of its columns. */
export type SealedContents = Readonly<Record<string, (keys: Keys, row: JsonObject, sealed: Buffer) => unknown>>
